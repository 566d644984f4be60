// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of one series from run to run: median, p99.9 and maximum, ordered by the start of the runs.
use super::group::Group;
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing, key};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use backwall_model::Series;
use maud::{Markup, html};

pub const INTRO: &str = "One column per run, the earliest on the left. Runs differ by chance: backwall compare says \
    whether a trend is more than chance.";

const AREA: Area = Area { left: 74.0, right: WIDTH - 40.0, top: 14.0, bottom: 214.0 };
const MOST_NAMES: usize = 12;
const NAME_LETTERS: usize = 14;

type Figure = (&'static str, fn(&Series) -> Option<u64>);

const FIGURES: [Figure; 3] = [
    ("p50", |series| series.quantile(0.5)?.value),
    ("p99.9", |series| series.quantile(0.999)?.value),
    ("largest", |series| series.max),
];

pub fn draw(all: &[(&str, &Series)], id: &str) -> Markup {
    let unit = all[0].1.unit;
    let values = |figure: &Figure| all.iter().map(|(_, series)| (figure.1)(series)).collect::<Vec<_>>();
    let lines: Vec<Vec<Option<u64>>> = FIGURES.iter().map(values).collect();
    let known = || lines.iter().flatten().flatten().copied();
    let (low, high) = (known().min().unwrap_or(1).max(1) as f64, known().max().unwrap_or(1).max(1) as f64);
    let y = Axis::log(low, high, AREA.bottom, AREA.top);
    let x = |index: usize| AREA.left + (AREA.right - AREA.left) * (index as f64 + 0.5) / all.len() as f64;
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    plot::y_axis(&mut drawing, AREA, &y, &y.ticks(|value| short(value, unit)), "");
    drawing.line("axis", (AREA.left, AREA.bottom), (AREA.right, AREA.bottom));
    let every = all.len().div_ceil(MOST_NAMES);
    for (index, (name, _)) in all.iter().enumerate().step_by(every) {
        drawing.text("mark", (x(index), AREA.bottom + 17.0), Anchor::Middle, &ending(name));
    }
    for (number, line) in lines.iter().enumerate() {
        let class = Group::class(number);
        let points = |(index, value): (usize, &Option<u64>)| Some((x(index), y.at(value.as_ref().copied()? as f64)));
        let points: Vec<(f64, f64)> = line.iter().enumerate().filter_map(points).collect();
        drawing.polyline(&format!("curve {class}"), &points);
        points.iter().for_each(|at| drawing.dot(&format!("dot {class}"), *at, 2.5));
    }
    hints(&mut drawing, all, (&lines, unit));
    let legend = html! {
        ul class="legend" {
            @for (number, figure) in FIGURES.iter().enumerate() {
                li { (key(&format!("curve {}", Group::class(number)))) " " b { (figure.0) } }
            }
        }
    };
    html! { (legend) (drawing.finish(id, "From run to run", "Median, p99.9 and largest latency of each run, in order of time.")) }
}

fn ending(name: &str) -> String {
    let letters = name.trim_end_matches('/').chars().count();
    let skipped = letters.saturating_sub(NAME_LETTERS);
    let end: String = name.trim_end_matches('/').chars().skip(skipped).collect();
    if skipped > 0 { format!("…{end}") } else { end }
}

fn hints(
    drawing: &mut Drawing,
    all: &[(&str, &Series)],
    (lines, unit): (&[Vec<Option<u64>>], backwall_model::units::Unit),
) {
    let width = (AREA.right - AREA.left) / all.len() as f64;
    for (index, (name, _)) in all.iter().enumerate() {
        let figures = FIGURES.iter().zip(lines).filter_map(|(figure, line)| {
            line[index].map(|value| format!("{} {}", figure.0, phrase::value(value, unit)))
        });
        let text = [name.to_string()].into_iter().chain(figures).collect::<Vec<_>>();
        let from = AREA.left + width * index as f64;
        drawing.hint((from, AREA.top), (width, AREA.bottom - AREA.top), &text);
    }
}
