// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the maximum of a longer run can't be estimated.
use backwall_model::units::grouped;
use std::fmt;

/// The reason, and what the user can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The series does not contain the order of the samples.
    NoOrder,
    /// The tool dropped samples at or below a threshold.
    Threshold {
        /// The threshold.
        limit: u64,
    },
    /// Too few samples.
    TooFew {
        /// Number of samples.
        samples: u64,
        /// Minimum number of samples.
        needed: u64,
    },
    /// A recording lost events, and the largest sample may be among them.
    Unseen {
        /// Number of samples whose events were lost.
        samples: u64,
    },
    /// The largest samples are at the end of the recorder's range.
    CutOff {
        /// The limit's value.
        limit: u64,
        /// Number of samples at or beyond the limit.
        samples: u64,
    },
    /// The clock is so coarse that most of the largest samples are equal.
    Coarse {
        /// Number of different values among the largest samples.
        values: usize,
        /// Number of the largest samples that were examined.
        among: usize,
    },
    /// The largest samples come from a few bursts.
    Bursts {
        /// Number of bursts.
        bursts: usize,
        /// Number of the largest samples in these bursts.
        samples: usize,
    },
    /// Large samples are closer together than by chance, in bursts of different lengths.
    Crowded,
    /// The rate or size of the large samples changed during the run.
    Drift,
    /// A periodic disturbance.
    Periodic {
        /// The period in stimuli.
        stimuli: f64,
        /// The period in nanoseconds, if times are known.
        period_ns: Option<f64>,
    },
    /// No single law describes the largest samples.
    TwoRegimes,
    /// Block maxima and peaks over a threshold give different results.
    Disagree {
        /// The median maximum by block maxima.
        by_blocks: u64,
        /// The median maximum by peaks over threshold.
        by_peaks: u64,
    },
    /// The shape of the tail is too uncertain.
    Uncertain,
    /// The horizon is too many times as long as the run.
    TooFar {
        /// The horizon divided by the length of the run.
        times: f64,
        /// Maximum allowed multiple.
        most: f64,
    },
}

impl Refusal {
    /// A short name of the reason, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoOrder => "no-order",
            Self::Threshold { .. } => "threshold",
            Self::TooFew { .. } => "too-few",
            Self::Unseen { .. } => "unseen",
            Self::CutOff { .. } => "cut-off",
            Self::Coarse { .. } => "coarse",
            Self::Bursts { .. } | Self::Crowded => "bursts",
            Self::Drift => "drift",
            Self::Periodic { .. } => "periodic",
            Self::TwoRegimes => "two-regimes",
            Self::Disagree { .. } => "disagree",
            Self::Uncertain => "uncertain",
            Self::TooFar { .. } => "too-far",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOrder => write!(
                f,
                "the file has a histogram only, not the order of the samples; keep every sample: backwall run \
                    --keep-samples"
            ),
            Self::Threshold { limit } => write!(
                f,
                "only samples above {} are known, not how many were below; keep every sample: backwall run --keep-samples",
                shown(*limit as f64)
            ),
            Self::TooFew { samples, needed } => {
                write!(f, "{} samples are too few, {} are needed; measure longer", grouped(*samples), grouped(*needed))
            }
            Self::Unseen { samples } => write!(
                f,
                "the recording lost the events of {} samples, and the largest may be among them; record with larger buffers",
                grouped(*samples)
            ),
            Self::CutOff { limit, samples } => write!(
                f,
                "{} samples lie at the end of the recorder's range, {}; measure with a larger range",
                grouped(*samples),
                grouped(*limit)
            ),
            Self::Coarse { values, among } => write!(
                f,
                "the clock is too coarse: {values} different values among the largest {among} samples; use a finer clock"
            ),
            Self::Bursts { bursts, samples } => write!(
                f,
                "bursts: the largest {samples} samples come from {bursts} bursts; find their cause with backwall blame"
            ),
            Self::Crowded => write!(
                f,
                "bursts: large samples are closer together than chance explains; find their cause with backwall blame"
            ),
            Self::Drift => {
                write!(
                    f,
                    "drift: the rate or size of large samples changed during the run; measure under steady conditions"
                )
            }
            Self::Periodic { stimuli, period_ns } => {
                let every = period_ns.map_or_else(|| format!("{stimuli:.0} samples"), shown);
                write!(f, "a periodic disturbance: large samples come every {every}; remove it or measure without it")
            }
            Self::TwoRegimes => write!(
                f,
                "two regimes: no single law fits the largest samples; separate their causes with backwall blame"
            ),
            Self::Disagree { by_blocks, by_peaks } => write!(
                f,
                "the methods disagree: block maxima give {}, peaks over threshold {}; measure longer",
                grouped(*by_blocks),
                grouped(*by_peaks)
            ),
            Self::Uncertain => write!(f, "the shape of the tail is too uncertain; measure longer"),
            Self::TooFar { times, most } => write!(
                f,
                "the horizon is {times:.0} times as long as the run; the limit is {most:.0} times; measure {:.1} times \
                    as long",
                times / most
            ),
        }
    }
}

impl std::error::Error for Refusal {}

fn shown(ns: f64) -> String {
    match ns {
        1e9.. => format!("{:.3} s", ns / 1e9),
        1e6.. => format!("{:.3} ms", ns / 1e6),
        _ => format!("{:.3} us", ns / 1e3),
    }
}
