// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fate of a task set's jobs, as text.
use super::tasks::{attack, beyond, blamed, calibration, conditions, instants, misses, of, sentence, table};
use super::text::{requirements, unproved};
use super::warnings::{Folded, folded};
use super::wrap::wrapped;
use backwall_model::{Run, Warning};

/// The sentence, the table, the misses with their causes, and the part of the response to reduce, in lines of at most
/// `columns`.
pub fn text(run: &Run, columns: usize) -> String {
    let Some(set) = of(run) else { return String::new() };
    let lines = |text: String| if text.is_empty() { text } else { wrapped(&text, columns) };
    let each = |text: String| text.lines().map(|line| wrapped(line, columns)).collect::<String>();
    // The first line says what invalidates the run.
    let told = unproved(run);
    let is_new = |kind: &&Folded| kind.first.kind != Warning::NO_EVIDENCE || !told.contains(&kind.first.text);
    let warnings = folded(run);
    let warnings = warnings.iter().filter(is_new).map(|kind| format!("warning: {}{}\n", kind.first, kind.like()));
    let warnings = warnings.collect();
    let parts = [
        lines(told.clone()),
        lines(sentence(run).unwrap_or_default()),
        lines(conditions(run)),
        table(run, set, columns),
        lines(beyond(run, set).unwrap_or_default()),
        set.tasks.iter().filter_map(misses).map(lines).collect(),
        set.tasks.iter().flat_map(|task| blamed(run, task)).map(lines).collect(),
        lines(instants(set).unwrap_or_default().to_string()),
        lines(calibration(set).unwrap_or_default()),
        lines(attack(run, set).unwrap_or_default()),
        each(requirements(run)),
        each(warnings),
    ];
    parts.concat()
}
