// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who used the time of the worst responses, phase by phase, and what to change.
use super::stages::phase;
use crate::phrase;
use crate::section::Section;
use crate::trace::words::share;
use crate::trace::{accused, cause as words};
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{CauseTotal, Run, Stages};
use maud::{Markup, html};

const INTRO: &str = "The kernel's trace says what the processor did during the worst responses. Each cause is counted over \
     all of them together; tracing takes time, so these phases are not those of the figures.";

/// Causes that have a row; the others are one row together.
const MOST: usize = 8;

pub fn section(run: &Run) -> Option<Section> {
    let phases: Vec<&Stages> = run
        .stages
        .iter()
        .filter(|stages| !stages.causes.is_empty() || phrase::blames(stages).next().is_some())
        .collect();
    let body = html! { @for stages in &phases { (one(stages)) } };
    (!phases.is_empty()).then(|| Section::new("blame", "Who used the time", INTRO, body))
}

fn one(stages: &Stages) -> Markup {
    let whole: u64 = stages.causes.iter().fold(0, |sum, cause| sum.saturating_add(cause.ns));
    let ranked = stages.ranked();
    let (shown, rest) = ranked.split_at(ranked.len().min(MOST));
    let rest = rest.iter().fold(0u64, |sum, cause| sum.saturating_add(cause.ns));
    html! {
        h3 { "The " (grouped(stages.blamed)) " worst traced, " (phase(stages)) }
        @if whole > 0 {
            div class="wide" {
                table {
                    thead { tr { th { "cause" } th class="r" { "largest in" } th class="r" { "time" } th class="r" { "share of time" } th { "what to change" } } }
                    tbody {
                        @for cause in shown { (row(cause, whole)) }
                        @if rest > 0 {
                            tr {
                                td { (grouped((stages.causes.len() - MOST) as u64)) " more" }
                                td {} td class="r" { (DisplayedValue(rest, Unit::Ns).to_string()) } td class="r" { (share(rest, whole)) } td {}
                            }
                        }
                    }
                }
            }
        }
        @if phrase::blames(stages).next().is_some() {
            p { "The worst of them, each divided:" }
            ul { @for sentence in phrase::blames(stages) { li { (sentence) } } }
        }
    }
}

fn row(cause: &CauseTotal, whole: u64) -> Markup {
    html! {
        tr {
            td { (accused::total(cause)) }
            td class="r" { (grouped(cause.largest_in)) }
            td class="r" { (DisplayedValue(cause.ns, Unit::Ns).to_string()) }
            td class="r" { (share(cause.ns, whole)) }
            td { (words::advice_of(cause)) }
        }
    }
}
