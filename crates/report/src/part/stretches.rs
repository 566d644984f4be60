// SPDX-License-Identifier: MIT OR Apache-2.0
//! When an incomplete or resumed run was measured: its sessions and the gaps between them.
use crate::axis::short_time;
use crate::section::Section;
use backwall_model::{Ending, InvalidPhase, MeasuredPhase, Run, Session};
use maud::{Markup, html};

const INTRO: &str = "A session is a part of the measurement without a gap. No figure covers the gaps. backwall merges the figures of all sessions exactly, as if there were one session.";

pub fn section(run: &Run) -> Option<Section> {
    if run.sessions.len() < 2 && run.unfinished().is_none() {
        return None;
    }
    let body = html! {
        div class="wide" {
            table id="stretches-table" {
                thead {
                    tr {
                        th { "session" } th { "began" } th { "until" } th class="r" { "length" } th class="r" { "gap before it" }
                        th { "how it ended" } th { "measured" } th { "kernel" }
                    }
                }
                tbody { @for (index, stretch) in run.sessions.iter().enumerate() { (row(index, stretch)) } }
            }
        }
    };
    Some(Section::new("stretches", "When it was measured", INTRO, body))
}

fn row(index: usize, stretch: &Session) -> Markup {
    let gap = match (index, stretch.gap_seconds) {
        (0, _) => "-".to_string(),
        (_, Some(gap)) => short_time(gap * 1e9),
        (_, None) => "unknown, because the clock was set back".to_string(),
    };
    let ending = match stretch.ending {
        Some(Ending::Done) => "all was measured",
        Some(Ending::Interrupted) => "interrupted",
        Some(Ending::Limit) => "a response crossed --stop-above",
        None => "cut off, or still in progress",
    };
    let kernel = stretch.conditions.get("kernel").map_or("-", |version| version.split(" (").next().unwrap_or(version));
    html! {
        tr {
            th scope="row" { (index + 1) }
            td { (stretch.started) }
            td { (stretch.until) }
            td class="r" { (short_time(stretch.seconds * 1e9)) }
            td class="r" { (gap) }
            td { (ending) }
            td { @for phase in &stretch.phases { (of_phase(phase)) br; } }
            td { (kernel) }
        }
    }
}

fn of_phase(phase: &MeasuredPhase) -> String {
    let MeasuredPhase { measure, load, idle, traced, ns } = phase;
    let place = InvalidPhase { load: load.clone(), idle: idle.clone(), traced: *traced };
    format!("{measure}, {place}: {}", short_time(*ns as f64))
}
