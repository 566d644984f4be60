// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of the page: one file each, one line each in `FIRST` or `FOLDED`.
mod forecast;
mod group;
mod histogram;
mod legend;
mod loads;
mod over_time;
mod persistence;
mod self_check;
pub mod several;
mod stages;
mod tail;
mod trend;
pub mod why;
mod worst;

use super::section::Section;
use backwall_model::Run;
use group::Group;
use maud::{Markup, html};

type Figure = fn(&Run) -> Option<Section>;

const FIRST: [Figure; 2] = [
    |run| of_groups(run, "over-time", "Latency over time", over_time::INTRO, over_time::draw),
    |run| of_groups(run, "tail", "The tail: how often is a response later than …", tail::INTRO, tail::draw),
];

const FOLDED: [Figure; 6] = [
    |run| of_groups(run, "histogram", "Histogram: how late the responses are", histogram::INTRO, histogram::draw),
    |run| of_groups(run, "persistence", "Persistence: as on an oscilloscope", persistence::INTRO, persistence::draw),
    forecast::section,
    stages::section,
    self_check::section,
    loads::section,
];

pub fn sections(run: &Run) -> Vec<Section> {
    FIRST.iter().filter_map(|figure| figure(run)).collect()
}

pub fn folded(run: &Run) -> Vec<Section> {
    FOLDED.iter().filter_map(|figure| figure(run)).map(Section::folded).collect()
}

fn of_groups(run: &Run, id: &str, title: &str, intro: &str, draw: fn(&Group, &str) -> Markup) -> Option<Section> {
    let groups = group::groups(run);
    let body = html! {
        @for (index, group) in groups.iter().enumerate() {
            figure { @if let Some(caption) = group.caption() { (caption) } (draw(group, &numbered(&format!("{id}-picture"), index))) }
        }
    };
    (!groups.is_empty()).then(|| Section::new(id, title, intro, body))
}

/// The anchor of the first, second … picture of a kind: `tail-picture`, `tail-picture-2`.
pub(super) fn numbered(id: &str, index: usize) -> String {
    if index == 0 { id.to_string() } else { format!("{id}-{}", index + 1) }
}
