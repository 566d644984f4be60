// SPDX-License-Identifier: MIT OR Apache-2.0
//! Selects one answer of a line: by its rank or by the number of its stimulus.
use crate::result::GeneratorResult;
use backwall_capture::pairing::{Fate, Pairing};
use backwall_capture::tick::Tick;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The `n`-th largest, from 1. Of equal ones the earlier comes first.
    Worst(usize),
    /// Number of the stimulus, from 0, including warmup.
    Number(usize),
    Median,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    pub line: String,
    /// Number of the stimulus, from 0, including warmup.
    pub number: usize,
    pub from: u64,
    pub to: u64,
}

impl Answer {
    /// Instructions from the stimulus to the answer.
    pub fn latency(&self) -> u64 {
        self.to - self.from
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("line {0:?} did not answer; expected one of {1}")]
    Line(String, String),
    #[error("no stimulus was answered")]
    Nothing,
    #[error("line {line} has no answer {wanted}; expected 1 to {there}")]
    Rank { wanted: usize, line: String, there: usize },
    #[error("line {line} did not answer stimulus {number}, or the run has no stimulus with this number")]
    Unanswered { number: usize, line: String },
}

/// Finds the answer on the line of that name. Without a name, it takes the last line that answered, which is the last in the
/// chain from the stimulus.
///
/// # Errors
/// If there is no such line or no such answer.
pub fn find(judged: &[GeneratorResult], line: Option<&str>, which: Which) -> Result<Answer, NoAnswer> {
    let lines =
        || judged.iter().flat_map(|judged| &judged.answered).filter(|line| line.pairing.answered().next().is_some());
    let name_of = |line: &backwall_capture::wiring::Answered| line.series.key.name.clone();
    let found = match line {
        Some(wanted) => lines().find(|line| line.series.key.name == wanted),
        None => lines().next_back(),
    };
    let found = found.ok_or_else(|| match line {
        Some(wanted) => NoAnswer::Line(wanted.to_string(), lines().map(name_of).collect::<Vec<_>>().join(", ")),
        None => NoAnswer::Nothing,
    })?;
    of_pairing(&found.pairing, &name_of(found), which)
}

fn of_pairing(pairing: &Pairing, line: &str, which: Which) -> Result<Answer, NoAnswer> {
    let answer = |number: usize, latency: Tick| {
        let from = pairing.stimuli[number].0;
        Answer { line: line.to_string(), number, from, to: from + latency.0 }
    };
    let mut answered = pairing.nearest.fates().enumerate().filter_map(|(number, fate)| match fate {
        Fate::Answered(latency) => Some((number, latency)),
        Fate::Lost | Fate::Cut => None,
    });
    if let Which::Number(wanted) = which {
        let found = answered.find(|(number, _)| *number == wanted);
        let missing = NoAnswer::Unanswered { number: wanted, line: line.to_string() };
        return found.map(|(number, latency)| answer(number, latency)).ok_or(missing);
    }
    let mut measured: Vec<(usize, Tick)> = answered.filter(|(number, _)| pairing.measured().contains(number)).collect();
    measured.sort_by_key(|(number, latency)| (std::cmp::Reverse(*latency), *number));
    let there = measured.len();
    let rank = match which {
        Which::Worst(rank) => rank,
        Which::Median | Which::Number(_) => there / 2 + 1,
    };
    let found = rank.checked_sub(1).and_then(|rank| measured.get(rank));
    let missing = NoAnswer::Rank { wanted: rank, line: line.to_string(), there };
    found.map(|(number, latency)| answer(*number, *latency)).ok_or(missing)
}
