// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program's parts alone and together, or one way against another: alternating times, and their ratio.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// Measured cases, and those that could not be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interference {
    /// In table order; cases with the same form names share a header.
    pub cases: Vec<Case>,
    /// What was not measured, each with its reason.
    pub absent: Vec<String>,
}

/// Forms timed in turn. Their figures are series whose variant names experiment and case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// `sieve`, `throughput`, `browser`.
    pub experiment: String,
    /// Its one-word name within the experiment.
    pub name: String,
    /// As it is shown.
    pub title: String,
    /// What is compared, in words: `the whole next to the sum of its parts`.
    pub compared: String,
    /// Unit of every time in it.
    pub unit: Unit,
    /// Notes on its circumstances; may be empty.
    pub conditions: String,
    /// Each was timed once in every round, in an order drawn anew for each.
    pub forms: Vec<Form>,
    /// Forms whose times are added in the ratio's numerator.
    pub above: Vec<String>,
    /// Those below it.
    pub below: Vec<String>,
    /// Over the rounds; absent without any.
    pub ratio: Option<Ratio>,
    /// A ratio closer to one does not matter; absent in runs without this setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    /// Bytes that a form moves, if any.
    pub bytes: Option<u64>,
    /// CPU time over all rounds, by participant.
    pub processor: Vec<ProcessorUse>,
    /// The newsgroup post's figures for the same.
    pub published: Option<PostFigures>,
}

impl Case {
    /// The ratio of each round, sorted; rounds in which nothing below the line took time have none.
    #[must_use]
    pub fn ratios(&self) -> Vec<f64> {
        round_ratios(&self.forms, &self.above, &self.below)
    }
}

/// The times of the forms `above` over those of the forms `below`, round by round, sorted.
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

/// One way of doing it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// `compute`, `zeros` …
    pub name: String,
    /// Its time in each round.
    pub times: Vec<u64>,
}

/// The median of the ratios of the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Half of the rounds are above it.
    pub median: f64,
    /// Its limits at 95 %, from the ranks of the rounds; absent of fewer than six.
    pub limits: Option<[f64; 2]>,
}

/// CPU time of one participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorUse {
    /// Who.
    pub who: String,
    /// Over all rounds together.
    pub time: u64,
}

/// The newsgroup post's figures, from another machine and system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PostFigures {
    /// Its figures with their units.
    pub text: String,
    /// The same ratio from its figures, if given.
    pub ratio: Option<f64>,
    /// Whether its figures only give a lower bound of the ratio.
    pub at_least: bool,
}

impl Case {
    /// Variant keys of a series: experiment and case.
    pub const EXPERIMENT: &str = "experiment";
    /// See [`Case::EXPERIMENT`].
    pub const CASE: &str = "case";

    /// Rounds that were measured whole.
    pub fn rounds(&self) -> usize {
        self.forms.iter().map(|form| form.times.len()).min().unwrap_or(0)
    }
}
