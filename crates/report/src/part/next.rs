// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to do next: what to change on this machine, with commands, and which command to run next.
use crate::brief::{self, Next};
use crate::section::Section;
use crate::trace::accused;
use crate::trace::cause::remedy;
use crate::trace::remedy::Machine;
use crate::verdict;
use backwall_model::Run;
use maud::{Markup, html};

const MOST: usize = 3;

pub fn section(run: &Run) -> Option<Section> {
    let changes = changes(run);
    let next = match brief::next_command(run, ".") {
        Some(Next::Command(command)) => Some(command),
        _ => None,
    };
    let commands: Vec<String> = next.into_iter().chain(brief::other_commands(run, ".")).collect();
    let body = html! {
        @if !changes.is_empty() { ol { @for text in &changes { li { (change(text)) } } } }
        @if !commands.is_empty() {
            p { "In this page's folder:" }
            pre { @for command in &commands { (command) "\n" } }
        }
    };
    (!changes.is_empty() || !commands.is_empty()).then(|| Section::new("next", "What to do next", "", body))
}

/// The changes that the verdict proposes, then those for the first cause of each phase, without duplicates.
fn changes(run: &Run) -> Vec<String> {
    let mut found: Vec<String> = verdict::changes(run).into_iter().map(|change| change.text).collect();
    if verdict::is_fine(run) || !run.valid {
        return found;
    }
    for stages in &run.stages {
        let Some(most) = accused::by_label(stages).into_iter().next() else { continue };
        let text = remedy(most.accused.cause, most.accused.culprit.as_ref(), &Machine::of_phase(run, &stages.key));
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found.truncate(MOST);
    found
}

fn change(text: &str) -> Markup {
    let (sentence, commands) = text.split_once('\n').unwrap_or((text, ""));
    html! { (sentence) "." @if !commands.is_empty() { pre { (commands) } } }
}
