// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of the page: one file each, one line each in [`ALL`].
mod group;
mod histogram;
mod legend;
mod loads;
mod over_time;
mod persistence;
mod self_check;
mod stages;
mod tail;

use super::section::Section;
use crate::run::Run;
use group::Group;

/// A figure of a run; `None` where the run has nothing to show in it.
type Figure = fn(&Run) -> Option<Section>;

/// In the order of the page.
const ALL: [Figure; 7] = [
    |run| of_groups(run, "tail", "The tail: how often is a response later than …", tail::INTRO, tail::draw),
    |run| of_groups(run, "histogram", "Histogram: how late the responses are", histogram::INTRO, histogram::draw),
    |run| of_groups(run, "over-time", "Latency over time", over_time::INTRO, over_time::draw),
    |run| of_groups(run, "persistence", "Persistence: as on an oscilloscope", persistence::INTRO, persistence::draw),
    stages::section,
    self_check::section,
    loads::section,
];

/// Every figure the run has something to show in.
pub fn sections(run: &Run) -> Vec<Section> {
    ALL.iter().filter_map(|figure| figure(run)).collect()
}

/// A section with one picture for each group of series that has samples.
fn of_groups(run: &Run, id: &str, title: &str, intro: &str, draw: fn(&Group, &str) -> String) -> Option<Section> {
    let groups = group::groups(run);
    let picture = |(index, group): (usize, &Group)| {
        let id = if index == 0 { format!("{id}-picture") } else { format!("{id}-picture-{}", index + 1) };
        format!("<figure>\n{}{}</figure>\n", group.caption(), draw(group, &id))
    };
    let body: String = groups.iter().enumerate().map(picture).collect();
    (!body.is_empty()).then(|| Section::new(id, title, intro, body))
}
