// SPDX-License-Identifier: MIT OR Apache-2.0
use super::{Blame, Key, Sum};
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One latency with its distribution: `due = done + missed + unseen`.
///
/// `due`, `missed` and `late` are absent if nobody counted them, as in another tool's file that has only the answers. An absent
/// count is never written as 0. `due` and `missed` are either both known or both absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The key.
    #[serde(flatten)]
    pub key: Key,
    /// Where the measured interval starts.
    pub from: String,
    /// Where the measured interval ends.
    pub to: String,
    /// Unit of all values.
    pub unit: Unit,
    /// Stimuli that were due; absent if unknown.
    pub due: Option<u64>,
    /// Stimuli that were answered.
    pub done: u64,
    /// Stimuli that were not answered; absent if unknown.
    pub missed: Option<u64>,
    /// Stimuli whose answer fell into a gap of the recording.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen: u64,
    /// Of the missed stimuli, those that the overload rule `skip` left out after a late answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// Answers after their deadline (the next release by default); absent if unknown.
    pub late: Option<u64>,
    /// Samples above the last bound of the histogram: counted, never dropped.
    pub overflow: u64,
    /// Samples before the steady state: counted here and in `done`, but not in any figure.
    pub warmup: u64,
    /// Whether `min` and `max` are only the outer bounds of the histogram, because another tool stored no exact extremes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub edges: bool,
    /// The other tool dropped an unknown number of samples at or below this value; absent: it dropped none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u64>,
    /// Exact minimum, unless `edges`; absent without samples.
    pub min: Option<u64>,
    /// Exact sum of all samples; absent without samples, or if another tool stored none.
    pub sum: Option<Sum>,
    /// Mean of all samples; absent without samples, or if another tool stored no sum.
    pub mean: Option<f64>,
    /// Exact maximum, unless `edges`; absent without samples.
    pub max: Option<u64>,
    /// `max - min`.
    pub jitter: Option<u64>,
    /// Quantiles with confidence limits.
    pub quantiles: Vec<Quantile>,
    /// Number of samples per bucket.
    pub histogram: Histogram,
    /// The largest values, largest first.
    pub worst: Vec<Worst>,
    /// Minimum, mean and maximum of successive parts of the phase, for the picture over time.
    pub over_time: Vec<Slice>,
}

/// A response's name with this suffix names the end of its pulse. No line can have such a name, because names of lines have no
/// blanks.
const COMPLETION: &str = " completion";

/// The name of the end of a response's pulse.
pub fn completion_of(response: &str) -> String {
    format!("{response}{COMPLETION}")
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A reader sees rounding if a histogram bucket is wider than its values divided by this number. The buckets of backwall's own
/// histograms are half as wide as that.
const VALUES_PER_CLASS: u64 = 512;

impl Series {
    /// Number of missed stimuli; 0 if unknown.
    pub fn known_missed(&self) -> u64 {
        self.missed.unwrap_or(0)
    }

    /// Stimuli without a response (missed or unseen); `None` if not counted.
    pub fn without_response(&self) -> Option<u64> {
        self.missed.map(|missed| missed.saturating_add(self.unseen))
    }

    /// Missed stimuli that the overload rule did not skip. How late a response to them would have been is unknown.
    pub fn unanswered(&self) -> u64 {
        self.known_missed().saturating_sub(self.skipped)
    }

    /// The quantile `q`, in (0, 1), if the series has it.
    pub fn quantile(&self, q: f64) -> Option<&Quantile> {
        self.quantiles.iter().find(|quantile| (quantile.q - q).abs() < 1e-12)
    }

    /// Whether a quantile with this value is the upper bound of a wide bucket, so that the sample itself may be smaller.
    pub fn is_edge(&self, value: u64) -> bool {
        let class = self.histogram.classes().find(|(low, next, _)| (*low..*next).contains(&value));
        class.is_some_and(|(low, next, _)| {
            let top = if self.max.is_some_and(|max| max < next) { self.max } else { Some(next - 1) };
            Some(value) == top && value - low > value / VALUES_PER_CLASS
        })
    }

    /// Lower and upper bounds of the minimum, then of the maximum. The two bounds are equal if the value is known exactly. With
    /// `edges`, only its class is known. With a threshold, another tool dropped the samples up to it, so the minimum may be as
    /// low as 0.
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

    /// Whether the measured interval ends at the end of a response pulse (completion or run time) instead of its start.
    pub fn completes(&self) -> bool {
        self.to.ends_with(COMPLETION)
    }

    /// Samples in the figures: answered stimuli without the warm-up.
    pub fn counted(&self) -> u64 {
        self.done.saturating_sub(self.warmup)
    }
}

/// A quantile with its 95 % confidence limits from order statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// Level, in (0, 1).
    pub q: f64,
    /// `None`: too few samples.
    pub value: Option<u64>,
    /// Lower limit.
    pub low: Option<u64>,
    /// Upper limit; `None` if there are too few samples for one.
    pub high: Option<u64>,
}

/// `counts[i]` samples lie in `[bounds[i], bounds[i + 1])`. Adjacent empty buckets are stored as one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Bounds of the buckets: one more than `counts`.
    pub bounds: Vec<u64>,
    /// Samples per bucket.
    pub counts: Vec<u64>,
}

/// Number of largest values that a series keeps.
pub const WORST_KEPT: usize = 4_096;

impl Histogram {
    /// Buckets with samples: lower bound, upper bound, count.
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
    /// Who used the time, if analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
}

/// One part of a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Start of this part, in the series' unit since the first stimulus.
    pub at: u64,
    /// Samples in this part.
    pub done: u64,
    /// Missed and unseen stimuli in this part.
    pub missed: u64,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: u64,
}

/// Start point, end point and unit of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where the measured interval starts.
    pub from: String,
    /// Where the measured interval ends.
    pub to: String,
    /// Unit of all values.
    pub unit: Unit,
}

impl Span {
    /// A span from one point to another.
    pub fn new(from: impl Into<String>, to: impl Into<String>, unit: Unit) -> Self {
        Self { from: from.into(), to: to.into(), unit }
    }
}
