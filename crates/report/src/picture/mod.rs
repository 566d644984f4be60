// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pictures of a run, drawn from their data: sections of the page, and PNG files.
pub mod arrivals;
pub(crate) mod chain;
pub mod changes;
mod frame;
mod overlay;
mod plate;
mod png;
mod ratios;
mod responses;
pub mod rise;
mod schedule;
mod screens;
mod strip;
mod strips;
mod sweeps;
#[cfg(test)]
mod tests;
mod waterfall;

pub use overlay::{MOST_ROWS, Named, rows as overlaid_rows};

use super::drawing::swatch;
use super::figure::numbered;
use super::interference;
use super::osbench;
use super::paper;
use super::section::Section;
use super::tasks;
use backwall_model::Run;
use backwall_model::picture::{Arrivals, Interference, Picture, Screens, TaskSet};
use backwall_model::units::{DisplayedValue, Unit, grouped};
use maud::{Markup, html};
use plate::Plate;

pub fn sections(run: &Run) -> Vec<Section> {
    let mut sections = Vec::new();
    for (index, picture) in run.pictures.iter().enumerate() {
        let before = run.pictures[..index].iter().filter(|earlier| same_kind(earlier, picture)).count();
        sections.extend(section(run, picture, before));
    }
    sections
}

fn section(run: &Run, picture: &Picture, before: usize) -> Option<Section> {
    match picture {
        Picture::Screens(found) => Some(of_screens(found, &numbered("screens", before))),
        Picture::Arrivals(found) => Some(of_arrivals(found, &numbered("sweep", before))),
        Picture::Saturation(found) => {
            let ours = paper::frequencies(&[(run, found)]);
            Some(ours.section_above(&paper::published_frequencies(), &numbered("figure-8", before)))
        }
        Picture::Operations(_) => Some(of_operations(run, &numbered("operations", before))),
        Picture::TaskSet(found) => Some(of_task_set(run, found, &numbered("tasks", before))),
        Picture::Interference(found) => Some(of_interference(found, &numbered("interference", before))),
        Picture::Chain(found) => Some(chain::section(found, &numbered("chain", before))),
        Picture::Unknown => {
            let body = html! { p { "The run holds a picture of a kind that this version cannot draw." } };
            Some(Section::new(numbered("unknown-picture", before), "A picture of a newer version", "", body))
        }
    }
}

fn same_kind(one: &Picture, other: &Picture) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

fn of_operations(run: &Run, id: &str) -> Section {
    let rows: Vec<_> = osbench::rows(run).collect();
    let body = html! {
        (legend(if osbench::beside_paper(run).is_some() { &STRIPS } else { &STRIPS[..1] }))
        figure { (strips::draw(run, &rows, &format!("{id}-strips"))) }
        (osbench::table(run).markup())
        @if let Some(table) = osbench::beside_paper(run) {
            p { (osbench::paper_head()) ". " (paper::operations::NOTE) }
            (table.markup())
        }
        @if let Some(table) = osbench::beside_peers(run) { p { (osbench::PEERS_HEAD) } (table.markup()) }
    };
    Section::new(id, "What each operation costs", strips::INTRO, body)
}

fn of_task_set(run: &Run, found: &TaskSet, id: &str) -> Section {
    let unit = tasks::unit_of(run);
    let body = html! {
        (legend(&[("worst response", "wall c0"), ("predicted bound", "wall c3"), ("deadline", "wall c1")]))
        figure { (responses::draw(run, found, &format!("{id}-responses"))) }
        (tasks::whole_table(run, found).markup())
        @if let Some(beyond) = tasks::beyond(run, found) { p { (beyond) } }
        @if let Some(instants) = tasks::instants(found) { p { (instants) } }
        @for misses in found.tasks.iter().filter_map(tasks::misses) { p { (misses) } }
        @for blamed in found.tasks.iter().flat_map(|task| tasks::blamed(run, task)) { p { (blamed) } }
        @if let Some(attack) = tasks::attack(run, found) { p { (attack) } }
        @if let Some(window) = &found.window {
            figure { (schedule::draw(found, window, unit, &format!("{id}-schedule"))) }
            @for caution in schedule::cautions(window) { p { (caution) } }
        }
    };
    Section::new(id, "The fate of the jobs", TASKS_INTRO, body)
}

const STRIPS: [(&str, &str); 2] = [("largest sample", "wall c1"), ("average in the 2002 paper", "wall c3")];

fn legend(colours: &[(&str, &str)]) -> Markup {
    html! { ul class="legend" { @for (name, class) in colours { li { (swatch(class)) " " (name) } } } }
}

fn of_interference(found: &Interference, id: &str) -> Section {
    let body = html! {
        figure { (ratios::draw(found, &format!("{id}-ratios"))) }
        (interference::markup(found))
        p { (interference::POST) }
        @for line in interference::verdict(found).lines() { p { (line) } }
        @for reason in &found.absent { p { "Not measured: " (reason) "." } }
    };
    Section::new(id, "Parts alone and together", interference::READING, body)
}

const TASKS_INTRO: &str = "Each release was done in time or late, skipped because the previous job was still running, aborted \
    at the next release, or unfinished at the end. Responses, deadlines and predicted bounds all count from the nominal \
    instant. Each strip shows a task's responses, darker where there are more jobs; its strokes are the worst response, the \
    predicted bound and the deadline. The lower picture shows the time around the job that came nearest to its deadline, or \
    missed it by most. Bars are dark where the job ran, which backwall works out from the jobs' own timestamps; a thin \
    stroke is a release, the thick one the deadline of that job.";

fn of_screens(found: &Screens, id: &str) -> Section {
    let body = plates(id, |kind| screens::draw(found, kind));
    Section::new(id, format!("The scope's screen: {}", found.title), screens::INTRO, body)
}

fn plates(id: &str, draw: impl Fn(screens::Kind) -> Plate) -> Markup {
    html! {
        div class="plates" {
            @for (kind, name) in screens::KINDS { figure { (draw(kind).svg(&format!("{id}-{name}"))) } }
        }
    }
}

pub fn overlaid(runs: &[Named], title: &str, id: &str) -> Markup {
    plates(id, |kind| overlay::draw(runs, kind, title))
}

fn of_arrivals(found: &Arrivals, id: &str) -> Section {
    let body = html! {
        figure { (arrivals::draw(found).svg(&format!("{id}-picture"))) }
        pre { (arrivals::text(found)) }
    };
    Section::new(id, "Latency against the instant of arrival", "", body)
}

pub fn files(run: &Run) -> Vec<(String, Vec<u8>)> {
    let named = all_plates(run).into_iter().map(|(name, plate)| (format!("{name}.png"), png::write(&plate)));
    named.collect()
}

fn all_plates(run: &Run) -> Vec<(String, Plate)> {
    let (mut plates, mut screens_before, mut sweeps_before) = (Vec::new(), 0, 0);
    for picture in &run.pictures {
        match picture {
            Picture::Screens(found) => {
                let of_kind = |(kind, name)| (numbered(name, screens_before), screens::draw(found, kind));
                plates.extend(screens::KINDS.map(of_kind));
                screens_before += 1;
            }
            Picture::Arrivals(found) => {
                plates.push((numbered("sweep", sweeps_before), arrivals::draw(found)));
                sweeps_before += 1;
            }
            Picture::Saturation(_) | Picture::Operations(_) | Picture::TaskSet(_) => {}
            Picture::Interference(_) | Picture::Chain(_) | Picture::Unknown => {}
        }
    }
    plates
}

fn distance(value: u64, unit: Unit) -> String {
    match (value, unit) {
        (1, Unit::Instructions) => "1 instruction".into(),
        (_, Unit::Instructions) => format!("{} instructions", grouped(value)),
        (_, Unit::Ns) => DisplayedValue(value, unit).to_string(),
    }
}
