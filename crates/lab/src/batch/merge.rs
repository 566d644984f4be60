// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges the runs of all units of a scenario into one. Counts, extremes, histograms and worst responses add up exactly;
//! quantiles and confidence limits are computed anew from them. What belongs to a single run only is left out, with a note.
//!
//! Different seeds need not give different results: units whose edges are identical byte for byte count once.
use crate::batch::ranges;
use backwall_model::merge::merge;
use backwall_model::results::{Results, Sweep, Units};
use backwall_model::{Key, Run, Series, Warning};
use backwall_stats::quantile::quantiles;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct Merging {
    run: Option<Run>,
    seen: BTreeSet<String>,
    units: u64,
    sweeps: Vec<Sweep>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{series}: {why}")]
pub struct Unmergeable {
    series: String,
    why: String,
}

impl Merging {
    /// Adds the run of a unit. `edges` is a digest of the run's edges. Returns `false` if another unit already had the
    /// same edges.
    ///
    /// # Errors
    /// If the run's series differ from the series of the runs added before.
    pub fn add(&mut self, run: Run, edges: String) -> Result<bool, Unmergeable> {
        self.units += 1;
        if !self.seen.insert(edges) {
            return Ok(false);
        }
        self.sweeps.extend(run.results.sweep);
        let Some(sum) = &mut self.run else {
            self.run = Some(alone(run));
            return Ok(true);
        };
        sum.series = together(std::mem::take(&mut sum.series), run.series)?;
        sum.seconds += run.seconds;
        sum.valid &= run.valid;
        sum.invalid.extend(run.invalid);
        let new = run.warnings.into_iter().filter(|warning| !sum.warnings.contains(warning)).collect::<Vec<_>>();
        sum.warnings.extend(new);
        Ok(true)
    }

    /// The merged run with the number of units and of different results; `None` if no run was added. `due`: number of
    /// planned units.
    pub fn finish(self, due: u64) -> Option<Run> {
        let (units, different) = (self.units, self.seen.len() as u64);
        let mut run = self.run?;
        // Quantiles follow from the merged histograms and cost more than merging, so compute them once at the end.
        run.series.iter_mut().for_each(|series| series.quantiles = quantiles(series));
        run.results.units = Some(Units { planned: due, done: units, different });
        run.results.sweep = ranges::whole(&self.sweeps);
        let said = format!(
            "merged {different} different results from {units} units; only the single runs have stages, pictures and \
                counts of the lab"
        );
        run.warnings.push(Warning::new("merged", said));
        if units < due {
            run.warnings.push(Warning::new("incomplete", format!("incomplete: {units} of {due} units are done")));
        }
        Some(run)
    }
}

fn together(sum: Vec<Series>, more: Vec<Series>) -> Result<Vec<Series>, Unmergeable> {
    let fault = |key: &Key, why: String| Unmergeable { series: key.to_string(), why };
    let mut more: BTreeMap<Key, Series> = more.into_iter().map(|series| (series.key.clone(), series)).collect();
    let with_own = |known: Series| {
        let key = known.key.clone();
        let own = more.remove(&key).ok_or_else(|| fault(&key, "a run lacks this series".to_string()))?;
        merge(known, own).map_err(|why| fault(&key, why.to_string()))
    };
    let merged = sum.into_iter().map(with_own).collect::<Result<Vec<Series>, Unmergeable>>()?;
    match more.into_keys().next() {
        Some(new) => Err(fault(&new, "earlier runs lack this series".to_string())),
        None => Ok(merged),
    }
}

/// Removes everything that cannot be added up.
fn alone(mut run: Run) -> Run {
    run.values.clear();
    run.later_values.clear();
    run.results = Results::default();
    run.stages.clear();
    run.pictures.clear();
    run.requirements.clear();
    run.self_check = None;
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use backwall_model::{Key, Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;

    fn of(values: &[u64]) -> Run {
        let mut builder =
            SeriesBuilder::new(Key::new("isr", "none", "as-is"), Span::new("edge", "line", Unit::Instructions));
        (0..).zip(values).for_each(|(seq, value)| builder.sample(seq, seq * 1_000, *value, false));
        let mut run = Run::begin(Origin::Emulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.series.push(builder.build());
        run
    }

    #[test]
    fn accounts_ends_and_histograms_are_those_of_all_samples_and_the_same_edges_count_once() {
        let mut merging = Merging::default();
        assert!(merging.add(of(&[5, 7]), "a".into()).unwrap());
        assert!(merging.add(of(&[3, 900]), "b".into()).unwrap());
        assert!(!merging.add(of(&[3, 900]), "b".into()).unwrap());
        let run = merging.finish(4).unwrap();
        let series = &run.series[0];
        assert_eq!((series.due, series.done, series.min, series.max), (Some(4), 4, Some(3), Some(900)));
        assert_eq!(series.histogram.classes().map(|(_, _, count)| count).sum::<u64>(), 4);
        assert_eq!(run.results.units, Some(Units { planned: 4, done: 3, different: 2 }));
        assert!(run.warnings.iter().any(|warning| warning.text == "incomplete: 3 of 4 units are done"));
    }

    #[test]
    fn runs_with_other_series_are_not_added() {
        let mut other = of(&[5]);
        other.series[0].key.name = "app".to_string();
        let mut merging = Merging::default();
        merging.add(of(&[5]), "a".into()).unwrap();
        assert!(merging.add(other, "b".into()).unwrap_err().to_string().contains("this series"));
        assert!(Merging::default().finish(3).is_none());
    }
}
