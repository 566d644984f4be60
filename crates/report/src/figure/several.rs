// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several runs in one picture: the tails of one series, overlaid, and its figures from run to run.
use super::group::Group;
use super::{numbered, tail, trend};
use crate::section::Section;
use backwall_model::{Key, Run, Series};
use maud::html;

const MOST_TAILS: usize = 8;
const FEWEST: usize = 3;

const TAILS: &str = "Each curve is the same series of another run; nothing is pooled. Choose a latency on the axis \
    below: the height of a curve is the share of its run's responses that came that late or later. With more than \
    eight runs, the picture shows the first and the last seven.";

/// The series that at least two runs have, each with those runs in their order.
fn common<'a>(runs: &[(&'a str, &'a Run)]) -> Vec<(&'a Key, Vec<(&'a str, &'a Series)>)> {
    let mut found: Vec<(&Key, Vec<(&str, &Series)>)> = Vec::new();
    for (name, run) in runs {
        for series in run.series.iter().filter(|series| series.max.is_some() && !series.completes()) {
            let same =
                |other: &&mut (&Key, Vec<(&str, &Series)>)| *other.0 == series.key && other.1[0].1.unit == series.unit;
            match found.iter_mut().find(same) {
                Some((_, all)) => all.push((*name, series)),
                None => found.push((&series.key, vec![(*name, series)])),
            }
        }
    }
    found.retain(|(_, all)| all.len() > 1);
    found
}

/// Sections for the page of several runs, in time order; none without a common series.
pub fn sections(runs: &[(&str, &Run)]) -> Vec<Section> {
    let common = common(runs);
    if common.is_empty() {
        return Vec::new();
    }
    let tails = html! {
        @for (index, (key, all)) in common.iter().enumerate() {
            figure { h3 { (key) } (tail::draw(&overlaid(all), &numbered("overlaid-picture", index))) }
        }
    };
    let trends = html! {
        @for (index, (key, all)) in common.iter().filter(|(_, all)| all.len() >= FEWEST).enumerate() {
            figure { h3 { (key) } (trend::draw(all, &numbered("trend-picture", index))) }
        }
    };
    let mut sections = vec![Section::new("overlaid", "The tails over each other", TAILS, tails)];
    if common.iter().any(|(_, all)| all.len() >= FEWEST) {
        sections.push(Section::new("trend", "From run to run", trend::INTRO, trends));
    }
    sections
}

fn overlaid<'a>(all: &[(&'a str, &'a Series)]) -> Group<'a> {
    let last = all.len().saturating_sub(MOST_TAILS - 1).max(1);
    let shown = all.iter().enumerate().filter(|(index, _)| *index == 0 || *index >= last).map(|(_, one)| *one);
    Group::of_runs(shown.collect())
}
