// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides whether two sets of runs differ, and in which part.
//!
//! The unit of comparison is the run, because runs of one setting differ (memory layout, other work of the machine) by more than
//! the samples of one run show. Each run gives one number per metric. A permutation test assigns these numbers to the sides at
//! random ([`backwall_stats::permutation`]). A difference counts if chance does not explain it, corrected for the number of
//! metrics, and if it is larger than the smallest effect that matters.
mod metric;
mod settings;
mod verdict;

pub use settings::Difference;
pub use verdict::Verdict;

use backwall_model::units::Unit;
use backwall_model::{Key, Origin, Run, Series};
use backwall_stats::{permutation, shift};
use metric::{Metric, Value, logs, median, step};
use serde::Serialize;
use std::collections::BTreeMap;

pub const SCHEMA: &str = "backwall/comparison/1";
/// Probability of reporting at least one difference if nothing changed; the confidence limits are at 1 - ALPHA.
pub const ALPHA: f64 = 0.05;

#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The smallest relative change that matters; above 0.
    pub effect: f64,
    pub seed: u64,
}

#[derive(Clone, Debug)]
pub struct PlacedRun {
    pub place: String,
    pub run: Run,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub schema: &'static str,
    pub verdict: Verdict,
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub settings: Vec<Difference>,
    pub rows: Vec<Row>,
    /// Fewest runs on each side that could decide a row; absent if there are enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest_runs: Option<u64>,
    pub largest: Vec<Largest>,
    pub warnings: Vec<String>,
}

/// The maximum of a series: the median over the runs of each side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Largest {
    #[serde(flatten)]
    pub key: Key,
    pub unit: Unit,
    pub before: u64,
    pub after: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub key: Key,
    /// The compared metric: `p50`, `p99.9`, `beyond`, `lost` …
    pub metric: String,
    pub unit: Option<Unit>,
    pub before: f64,
    pub after: f64,
    pub runs: [usize; 2],
    /// After divided by before: the estimated shift between the runs, as a factor.
    pub ratio: f64,
    /// Lower 95 % confidence limit of the ratio; absent with too few runs.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Probability of a difference of this size if nothing changed, corrected for the number of rows. Absent if all repeats
    /// are identical, so that chance plays no part.
    pub p: Option<f64>,
    pub effect: f64,
    pub verdict: Verdict,
    /// Runs on each side that would probably decide the row; absent if it is decided, or if no number of runs would.
    pub needs_runs: Option<u64>,
    /// The smallest relative change that counts. For a share it is more than one sample per run.
    #[serde(skip)]
    decides: f64,
    #[serde(skip)]
    identical: bool,
}

impl Row {
    /// Whether the ratio is exact: the figures are executed instructions, and all repeats are identical.
    pub fn is_exact(&self) -> bool {
        self.p.is_none()
    }

    /// Invalid figures decide nothing, however many runs there are.
    fn withdraw(&mut self) {
        (self.verdict, self.needs_runs) = (Verdict::CannotTell, None);
    }
}

pub fn compare(before: &[PlacedRun], after: &[PlacedRun], question: &Question) -> Comparison {
    let mut rows = Vec::new();
    let (left, right) = (by_key(before), by_key(after));
    for (key, series) in &left {
        let Some(others) = right.get(key) else { continue };
        rows.extend(Metric::of(series, others).iter().filter_map(|metric| row(key, metric, series, others, question)));
    }
    let largest = left.iter().filter_map(|(key, series)| largest(key, series, right.get(key)?)).collect();
    let exact = before.iter().chain(after).all(|placed| placed.run.origin == Origin::Emulated);
    verdict::decide(&mut rows, exact);
    let doubtful =
        |row: &&mut Row| before.iter().chain(after).any(|placed| placed.run.no_evidence_of(&row.key).is_some());
    rows.iter_mut().filter(doubtful).for_each(Row::withdraw);
    Comparison {
        schema: SCHEMA,
        verdict: rows.iter().map(|row| row.verdict).max().unwrap_or(Verdict::CannotTell),
        before: places(before),
        after: places(after),
        settings: settings::differences(before, after),
        fewest_runs: if exact { None } else { verdict::fewest_runs(&rows) },
        largest,
        warnings: warnings(before, after, &left, &right),
        rows,
    }
}

type BySeries<'a> = BTreeMap<Key, Vec<&'a Series>>;

fn by_key(side: &[PlacedRun]) -> BySeries<'_> {
    let mut found = BySeries::new();
    for series in side.iter().flat_map(|placed| &placed.run.series) {
        found.entry(series.key.clone()).or_default().push(series);
    }
    found
}

fn places(side: &[PlacedRun]) -> Vec<String> {
    side.iter().map(|placed| placed.place.clone()).collect()
}

/// A row of the comparison; `None` if one side has no run with this metric.
fn row(key: &Key, metric: &Metric, before: &[&Series], after: &[&Series], question: &Question) -> Option<Row> {
    let side = |series: &[&Series]| series.iter().filter_map(|one| metric.value(one)).collect::<Vec<Value>>();
    let (a, b) = (side(before), side(after));
    let [logs_a, logs_b] = logs(&a, &b);
    let shift = shift::shift(&logs_a, &logs_b, 1.0 - ALPHA)?;
    let unit = before[0].unit;
    let effect = metric.effect(question.effect, median(&a), unit);
    let decides = effect.max(step(&a, &b));
    Some(Row {
        key: key.clone(),
        metric: metric.name(unit),
        unit: metric.is_time().then_some(unit),
        before: median(&a),
        after: median(&b),
        runs: [a.len(), b.len()],
        ratio: shift.middle.exp(),
        low: shift.low.map(f64::exp),
        high: shift.high.map(f64::exp),
        p: Some(permutation::chance(&logs_a, &logs_b, question.seed)),
        effect,
        verdict: Verdict::CannotTell,
        needs_runs: verdict::runs_needed(&logs_a, &logs_b, shift.middle, [effect, decides]),
        decides,
        identical: [&logs_a, &logs_b].iter().all(|logs| logs.iter().all(|log| *log == logs[0])),
    })
}

/// The maximum of both sides; `None` if a side has no sample.
fn largest(key: &Key, before: &[&Series], after: &[&Series]) -> Option<Largest> {
    let middle = |series: &[&Series]| {
        let mut values: Vec<u64> = series.iter().filter_map(|one| one.max).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let unit = before.first()?.unit;
    Some(Largest { key: key.clone(), unit, before: middle(before)?, after: middle(after)? })
}

fn warnings(before: &[PlacedRun], after: &[PlacedRun], left: &BySeries, right: &BySeries) -> Vec<String> {
    let mut said = Vec::new();
    for placed in before.iter().chain(after) {
        said.extend(placed.run.spoiled_line().map(|which| format!("{}: no evidence {which}", placed.place)));
    }
    for placed in before.iter().chain(after).filter(|placed| placed.run.interrupted) {
        said.push(format!("{}: ended early", placed.place));
    }
    let missing = |here: &BySeries, there: &BySeries, side: &str| {
        here.keys().filter(|key| !there.contains_key(key)).map(|key| format!("{key}: only {side}")).collect::<Vec<_>>()
    };
    said.extend(missing(left, right, "before"));
    said.extend(missing(right, left, "after"));
    said
}

#[cfg(test)]
mod tests;
