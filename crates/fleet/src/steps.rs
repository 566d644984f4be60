// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps: lasting changes of a device's figure over all its runs, for whatever reason.
use crate::history::Device;
use backwall_judge::compare::Question;
use backwall_model::units::Unit;
use backwall_model::{Key, Series};

/// The compared quantile. Higher ones vary more in short runs.
pub const QUANTILE: f64 = 0.99;
/// Most recent runs that are examined, so that a report over many years stays fast.
const MOST: usize = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub started: String,
    /// Median of the runs before the step, in `unit`.
    pub before: f64,
    pub after: f64,
    pub unit: Unit,
    /// Probability by chance: the share of randomly shuffled orders of the runs that show as large a step.
    pub chance: f64,
    pub with_kernel: bool,
}

/// The steps of a series that are at least as large as `question.effect`, oldest first. Invalid runs are left out.
pub fn of(device: &Device, key: &Key, question: &Question) -> Vec<Step> {
    let sound = device.series(key).filter(|(entry, _)| entry.run.no_evidence_of(key).is_none());
    let runs: Vec<_> = sound.filter_map(|(entry, series)| Some((entry, quantile(series)?, series.unit))).collect();
    let Some((_, _, unit)) = runs.last() else { return Vec::new() };
    // Runs with another unit cannot be compared with the others.
    let runs: Vec<_> = runs.iter().filter(|run| run.2 == *unit).collect();
    let runs = &runs[runs.len().saturating_sub(MOST)..];
    let values: Vec<f64> = runs.iter().map(|run| run.1 as f64).collect();
    let large = |step: &backwall_stats::step::Step| (step.after - step.before).abs() >= question.effect * step.before;
    let step = |step: backwall_stats::step::Step| Step {
        started: runs[step.at].0.run.started.clone(),
        before: step.before,
        after: step.after,
        unit: *unit,
        chance: step.chance,
        with_kernel: runs[step.at].0.kernel != runs[step.at - 1].0.kernel,
    };
    backwall_stats::step::steps(&values, question.seed).into_iter().filter(large).map(step).collect()
}

fn quantile(series: &Series) -> Option<u64> {
    series.quantile(QUANTILE)?.value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{device, tests::entry};

    #[test]
    fn a_figure_that_went_up_without_a_word_is_seen_with_its_day_and_a_small_step_is_not() {
        let question = Question { effect: 0.05, seed: 1 };
        let worst = |hour: i64| if hour < 15 { 100_000 } else { 120_000 } + (hour as u64 * 7 % 11);
        let entries: Vec<_> = (0..30).map(|hour| entry(hour, if hour < 15 { "a" } else { "b" }, worst(hour))).collect();
        let key = entries[0].run.series[0].key.clone();
        let device = device("d", entries, None, &question);
        let [step] = &of(&device, &key, &question)[..] else { panic!("one step") };
        assert_eq!(step.started, device.entries[15].run.started);
        assert!(
            (step.after / step.before - 1.2).abs() < 0.01
                && step.with_kernel
                && step.chance <= backwall_stats::step::CHANCE
        );
        assert_eq!(of(&device, &key, &Question { effect: 0.5, seed: 1 }), []);
        assert_eq!(of(&device, &Key::new("other", "none", "as-is"), &question), []);
    }

    #[test]
    fn runs_that_are_no_evidence_make_no_step() {
        let question = Question { effect: 0.05, seed: 1 };
        let spoiled = |hour: i64| {
            let mut entry = entry(hour, "k", if hour % 2 == 0 { 100_000 } else { 900_000 + hour as u64 });
            if hour % 2 > 0 {
                entry.run.spoil("a test");
            }
            entry
        };
        let entries: Vec<_> = (0..60).map(spoiled).collect();
        let key = entries[0].run.series[0].key.clone();
        assert_eq!(of(&device("d", entries, None, &question), &key, &question), []);
    }
}
