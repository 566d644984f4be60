// SPDX-License-Identifier: MIT OR Apache-2.0
//! The papers' latencies on their own axis in microseconds: a stroke from the smallest to the largest, a dot at the mean.
use super::operations::{PROCESSORS, TABLE_1};
use super::published::FIGURE_11;
use crate::axis::Axis;
use crate::drawing::{Anchor, Drawing};
use crate::plot::{self, Area, WIDTH};
use maud::Markup;

const LEFT: f64 = 262.0;
const RIGHT: f64 = WIDTH - 300.0;
const TOP: f64 = 30.0;
const ROW: f64 = 24.0;
const FIGURES: [f64; 3] = [WIDTH - 200.0, WIDTH - 100.0, WIDTH];

/// A row: subject, then maximum, minimum and mean as printed.
type Line = (String, [&'static str; 3]);

pub fn figure_11(id: &str) -> Markup {
    let lines = FIGURE_11.iter().flat_map(|row| {
        let name = |line: &str| format!("{}, {line}, {}", row.system, if row.loaded { "polygons" } else { "no load" });
        let figures = |[max, min, _, mean]: [&'static str; 4]| [max, min, mean];
        [(name("ISR"), figures(row.interrupt)), (name("APP"), figures(row.app))]
    });
    draw(id, "The paper's latencies", &lines.collect::<Vec<Line>>())
}

/// Table 1 of the third paper.
pub fn table_1(id: &str) -> Markup {
    let lines = PROCESSORS.into_iter().zip(TABLE_1).flat_map(|(processor, figures)| {
        let [isr_min, isr_max, isr_mean, ist_min, ist_max, ist_mean] = figures;
        let isr = (format!("{processor}, ISR"), [isr_max, isr_min, isr_mean]);
        [isr, (format!("{processor}, IST"), [ist_max, ist_min, ist_mean])]
    });
    draw(id, "The paper's interrupt timing", &lines.collect::<Vec<Line>>())
}

fn draw(id: &str, title: &str, lines: &[Line]) -> Markup {
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom: TOP + ROW * lines.len() as f64 };
    let x = Axis::log(1.0, 300.0, LEFT, RIGHT);
    let mut drawing = Drawing::new(WIDTH, area.bottom + 46.0);
    plot::x_axis(
        &mut drawing,
        area,
        &x,
        &x.ticks(|value| format!("{value}")),
        "as printed in the paper, in microseconds",
    );
    for (name, at) in ["min, us", "mean, us", "max, us"].into_iter().zip(FIGURES) {
        drawing.text("mark", (at, TOP - 12.0), Anchor::End, name);
    }
    for (number, (name, [max, min, mean])) in lines.iter().enumerate() {
        let middle = TOP + ROW * (number as f64 + 0.5);
        drawing.text("mark", (0.0, middle + 4.0), Anchor::Start, name);
        let [low, high, dot] = [min, max, mean].map(|text| x.at(text.parse().unwrap_or(0.0)));
        drawing.rect("soft", (low, middle - 2.0), ((high - low).max(1.0), 4.0));
        drawing.dot("inked", (dot, middle), 3.5);
        for (text, at) in [min, mean, max].into_iter().zip(FIGURES) {
            drawing.text("", (at, middle + 4.0), Anchor::End, text);
        }
    }
    drawing.finish(id, title, "Smallest, mean and largest of each row; the figures are next to it.")
}
