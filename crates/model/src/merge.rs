// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges two series of the same key exactly, as if one run had taken all samples.
//!
//! Counts, sum, minimum, maximum, histogram and worst values are exact. The caller computes the quantiles again from these. The
//! values over time are dropped, because the two runs have no common start.
use super::{Histogram, Series, Sum, WORST_KEPT, Worst};
use std::cmp::{Ordering, Reverse};

/// Why two series cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    /// The series have different keys or spans.
    #[error("{0} and {1} are different series")]
    Other(String, String),
    /// A version that kept no sums wrote one of the runs.
    #[error("{0}: the run has no sum of its samples (made by backwall 0.1)")]
    NoSum(String),
    /// The bounds of the two histograms' buckets conflict.
    #[error("{0}: the histograms have different buckets at {1}")]
    Classes(String, u64),
    /// A merged count exceeds its field.
    #[error("{0}: {1} exceeds the limit of a run")]
    TooMany(String, &'static str),
}

/// Merges two series; quantiles and values over time stay empty. Among equal worst values, the lower stimulus number comes first.
///
/// # Errors
/// If the series have different keys, spans or histogram bounds, if one lacks its sum, or if a count exceeds its field.
pub fn merge(one: Series, other: Series) -> Result<Series, Unmergeable> {
    if (&one.key, &one.from, &one.to, one.unit) != (&other.key, &other.from, &other.to, other.unit) {
        return Err(Unmergeable::Other(one.key.to_string(), other.key.to_string()));
    }
    let mut merged = counted(&one, &other)?;
    merged.worst = worst(one.worst, other.worst);
    Ok(merged)
}

fn counted(one: &Series, other: &Series) -> Result<Series, Unmergeable> {
    let place = || one.key.to_string();
    let added = |what: &'static str, field: fn(&Series) -> u64| {
        field(one).checked_add(field(other)).ok_or_else(|| Unmergeable::TooMany(place(), what))
    };
    // A count is known only if both series know it.
    let known = |what: &'static str, field: fn(&Series) -> Option<u64>| {
        let both = field(one).zip(field(other));
        let sum = both.map(|(one, other)| one.checked_add(other).ok_or_else(|| Unmergeable::TooMany(place(), what)));
        sum.transpose()
    };
    let (min, max) = (least(one.min, other.min), one.max.max(other.max));
    let mut merged = Series {
        key: one.key.clone(),
        from: one.from.clone(),
        to: one.to.clone(),
        unit: one.unit,
        due: known("due", |series| series.due)?,
        done: added("done", |series| series.done)?,
        missed: known("missed", |series| series.missed)?,
        unseen: added("unseen", |series| series.unseen)?,
        skipped: added("skipped", |series| series.skipped)?,
        late: known("late", |series| series.late)?,
        overflow: added("overflow", |series| series.overflow)?,
        warmup: added("warmup", |series| series.warmup)?,
        edges: one.edges || other.edges,
        threshold: one.threshold.max(other.threshold),
        min,
        max,
        jitter: max.zip(min).map(|(max, min)| max.saturating_sub(min)),
        sum: sum(one, other)?,
        mean: None,
        quantiles: Vec::new(),
        histogram: histogram(one, other)?,
        worst: Vec::new(),
        over_time: Vec::new(),
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

/// The largest values of both. Most values are smaller than all kept ones and are dropped first.
fn worst(mut one: Vec<Worst>, other: Vec<Worst>) -> Vec<Worst> {
    let order = |worst: &Worst| (Reverse(worst.value), worst.seq);
    if !one.is_sorted_by_key(order) {
        one.sort_by_key(order);
    }
    let last = one.get(WORST_KEPT - 1).map(order);
    let before = one.len();
    one.extend(other.into_iter().filter(|worst| last.is_none_or(|last| order(worst) < last)));
    if one.len() > before {
        one.sort_by_key(order);
        one.truncate(WORST_KEPT);
    }
    one
}

/// The histogram buckets with samples in either series, by lower bound. As in a single series, a range without samples is one
/// bucket.
fn histogram(one: &Series, other: &Series) -> Result<Histogram, Unmergeable> {
    let different = |low: u64| Unmergeable::Classes(one.key.to_string(), low);
    let (mut ones, mut others) = (one.histogram.classes().peekable(), other.histogram.classes().peekable());
    let mut merged = Histogram::default();
    loop {
        let next_of_both = match (ones.peek(), others.peek()) {
            (Some(one), Some(other)) => one.0.cmp(&other.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Ok(merged),
        };
        let of_one = if next_of_both.is_le() { ones.next() } else { None };
        let of_other = if next_of_both.is_ge() { others.next() } else { None };
        let (low, next, count) = match (of_one, of_other) {
            (Some((low, next, count)), Some((_, other_next, more))) => {
                let sum = count.checked_add(more);
                let sum = sum.ok_or_else(|| Unmergeable::TooMany(one.key.to_string(), "histogram"))?;
                (low, if next == other_next { next } else { return Err(different(low)) }, sum)
            }
            (class, other) => class.or(other).unwrap_or_default(),
        };
        push(&mut merged, (low, next, count)).map_err(different)?;
    }
}

/// Appends a bucket; a gap before it becomes an empty bucket. If it overlaps the last bucket, returns its lower bound as the
/// error.
fn push(histogram: &mut Histogram, (low, next, count): (u64, u64, u64)) -> Result<(), u64> {
    match histogram.bounds.last().copied() {
        Some(end) if end > low => return Err(low),
        Some(end) if end == low => {}
        Some(_) => {
            histogram.bounds.push(low);
            histogram.counts.push(0);
        }
        None => histogram.bounds.push(low),
    }
    histogram.bounds.push(next);
    histogram.counts.push(count);
    Ok(())
}
