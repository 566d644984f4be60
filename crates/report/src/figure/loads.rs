// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each load's progress per second, to show starvation.
use crate::axis::{Axis, short_count};
use crate::drawing::Drawing;
use crate::phrase;
use crate::section::Section;
use backwall_model::units::grouped;
use backwall_model::{LoadProgress, Run};
use maud::{Markup, html};

const INTRO: &str = "The curves show how much work each load did in every second of its phase. This proves that the load \
    ran. A dip means that something took the load's CPU; a line on the floor means that the load starved.";

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 34.0;

/// Maximum number of rates to draw. If there are more, neighbouring rates are reduced to the fastest and the slowest.
const MOST_POINTS: usize = 220;

pub fn section(run: &Run) -> Option<Section> {
    let second = phrase::rate_seconds(&run.loads);
    let table = html! {
        div class="wide" {
            table id="loads-table" {
                thead {
                    tr {
                        th { "load" } th { "phase" } th class="r" { "done" } th { "unit" }
                        th class="r" { "slowest " (second) } th class="r" { "fastest " (second) } th { "each " (second) }
                    }
                }
                tbody { @for (index, load) in run.loads.iter().enumerate() { (row(index, load)) } }
            }
        }
    };
    (!run.loads.is_empty()).then(|| Section::new("loads", "The loads", INTRO, table))
}

fn row(index: usize, load: &LoadProgress) -> Markup {
    let slowest = load.per_second.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = load.per_second.iter().copied().fold(0.0, f64::max);
    let starved = load.per_second.iter().any(|rate| *rate <= 0.0);
    let rate = |rate: f64| if rate.is_finite() { grouped(rate.round() as u64) } else { "-".to_string() };
    html! {
        tr {
            th scope="row" { (load.name) @if starved { " " span class="badge bad" { "starved" } } }
            td { (load.phase) }
            td class="r" { (grouped(load.done)) }
            td { (load.unit) }
            td class="r" { (rate(slowest)) }
            td class="r" { (rate(fastest)) }
            td { (spark(index, load, fastest)) }
        }
    }
}

fn spark(index: usize, load: &LoadProgress, fastest: f64) -> Markup {
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    let x = Axis::exact(load.per_second.len().max(1) as f64, 2.0, WIDTH - 2.0);
    let y = Axis::exact(fastest * 1.05, HEIGHT - 2.0, 3.0);
    let mut points = Vec::new();
    let every = load.per_second.len().div_ceil(MOST_POINTS).max(1);
    for (index, rates) in load.per_second.chunks(every).enumerate() {
        let (from, to) = (index * every, index * every + rates.len());
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let fastest = rates.iter().copied().fold(0.0, f64::max);
        points.push((x.at(from as f64), y.at(fastest)));
        points.push((x.at(to as f64), y.at(slowest)));
    }
    drawing.line("axis", (2.0, HEIGHT - 2.0), (WIDTH - 2.0, HEIGHT - 2.0));
    drawing.polyline("spark", &points);
    let about = format!("from 0 to {} {} a second", short_count(fastest), load.unit);
    drawing.finish(&format!("load-picture-{}", index + 1), &format!("{}, {} each second", load.name, load.unit), &about)
}
