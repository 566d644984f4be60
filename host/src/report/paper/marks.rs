// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paper's Figure 11 as marks on an axis of microseconds of its own: from the smallest to the largest, a dot at the mean.
use super::published::FIGURE_11;
use crate::report::axis::Axis;
use crate::report::drawing::{Anchor, Drawing};
use crate::report::plot::{self, Area, WIDTH};
use maud::Markup;

const LEFT: f64 = 262.0;
const RIGHT: f64 = WIDTH - 300.0;
const TOP: f64 = 30.0;
const ROW: f64 = 24.0;
/// Where the columns of figures end.
const FIGURES: [f64; 3] = [WIDTH - 200.0, WIDTH - 100.0, WIDTH];

/// The picture.
pub fn draw(id: &str) -> Markup {
    let lines = FIGURE_11.iter().flat_map(|row| {
        let name = |line: &str| format!("{}, {line}, {}", row.system, if row.loaded { "polygons" } else { "no load" });
        [(name("ISR"), row.interrupt), (name("APP"), row.app)]
    });
    let lines: Vec<(String, [&str; 4])> = lines.collect();
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
    for (number, (name, [max, min, _, mean])) in lines.iter().enumerate() {
        let middle = TOP + ROW * (number as f64 + 0.5);
        drawing.text("mark", (0.0, middle + 4.0), Anchor::Start, name);
        let [low, high, dot] = [min, max, mean].map(|text| x.at(text.parse().unwrap_or(0.0)));
        drawing.rect("soft", (low, middle - 2.0), ((high - low).max(1.0), 4.0));
        drawing.dot("inked", (dot, middle), 3.5);
        for (text, at) in [min, mean, max].into_iter().zip(FIGURES) {
            drawing.text("", (at, middle + 4.0), Anchor::End, text);
        }
    }
    drawing.finish(
        id,
        "The paper's latencies",
        "Smallest, mean and largest of each row of Figure 11; the figures stand beside each.",
    )
}
