// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two series of the same key as one, exactly: as if all samples had been taken in one run.
//!
//! Counts, sum, smallest, largest, histogram and the worst are exact. The quantiles follow from them and are the
//! statistics' to compute again; the slices over time have no common origin and are left out.
use super::{Histogram, Series, Sum, WORST_KEPT, Worst};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Why two series are not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    /// They are not of the same thing.
    #[error("{0} and {1} are two series")]
    Other(String, String),
    /// One was written before sums were kept.
    #[error("{0}: its run keeps no sum of the samples; it was made by the first version of backwall")]
    NoSum(String),
    /// Their classes overlap without being the same.
    #[error("{0}: the histograms have different classes at {1}")]
    Classes(String, u64),
    /// A count does not fit into its field.
    #[error("{0}: {1} is beyond what a run can count")]
    TooMany(String, &'static str),
}

/// Both together, without quantiles and slices. Of equal worst values, that of the lower number of stimulus comes first.
///
/// # Errors
/// When they are not of the same key, span and classes, lack a sum, or count beyond the range of a field.
pub fn merge(one: &Series, other: &Series) -> Result<Series, Unmergeable> {
    let place = || one.key.to_string();
    if (&one.key, &one.from, &one.to, one.unit) != (&other.key, &other.from, &other.to, other.unit) {
        return Err(Unmergeable::Other(place(), other.key.to_string()));
    }
    let added = |what: &'static str, field: fn(&Series) -> u64| {
        field(one).checked_add(field(other)).ok_or_else(|| Unmergeable::TooMany(place(), what))
    };
    // A count that one of them does not know is not known of both.
    let known = |what: &'static str, field: fn(&Series) -> Option<u64>| {
        let both = field(one).zip(field(other));
        let sum = both.map(|(one, other)| one.checked_add(other).ok_or_else(|| Unmergeable::TooMany(place(), what)));
        sum.transpose()
    };
    let (min, max) = (least(one.min, other.min), one.max.max(other.max));
    let mut merged = Series {
        due: known("due", |series| series.due)?,
        done: added("done", |series| series.done)?,
        lost: known("lost", |series| series.lost)?,
        skipped: added("skipped", |series| series.skipped)?,
        late: known("late", |series| series.late)?,
        overflow: added("overflow", |series| series.overflow)?,
        warmup: added("warmup", |series| series.warmup)?,
        min,
        max,
        jitter: max.zip(min).map(|(max, min)| max.saturating_sub(min)),
        sum: sum(one, other)?,
        mean: None,
        quantiles: Vec::new(),
        histogram: histogram(one, other)?,
        worst: worst(one, other),
        over_time: Vec::new(),
        ..one.clone()
    };
    merged.mean = merged.sum.and_then(|sum| sum.mean(merged.counted()));
    Ok(merged)
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

fn sum(one: &Series, other: &Series) -> Result<Option<Sum>, Unmergeable> {
    let mut total: Option<Sum> = None;
    for series in [one, other].into_iter().filter(|series| series.counted() > 0) {
        let Sum(more) = series.sum.ok_or_else(|| Unmergeable::NoSum(series.key.to_string()))?;
        let before = total.unwrap_or_default().0;
        let after = before.checked_add(more).ok_or_else(|| Unmergeable::TooMany(series.key.to_string(), "sum"))?;
        total = Some(Sum(after));
    }
    Ok(total)
}

fn worst(one: &Series, other: &Series) -> Vec<Worst> {
    let mut worst: Vec<Worst> = one.worst.iter().chain(&other.worst).cloned().collect();
    worst.sort_by_key(|worst| (Reverse(worst.value), worst.seq));
    worst.truncate(WORST_KEPT);
    worst
}

/// Classes with samples in either, by their lower bound; a stretch without samples is one class, as the statistics store it.
fn histogram(one: &Series, other: &Series) -> Result<Histogram, Unmergeable> {
    let mut classes: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for (low, next, count) in [one, other].into_iter().flat_map(|series| series.histogram.classes()) {
        let class = classes.entry(low).or_insert((next, 0));
        let sum = class.1.checked_add(count).ok_or_else(|| Unmergeable::TooMany(one.key.to_string(), "histogram"))?;
        if class.0 != next {
            return Err(Unmergeable::Classes(one.key.to_string(), low));
        }
        class.1 = sum;
    }
    let mut merged = Histogram::default();
    for (low, (next, count)) in classes {
        match merged.bounds.last().copied() {
            Some(end) if end > low => return Err(Unmergeable::Classes(one.key.to_string(), low)),
            Some(end) if end == low => {}
            Some(_) => {
                merged.bounds.push(low);
                merged.counts.push(0);
            }
            None => merged.bounds.push(low),
        }
        merged.bounds.push(next);
        merged.counts.push(count);
    }
    Ok(merged)
}
