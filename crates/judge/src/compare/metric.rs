// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compared metrics of a series. Each gives one number per run.
//!
//! The maximum is not a metric: between two sets of runs under equal conditions it differs by more than a tenth in 70 of 100
//! cases.
use backwall_model::Series;
use backwall_model::units::{DisplayedValue, Unit};
use backwall_stats::quantile::{Distribution, Level, REPORTED};

/// Compared quantiles: the median, p99, p99.9, p99.99.
const LEVELS: [usize; 4] = [0, 2, 3, 4];
/// The threshold of `beyond` is this quantile of the runs.
const THRESHOLD: usize = 3;
/// A share comes from few samples, so smaller relative changes of it do not matter.
const SMALLEST_SHARE: f64 = 0.25;
/// One sample more or less per run is not a change of a share, so the limit lies between one sample and two.
const STEP_SAMPLES: f64 = 1.5;
/// In a run with fewer samples than this, a single sample may be a share that matters.
const STEP_OF: f64 = 1_000.0;
/// Changes of a quantile below this many nanoseconds do not matter.
const SMALLEST_NS: f64 = 1_000.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    Quantile(Level),
    /// The share of samples at or beyond a threshold. All runs have the same threshold: the median of their p99.9.
    Beyond(u64),
    Missed,
    Late,
}

impl Metric {
    /// Metrics that have a number on both sides, except those that are 0 on both.
    pub fn of(before: &[&Series], after: &[&Series]) -> Vec<Self> {
        let both = || before.iter().chain(after);
        let quantiles = LEVELS.map(|index| Self::Quantile(REPORTED[index]));
        let mut thresholds: Vec<u64> = both().filter_map(|one| quantile(one, REPORTED[THRESHOLD])).collect();
        thresholds.sort_unstable();
        let threshold = thresholds.get(thresholds.len() / 2).map(|limit| Self::Beyond(*limit));
        let lost = both().any(|one| one.known_missed() > 0).then_some(Self::Missed);
        let late = both().any(|one| one.late > Some(0)).then_some(Self::Late);
        let all = quantiles.into_iter().chain(threshold).chain(lost).chain(late);
        all.filter(|metric| [before, after].iter().all(|side| side.iter().any(|one| metric.value(one).is_some())))
            .collect()
    }

    pub(super) fn name(&self, unit: Unit) -> String {
        match self {
            Self::Quantile(level) => level.to_string(),
            Self::Beyond(limit) => format!("beyond {}", DisplayedValue(*limit, unit)),
            Self::Missed => "missed".to_string(),
            Self::Late => "late".to_string(),
        }
    }

    pub(super) fn is_time(&self) -> bool {
        matches!(self, Self::Quantile(_))
    }

    /// The run's number for this metric; `None` if there are too few samples.
    pub(super) fn value(&self, series: &Series) -> Option<Value> {
        match self {
            // A tool with a threshold dropped an unknown number of samples, so the others are an unknown share of all.
            Self::Quantile(_) | Self::Beyond(_) if series.threshold.is_some() => None,
            Self::Quantile(level) => quantile(series, *level).map(Value::of),
            Self::Beyond(limit) => {
                let samples = Distribution::of(series);
                Value::share(samples.at_or_beyond(*limit).high, samples.samples())
            }
            // The warmup is in no figure.
            Self::Missed => Value::share(series.missed?, series.due?.saturating_sub(series.warmup)),
            Self::Late => Value::share(series.late?, series.counted()),
        }
    }

    pub(super) fn effect(&self, effect: f64, base: f64, unit: Unit) -> f64 {
        match (self, unit) {
            (Self::Quantile(_), Unit::Ns) => effect.max(SMALLEST_NS / base.max(1.0)),
            (Self::Quantile(_), Unit::Instructions) => effect,
            _ => effect.max(SMALLEST_SHARE),
        }
    }
}

fn quantile(series: &Series, level: Level) -> Option<u64> {
    series.quantile(level.q()).and_then(|quantile| quantile.value)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) shown: f64,
    of: Option<f64>,
}

impl Value {
    fn of(value: u64) -> Self {
        Self { shown: value as f64, of: None }
    }

    fn share(count: u64, of: u64) -> Option<Self> {
        let (count, of) = (count as f64, of as f64);
        (of > 0.0).then(|| Self { shown: count / of, of: Some(of) })
    }

    /// The logarithm, because changes are factors. A count of 0 counts as 0.5, so that its logarithm exists. A share becomes a
    /// count out of `usual` samples; half a sample is added to the count and a whole one to `usual`. `usual` is the same for
    /// all runs: if each run used its own number of samples, 0 of many would give a smaller result than 0 of few.
    fn log(&self, usual: f64) -> f64 {
        match self.of {
            Some(_) => ((self.shown * usual + 0.5) / (usual + 1.0)).ln(),
            None => self.shown.max(0.5).ln(),
        }
    }
}

pub(super) fn logs(a: &[Value], b: &[Value]) -> [Vec<f64>; 2] {
    let usual = usual(a, b).unwrap_or(1.0);
    [a, b].map(|side| side.iter().map(|value| value.log(usual)).collect())
}

/// The smallest relative change of a share that can count, whatever the statistics say. It is more than one sample per run,
/// relative to the smaller side; 0 for other metrics.
pub(super) fn step(a: &[Value], b: &[Value]) -> f64 {
    usual(a, b).map_or(0.0, |usual| {
        let fewer = usual * median(a).min(median(b));
        STEP_SAMPLES * (usual / STEP_OF).min(1.0) / (fewer + 0.5)
    })
}

/// Number of samples behind a share in the median run of both sides; `None` if the metric is no share.
fn usual(a: &[Value], b: &[Value]) -> Option<f64> {
    let mut of: Vec<f64> = a.iter().chain(b).filter_map(|value| value.of).collect();
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied()
}

pub(super) fn median(values: &[Value]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(|value| value.shown).collect();
    sorted.sort_by(f64::total_cmp);
    backwall_stats::median::median(&sorted)
}
