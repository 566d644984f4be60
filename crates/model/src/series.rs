// SPDX-License-Identifier: MIT OR Apache-2.0
use super::{Blame, Key, Sum};
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One figure with its distribution: `due = done + missed + unseen`.
///
/// `due`, `missed` and `late` are absent where nobody counted them, as in another tool's file that has the answers alone. They
/// are never 0 then. Either both of `due` and `missed` are known or neither.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Which one it is.
    #[serde(flatten)]
    pub key: Key,
    /// The point that starts it.
    pub from: String,
    /// The point that ends it.
    pub to: String,
    /// Unit of every value.
    pub unit: Unit,
    /// Stimuli that were due; absent: not known.
    pub due: Option<u64>,
    /// Stimuli that were answered.
    pub done: u64,
    /// Stimuli that were not answered; absent: not known.
    pub missed: Option<u64>,
    /// Stimuli whose answer fell into a gap of the recording.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen: u64,
    /// Missed stimuli that the overload rule `skip` left out after a late answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// Answers after their deadline (the next release by default); absent if unknown.
    pub late: Option<u64>,
    /// Samples beyond the last bound of the histogram: counted, never dropped.
    pub overflow: u64,
    /// Samples before the steady state: excluded from the figures, counted here and in `done`.
    pub warmup: u64,
    /// Whether `min` and `max` are only the histogram's outer edges: another tool kept classes but no extremes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub edges: bool,
    /// Complete only above this value: the tool dropped an unknown number of smaller ones; absent: it dropped none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u64>,
    /// Exact smallest, unless `edges`; absent without samples.
    pub min: Option<u64>,
    /// Exact sum of all samples; absent without samples, or if another tool kept none.
    pub sum: Option<Sum>,
    /// Mean of all samples; absent without samples, or if another tool kept no sum.
    pub mean: Option<f64>,
    /// Exact largest, unless `edges`: the back wall of this run; absent without samples.
    pub max: Option<u64>,
    /// `max - min`.
    pub jitter: Option<u64>,
    /// Quantiles with confidence limits.
    pub quantiles: Vec<Quantile>,
    /// Counts between bounds.
    pub histogram: Histogram,
    /// The largest values, largest first.
    pub worst: Vec<Worst>,
    /// Smallest, mean and largest of successive slices of the phase, for the picture over time.
    pub over_time: Vec<Slice>,
}

/// Suffix of a response's name for its pulse's end. Line names have no blanks.
const COMPLETION: &str = " completion";

/// The name of the point where a response's pulses end.
pub fn completion_of(response: &str) -> String {
    format!("{response}{COMPLETION}")
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A class that is wider than its values divided by this shows: our own histograms are twice as fine.
const VALUES_PER_CLASS: u64 = 512;

impl Series {
    /// Stimuli that are known to be missed.
    pub fn known_missed(&self) -> u64 {
        self.missed.unwrap_or(0)
    }

    /// Stimuli without a response: missed or unseen; absent if not counted.
    pub fn without_response(&self) -> Option<u64> {
        self.missed.map(|missed| missed.saturating_add(self.unseen))
    }

    /// Known stimuli missed for other reasons than the overload rule; how late their answers were is unknown.
    pub fn unanswered(&self) -> u64 {
        self.known_missed().saturating_sub(self.skipped)
    }

    /// The quantile `q`, in (0, 1), if the series lists it.
    pub fn quantile(&self, q: f64) -> Option<&Quantile> {
        self.quantiles.iter().find(|quantile| (quantile.q - q).abs() < 1e-12)
    }

    /// Whether a quantile of this value is the upper edge of a wide class, so that the sample itself may be smaller.
    pub fn is_edge(&self, value: u64) -> bool {
        let class = self.histogram.classes().find(|(low, next, _)| (*low..*next).contains(&value));
        class.is_some_and(|(low, next, _)| {
            let top = if self.max.is_some_and(|max| max < next) { self.max } else { Some(next - 1) };
            Some(value) == top && value - low > value / VALUES_PER_CLASS
        })
    }

    /// Bounds of the smallest and largest value: exact, unless they are `edges`. Dropped values were at most the threshold.
    pub fn extremes(&self) -> Option<[(u64, u64); 2]> {
        let Some(threshold) = self.threshold else { return self.kept_extremes() };
        let (least, most) = self.kept_extremes().map_or((threshold, (0, threshold)), |[least, most]| (least.1, most));
        Some([(0, least), most])
    }

    fn kept_extremes(&self) -> Option<[(u64, u64); 2]> {
        let (min, max) = self.min.zip(self.max)?;
        if !self.edges {
            return Some([(min, min), (max, max)]);
        }
        let first = self.histogram.classes().next().map_or(max, |(_, next, _)| next - 1);
        let last = self.histogram.classes().last().map_or(min, |(low, ..)| low);
        Some([(min, first.min(max)), (last.max(min), max)])
    }

    /// Whether it ends at a response's end: a completion or run time. Others end at its beginning.
    pub fn completes(&self) -> bool {
        self.to.ends_with(COMPLETION)
    }

    /// Samples in the figures: answered stimuli without the warm-up.
    pub fn counted(&self) -> u64 {
        self.done.saturating_sub(self.warmup)
    }
}

/// A quantile with its confidence limits (95 %, from order statistics).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// In (0, 1).
    pub q: f64,
    /// `None`: too few samples.
    pub value: Option<u64>,
    /// Lower limit.
    pub low: Option<u64>,
    /// Upper limit; `None` when the samples do not bound it.
    pub high: Option<u64>,
}

/// `counts[i]` samples fell in `[bounds[i], bounds[i + 1])`; empty classes are left out by pairs of equal counts 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// One more than counts.
    pub bounds: Vec<u64>,
    /// Samples per class.
    pub counts: Vec<u64>,
}

/// How many of the largest values a series keeps.
pub const WORST_KEPT: usize = 4_096;

impl Histogram {
    /// The classes with samples: lower bound, next bound, count.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let pairs = self.bounds.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.zip(&self.counts).map(|((low, next), count)| (low, next, *count)).filter(|(_, _, count)| *count > 0)
    }
}

/// One of the largest values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// Number of the stimulus.
    pub seq: u64,
    /// Time since the first stimulus, in the series' unit; absent if only the order is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// The latency.
    pub value: u64,
    /// Who used the time, if examined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
}

/// One slice of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Start, in the series' unit since the first stimulus.
    pub at: u64,
    /// Samples in the slice.
    pub done: u64,
    /// Stimuli missed in the slice, or, of a series that has them, not seen.
    pub missed: u64,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// End points and unit of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The point that starts it.
    pub from: String,
    /// The point that ends it.
    pub to: String,
    /// Unit of every value and time.
    pub unit: Unit,
}

impl Span {
    /// From one point to another.
    pub fn new(from: impl Into<String>, to: impl Into<String>, unit: Unit) -> Self {
        Self { from: from.into(), to: to.into(), unit }
    }
}
