// SPDX-License-Identifier: MIT OR Apache-2.0
//! Selects the series that share a picture: those of one unit if there are few, otherwise those of one name.
use crate::brief;
use crate::interference;
use crate::osbench;
use crate::paper;
use crate::phrase;
use crate::tasks;
use backwall_model::units::Unit;
use backwall_model::{Run, Series};
use maud::{Markup, html};

/// Series in one picture, each with its place in the palette. There is at least one, and all have samples.
pub struct Group<'a> {
    pub unit: Unit,
    pub series: Vec<&'a Series>,
    names: Vec<String>,
    alone: bool,
}

const MOST_CURVES: usize = 6;

pub fn groups(run: &Run) -> Vec<Group<'_>> {
    // Runs of these kinds have their own pictures and tables.
    if osbench::is_of(run) || tasks::of(run).is_some() || interference::of(run).is_some() || paper::is_of_events(run) {
        return Vec::new();
    }
    // Response ends have their own pictures.
    let shown: Vec<&Series> = run.series.iter().filter(|series| series.max.is_some() && !series.completes()).collect();
    let few = |unit: Unit| shown.iter().filter(|series| series.unit == unit).count() <= MOST_CURVES;
    let mut groups: Vec<Group> = Vec::new();
    for series in &shown {
        let belongs = |group: &&mut Group| {
            group.unit == series.unit && (few(series.unit) || group.series[0].key.name == series.key.name)
        };
        match groups.iter_mut().find(belongs) {
            Some(group) => group.series.push(series),
            None => groups.push(Group { unit: series.unit, series: vec![series], names: Vec::new(), alone: false }),
        }
    }
    let alone = groups.len() == 1;
    for group in &mut groups {
        (group.names, group.alone) = (names(run, &group.series), alone);
    }
    groups
}

/// The number of samples in a series' histogram. The sum saturates, because a file may hold impossible counts.
pub fn counted(series: &Series) -> u64 {
    series.histogram.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

/// The names of the phases as in the page's tables, after the name of the series if these differ.
fn names(run: &Run, all: &[&Series]) -> Vec<String> {
    let several = all.iter().any(|series| series.key.name != all[0].key.name);
    let name = |series: &&Series| {
        let phase = brief::phase_name(run, &series.key);
        if several { format!("{}, {phase}", series.key.name) } else { phase }
    };
    all.iter().map(name).collect()
}

impl<'a> Group<'a> {
    /// One series from several runs; each curve has the name of its run.
    ///
    /// # Panics
    /// If `runs` is empty.
    pub fn of_runs(runs: Vec<(&'a str, &'a Series)>) -> Self {
        let (names, series): (Vec<String>, Vec<&Series>) =
            runs.into_iter().map(|(name, series)| (name.to_string(), series)).unzip();
        Self { unit: series[0].unit, series, names, alone: true }
    }

    /// The name of the curve at an index: its run or its phase, plus the series name if the group has several.
    pub fn label(&self, index: usize) -> String {
        self.names[index].clone()
    }

    pub fn class(index: usize) -> String {
        format!("c{}", index % CURVE_CLASSES)
    }

    pub fn caption(&self) -> Option<Markup> {
        let mut names: Vec<&str> = self.series.iter().map(|series| series.key.name.as_str()).collect();
        names.dedup();
        (!self.alone).then(|| html! { h3 { (names.join(", ")) } })
    }

    pub fn axis_title(&self) -> String {
        let mut names: Vec<String> = self.series.iter().map(|series| phrase::from_to(series)).collect();
        names.sort();
        names.dedup();
        let what = if names.len() == 1 { format!("latency, {}", names[0]) } else { "latency".to_string() };
        match self.unit {
            Unit::Ns => what,
            Unit::Instructions => format!("{what}, in executed instructions"),
        }
    }

    /// The smallest value of all series, and a little more than the largest.
    pub fn range(&self) -> (f64, f64) {
        let low = self.series.iter().filter_map(|series| series.min).min().unwrap_or(0);
        let high = self.series.iter().filter_map(|series| series.max).max().unwrap_or(0);
        // Leave room, so that the edge at the maximum does not merge with the frame.
        (low.max(1) as f64, high.max(1) as f64 * 1.06)
    }
}

const CURVE_CLASSES: usize = 8;
