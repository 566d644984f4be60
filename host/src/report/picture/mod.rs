// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pictures of a run, drawn from their data: sections of the page, and PNG files.
pub mod arrivals;
mod frame;
mod plate;
mod png;
mod screens;
mod strips;
mod sweeps;
#[cfg(test)]
mod tests;

use super::figure::numbered;
use super::osbench;
use super::paper;
use super::section::Section;
use crate::run::Run;
use crate::run::picture::{Arrivals, Picture, Screens};
use crate::units::{Shown, Unit, grouped};
use maud::html;
use plate::Plate;

/// One section a picture, in the order of the run.
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
        Picture::Saturation(found) => Some(paper::frequencies(&[(run, found)]).section(&numbered("figure-8", before))),
        Picture::Operations(_) => Some(of_operations(run, &numbered("operations", before))),
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
        figure { (strips::draw(run, &rows, &format!("{id}-strips"))) }
        pre { (osbench::table(run)) }
        pre { (osbench::beside_paper(run)) }
        pre { (osbench::beside_peers(run)) }
    };
    Section::new(id, "What each operation costs", strips::INTRO, body)
}

fn of_screens(found: &Screens, id: &str) -> Section {
    let body = html! {
        @for (kind, name) in screens::KINDS { figure { (screens::draw(found, kind).svg(&format!("{id}-{name}"))) } }
    };
    Section::new(id, format!("The scope's screen: {}", found.title), screens::INTRO, body)
}

fn of_arrivals(found: &Arrivals, id: &str) -> Section {
    let body = html! {
        figure { (arrivals::draw(found).svg(&format!("{id}-picture"))) }
        pre { (arrivals::text(found)) }
    };
    Section::new(id, "Latency against the instant of arrival", "", body)
}

/// Name and contents of a PNG file for each picture that can be one.
pub fn files(run: &Run) -> Vec<(String, Vec<u8>)> {
    let named = plates(run).into_iter().map(|(name, plate)| (format!("{name}.png"), png::write(&plate)));
    named.collect()
}

fn plates(run: &Run) -> Vec<(String, Plate)> {
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
            Picture::Saturation(_) | Picture::Operations(_) | Picture::Unknown => {}
        }
    }
    plates
}

/// A distance with its unit, for a person.
fn distance(value: u64, unit: Unit) -> String {
    match (value, unit) {
        (1, Unit::Instructions) => "1 instruction".into(),
        (_, Unit::Instructions) => format!("{} instructions", grouped(value)),
        (_, Unit::Ns) => Shown(value, unit).to_string(),
    }
}
