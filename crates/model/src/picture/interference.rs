// SPDX-License-Identifier: MIT OR Apache-2.0
//! One program's parts alone and together, or one way of doing a thing beside another: times by turns, and their ratio.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// The cases that were measured, and those that could not be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interference {
    /// In the order of the tables; those whose forms have the same names stand below one head.
    pub cases: Vec<Case>,
    /// What was not measured, each with its reason.
    pub absent: Vec<String>,
}

/// Forms that were timed by turns. The figures of each are the series of its name whose variant tells experiment and case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// `sieve`, `throughput`, `browser`.
    pub experiment: String,
    /// What tells it from the others of its experiment, in one word.
    pub name: String,
    /// As it is shown.
    pub title: String,
    /// What is set beside what, in words: `the whole beside the sum of its parts`.
    pub compared: String,
    /// Unit of every time in it.
    pub unit: Unit,
    /// What a reader must know of its circumstances; may be empty.
    pub conditions: String,
    /// Each was timed once in every round, in an order drawn anew for each.
    pub forms: Vec<Form>,
    /// The forms whose times are added above the line of the ratio.
    pub above: Vec<String>,
    /// Those below it.
    pub below: Vec<String>,
    /// Over the rounds; absent without any.
    pub ratio: Option<Ratio>,
    /// A ratio nearer to one than this is no difference that matters; absent of runs that were not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    /// Bytes that a form moves, where it moves any.
    pub bytes: Option<u64>,
    /// Processor time over all rounds, by who used it.
    pub processor: Vec<ProcessorUse>,
    /// What the newsgroup post says of the same.
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

/// Processor time of one of those who took part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorUse {
    /// Who.
    pub who: String,
    /// Over all rounds together.
    pub time: u64,
}

/// What the newsgroup post has, which is of another machine and another system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PostFigures {
    /// Its figures with their units.
    pub text: String,
    /// The same ratio of its figures, where they give one.
    pub ratio: Option<f64>,
    /// Whether its figures only say that the ratio is above this.
    pub at_least: bool,
}

impl Case {
    /// The keys of a series' variant that hold experiment and case.
    pub const EXPERIMENT: &str = "experiment";
    /// See [`Case::EXPERIMENT`].
    pub const CASE: &str = "case";

    /// Rounds that were measured whole.
    pub fn rounds(&self) -> usize {
        self.forms.iter().map(|form| form.times.len()).min().unwrap_or(0)
    }
}
