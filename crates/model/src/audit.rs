// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a run read from a file for contradictions. All code that prints the run's figures relies on this check.
use super::{Histogram, Run, Series};
use std::collections::BTreeSet;

/// The first member of the run that contradicts another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{member}: {what}")]
pub struct Contradiction {
    /// Path of the member in the file: `series[2].due`.
    pub member: String,
    /// The contradiction, in words.
    pub what: String,
}

/// Checks the counts, the histogram and the worst values of every series against each other.
///
/// # Errors
/// The first contradiction.
pub fn audit(run: &Run) -> Result<(), Contradiction> {
    let mut keys = BTreeSet::new();
    for (index, series) in run.series.iter().enumerate() {
        let (member, what) = match fault(series) {
            Some(fault) => fault,
            None if !keys.insert(&series.key) => ("name", format!("duplicate {:?}", series.key.to_string())),
            None => continue,
        };
        return Err(Contradiction { member: format!("series[{index}].{member}"), what });
    }
    if run.valid != run.invalid.is_empty() {
        let what = format!("{}, but 'invalid' lists {} reasons", run.valid, run.invalid.len());
        return Err(Contradiction { member: "valid".to_string(), what });
    }
    match run.seconds.is_finite() && run.seconds >= 0.0 {
        true => Ok(()),
        false => {
            Err(Contradiction { member: "seconds".to_string(), what: "must be 0 or more, and finite".to_string() })
        }
    }
}

type Fault = (&'static str, String);

fn fault(series: &Series) -> Option<Fault> {
    account(series).or_else(|| classes(&series.histogram)).or_else(|| counted(series)).or_else(|| extremes(series))
}

fn account(series: &Series) -> Option<Fault> {
    let Series { due, done, missed, unseen, late, warmup, .. } = *series;
    match (due, missed) {
        (Some(due), Some(missed)) if sum([done, missed, unseen]) != Some(due) => {
            return Some(("due", format!("{due} is not done {done} + missed {missed} + unseen {unseen}")));
        }
        (Some(_), None) | (None, Some(_)) => {
            return Some(("due", "due and missed must be both known or both unknown".to_string()));
        }
        (None, None) if unseen > 0 => return Some(("unseen", format!("{unseen} unseen, but due is unknown"))),
        _ => {}
    }
    if warmup > done {
        return Some(("warmup", format!("{warmup}, but only {done} are done")));
    }
    if series.skipped > series.known_missed() {
        return Some(("skipped", format!("{}, but only {} are missed", series.skipped, series.known_missed())));
    }
    let most = due.unwrap_or(done);
    late.filter(|late| *late > most).map(|late| ("late", format!("{late}, but only {most} are due")))
}

/// `None` if the sum exceeds 64 bits.
fn sum(counts: [u64; 3]) -> Option<u64> {
    counts.into_iter().try_fold(0u64, u64::checked_add)
}

fn classes(histogram: &Histogram) -> Option<Fault> {
    let (bounds, counts) = (&histogram.bounds, &histogram.counts);
    if bounds.len() != counts.len() + usize::from(!bounds.is_empty()) {
        return Some(("histogram.counts", format!("{} buckets need {} bounds", counts.len(), bounds.len())));
    }
    let fallen = bounds.windows(2).find(|pair| pair[0] >= pair[1])?;
    Some(("histogram.bounds", format!("must rise, but {} follows {}", fallen[1], fallen[0])))
}

/// Every sample must be counted once, either in the histogram or in `overflow`.
fn counted(series: &Series) -> Option<Fault> {
    let counts = series.histogram.counts.iter().try_fold(series.overflow, |sum, count| sum.checked_add(*count));
    if counts != Some(series.counted()) {
        let found = counts.map_or("too many".to_string(), |counts| counts.to_string());
        return Some((
            "histogram.counts",
            format!("{found} samples including the overflow, expected {}", series.counted()),
        ));
    }
    (series.worst.len() as u64 > series.counted())
        .then(|| ("worst", format!("{} values, but only {} samples", series.worst.len(), series.counted())))
}

fn extremes(series: &Series) -> Option<Fault> {
    let (Some(min), Some(max)) = (series.min, series.max) else {
        let any = series.counted() > 0 || series.min.is_some() || series.max.is_some() || series.mean.is_some();
        return any.then(|| ("min", "min and max require samples".to_string()));
    };
    if series.counted() == 0 {
        return Some(("min", "no samples".to_string()));
    }
    if min > max || series.jitter != Some(max - min) {
        return Some(("jitter", format!("expected max {max} - min {min}")));
    }
    mean(series, min, max).or_else(|| worst(series, min, max))
}

/// The mean may be absent only if the run has neither sum nor samples, for example if another tool stored only a histogram.
fn mean(series: &Series, min: u64, max: u64) -> Option<Fault> {
    let Some(mean) = series.mean else {
        let known = series.sum.is_some() || !series.worst.is_empty();
        return known.then(|| ("mean", "missing, although the samples are known".to_string()));
    };
    // The stored mean is rounded, so it may lie outside min and max by the rounding error.
    let slack = max as f64 * 1e-9;
    if !(min as f64 - slack..=max as f64 + slack).contains(&mean) {
        return Some(("mean", format!("{mean} is not between {min} and {max}")));
    }
    let of_sum = series.sum.and_then(|sum| sum.mean(series.counted())).filter(|of_sum| !near(*of_sum, mean))?;
    Some(("sum", format!("gives a mean of {of_sum}, not {mean}")))
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= one.abs().max(other.abs()) * 1e-9
}

fn worst(series: &Series, min: u64, max: u64) -> Option<Fault> {
    if series.worst.first().is_some_and(|worst| worst.value != max) {
        return Some(("worst[0].value", format!("must be the largest, {max}")));
    }
    let rising = series.worst.windows(2).position(|pair| pair[0].value < pair[1].value);
    let below = series.worst.last().is_some_and(|worst| worst.value < min);
    (rising.is_some() || below).then(|| ("worst", "must be sorted, largest first".to_string()))
}
