// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts about the machine: one row per setting, with its meaning and how to change it.
use super::conditions::plain;
use crate::phrase;
use crate::section::Section;
use backwall_model::{Check, CheckVerdict, Run};
use maud::{Markup, html};

pub fn section(run: &Run) -> Option<Section> {
    let environment = &run.environment;
    if !environment.was_read() && environment.more.is_empty() {
        return None;
    }
    let body = html! {
        @if !environment.checks.is_empty() { (table(&environment.checks)) }
        @if !environment.more.is_empty() {
            dl { @for (name, value) in &environment.more { dt { (name) } dd { (plain(value)) } } }
        }
    };
    Some(Section::new("environment", "The machine", intro(run), body))
}

fn table(checks: &[Check]) -> Markup {
    html! {
        div class="wide" {
            table id="checks-table" {
                thead { tr { th { "setting" } th {} th { "found" } th { "why it matters, and what to do" } } }
                tbody { @for check in checks { (row(check)) } }
            }
        }
    }
}

fn intro(run: &Run) -> String {
    if !run.environment.was_read() {
        return String::new();
    }
    let throttled = if run.environment.throttled {
        " Real-time throttling or a fair server may take the CPU from a thread that does not sleep."
    } else {
        ""
    };
    let steal = phrase::steal(run.environment.steal_ticks);
    format!("During the run: {steal}.{throttled}")
}

fn row(check: &Check) -> Markup {
    let fine = (check.verdict == CheckVerdict::Good).then_some("fine");
    html! {
        tr class=[fine] {
            th scope="row" { (check.name) }
            td { (badge(check.verdict)) }
            td { code { (check.value) } }
            td { (check.why) @if !check.fix.is_empty() { small { @for line in check.fix.lines() { (line) br; } } } }
        }
    }
}

fn badge(verdict: CheckVerdict) -> Markup {
    let (class, word) = match verdict {
        CheckVerdict::Good => ("badge good", "good"),
        CheckVerdict::Note => ("badge note", "note"),
        CheckVerdict::Bad => ("badge bad", "bad"),
        CheckVerdict::Unknown => ("badge", "unknown"),
    };
    html! { span class=(class) { (word) } }
}
