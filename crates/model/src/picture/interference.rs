// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times of a program's parts, alone and together, or of several ways to do the same work. They are measured in turns; the result
//! is a ratio of times.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// Measured cases, and cases that could not be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interference {
    /// In table order. Cases whose forms have the same names share a header.
    pub cases: Vec<Case>,
    /// Cases that were not measured, each with the reason.
    pub absent: Vec<String>,
}

/// The forms of one piece of work, timed in turns. Each form's figures are a series of the run, whose variant names experiment
/// and case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// `sieve`, `throughput`, `browser`.
    pub experiment: String,
    /// One-word name of the case, unique in its experiment.
    pub name: String,
    /// Title of the case in tables.
    pub title: String,
    /// The comparison in words: `the whole compared with the sum of its parts`.
    pub compared: String,
    /// Unit of all times.
    pub unit: Unit,
    /// Notes on the conditions; may be empty.
    pub conditions: String,
    /// Each form was timed once per round, in a new random order each round.
    pub forms: Vec<Form>,
    /// Names of the forms whose times are added up in the ratio's numerator.
    pub above: Vec<String>,
    /// Names of the forms whose times are added up in the ratio's denominator.
    pub below: Vec<String>,
    /// The ratio over all rounds; absent if there is none.
    pub ratio: Option<Ratio>,
    /// Relative difference from 1 below which a ratio does not matter; absent in older runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    /// Bytes that a form moves; absent if it moves none.
    pub bytes: Option<u64>,
    /// CPU time over all rounds, one entry per thread or program.
    pub processor: Vec<ProcessorUse>,
    /// The newsgroup post's figures for the same case.
    pub published: Option<PostFigures>,
}

impl Case {
    /// The ratio of each round, sorted. A round without time in the denominator has none.
    #[must_use]
    pub fn ratios(&self) -> Vec<f64> {
        round_ratios(&self.forms, &self.above, &self.below)
    }
}

/// For each round: the times of the forms `above` divided by those of the forms `below`. Sorted.
#[must_use]
pub fn round_ratios(forms: &[Form], above: &[String], below: &[String]) -> Vec<f64> {
    let rounds = forms.iter().map(|form| form.times.len()).min().unwrap_or(0);
    let sum = |names: &[String], round: usize| -> u64 {
        let times = forms.iter().filter(|form| names.contains(&form.name)).map(|form| form.times[round]);
        times.fold(0, u64::saturating_add)
    };
    let pairs = (0..rounds).map(|round| (sum(above, round), sum(below, round))).filter(|(_, below)| *below > 0);
    let mut ratios: Vec<f64> = pairs.map(|(above, below)| above as f64 / below as f64).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// One way of doing the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// `compute`, `zeros` …
    pub name: String,
    /// The form's time in each round.
    pub times: Vec<u64>,
}

/// The median ratio of all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Median of the rounds' ratios.
    pub median: f64,
    /// 95 % confidence limits from the ranks of the rounds; absent for fewer than six rounds.
    pub limits: Option<[f64; 2]>,
}

/// CPU time of one participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorUse {
    /// Name of the thread or program.
    pub who: String,
    /// CPU time over all rounds.
    pub time: u64,
}

/// The newsgroup post's figures, from another machine and another operating system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PostFigures {
    /// The post's figures with their units.
    pub text: String,
    /// The same ratio computed from the post's figures, if they allow it.
    pub ratio: Option<f64>,
    /// Whether the post's figures give only a lower bound of the ratio.
    pub at_least: bool,
}

impl Case {
    /// Variant key: the experiment.
    pub const EXPERIMENT: &str = "experiment";
    /// Variant key: the case.
    pub const CASE: &str = "case";

    /// Number of complete rounds.
    pub fn rounds(&self) -> usize {
        self.forms.iter().map(|form| form.times.len()).min().unwrap_or(0)
    }
}
