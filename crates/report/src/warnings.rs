// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warnings as a person reads them: those that are alike told once, those that make figures no evidence first.
use run::Run;
use std::collections::BTreeSet;
use units::grouped;

/// Warnings that say one thing, of several phases or with several figures.
pub struct Folded<'a> {
    /// The first of them.
    pub first: &'a str,
    /// The others, in their order.
    pub others: Vec<&'a str>,
    /// Whether they make figures no evidence.
    pub spoils: bool,
}

impl Folded<'_> {
    /// How many more are like the first, as the end of its line; empty without any.
    pub fn like(&self) -> String {
        match self.others.len() {
            0 => String::new(),
            1 => " (and one more like it)".to_string(),
            more => format!(" (and {} more like it)", grouped(more as u64)),
        }
    }
}

/// The warnings of a run by what they say, whatever phase and figures they say it of; what spoils the evidence first.
pub fn folded(run: &Run) -> Vec<Folded<'_>> {
    let names = names(run);
    let mut found: Vec<(String, Folded<'_>)> = Vec::new();
    for warning in &run.warnings {
        let shape = shape(warning, &names);
        match found.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, folded)) => folded.others.push(warning),
            None => {
                let spoils = warning.starts_with(run::NO_EVIDENCE);
                found.push((shape, Folded { first: warning, others: Vec::new(), spoils }));
            }
        }
    }
    found.sort_by_key(|(_, folded)| !folded.spoils);
    found.into_iter().map(|(_, folded)| folded).collect()
}

/// What the phases of a run are called, the longest first: a warning that differs in these alone says the same.
fn names(run: &Run) -> Vec<String> {
    let keys = run.series.iter().map(|series| &series.key).chain(run.stages.iter().map(|stages| &stages.key));
    let of = |key: &run::Key| [key.to_string(), key.load.clone(), key.idle.clone()];
    let loads = run.loads.iter().map(|load| load.name.clone());
    let all: BTreeSet<String> = keys.flat_map(of).chain(loads).filter(|name| !name.is_empty()).collect();
    let mut all: Vec<String> = all.into_iter().collect();
    all.sort_by_key(|name| std::cmp::Reverse(name.len()));
    all
}

/// The words of a warning without its figures, the names of phases, and what stands in brackets behind the name of a series.
fn shape(warning: &str, names: &[String]) -> String {
    let of_several = names.iter().filter(|name| name.contains(' '));
    let text = of_several.fold(warning.to_string(), |text, name| text.replace(name.as_str(), "*"));
    let mut pieces = text.split('[');
    let first = pieces.next().unwrap_or_default().to_string();
    let text = pieces.fold(first, |text, piece| text + "[" + piece.split_once(']').map_or(piece, |(_, rest)| rest));
    let without = |word: &str| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-');
        match names.iter().any(|name| name == bare) || bare.starts_with(|letter: char| letter.is_ascii_digit()) {
            true => word.replace(bare, "*"),
            false => word.to_string(),
        }
    };
    text.split_whitespace().map(without).collect::<Vec<_>>().join(" ")
}
