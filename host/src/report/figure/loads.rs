// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each load achieved in each second, so that starvation is visible.
use crate::report::axis::{Axis, short_count};
use crate::report::section::{Section, escape};
use crate::report::svg::Picture;
use crate::run::{LoadProgress, Run};
use crate::units::grouped;

const INTRO: &str = "A load proves that it ran by its own progress in every second of its phase. A dip means that something took \
     its processor; a line on the floor means that it starved.";

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 34.0;

/// A table with one small line a load.
pub fn section(run: &Run) -> Option<Section> {
    let rows: String = run.loads.iter().enumerate().map(|(index, load)| row(index, load)).collect();
    let body = format!(
        "<div class=\"wide\"><table id=\"loads-table\"><thead><tr><th>load</th><th>phase</th><th class=\"r\">done</th><th>unit</th>\
         <th class=\"r\">slowest second</th><th class=\"r\">fastest second</th><th>each second</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    );
    (!run.loads.is_empty()).then(|| Section::new("loads", "The loads", INTRO, body))
}

fn row(index: usize, load: &LoadProgress) -> String {
    let slowest = load.per_second.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = load.per_second.iter().copied().fold(0.0, f64::max);
    let starved = load.per_second.iter().any(|rate| *rate <= 0.0);
    let badge = if starved { " <span class=\"badge bad\">starved</span>" } else { "" };
    let rate = |rate: f64| if rate.is_finite() { grouped(rate.round() as u64) } else { "-".to_string() };
    format!(
        "<tr><th scope=\"row\">{}{badge}</th><td>{}</td><td class=\"r\">{}</td><td>{}</td><td class=\"r\">{}</td><td class=\"r\">{}</td><td>{}</td></tr>\n",
        escape(&load.name),
        escape(&load.phase),
        grouped(load.done),
        escape(&load.unit),
        rate(slowest),
        rate(fastest),
        spark(index, load, fastest)
    )
}

fn spark(index: usize, load: &LoadProgress, fastest: f64) -> String {
    let mut picture = Picture::new(WIDTH, HEIGHT);
    let x = Axis::exact(load.per_second.len().max(1) as f64, 2.0, WIDTH - 2.0);
    let y = Axis::exact(fastest * 1.05, HEIGHT - 2.0, 3.0);
    let mut points = Vec::new();
    for (second, rate) in load.per_second.iter().enumerate() {
        points.push((x.at(second as f64), y.at(*rate)));
        points.push((x.at(second as f64 + 1.0), y.at(*rate)));
    }
    picture.line("axis", (2.0, HEIGHT - 2.0), (WIDTH - 2.0, HEIGHT - 2.0));
    picture.polyline("spark", &points);
    let about = format!("from 0 to {} {} a second", short_count(fastest), load.unit);
    picture.finish(&format!("load-picture-{}", index + 1), &format!("{}, {} each second", load.name, load.unit), &about)
}
