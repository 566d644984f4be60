// SPDX-License-Identifier: MIT OR Apache-2.0
//! The persistence picture: every response of a phase drawn over the others, as an oscilloscope keeps them.
use super::group::{self, Group};
use crate::axis::{Axis, DIVISIONS, short};
use crate::drawing::{Anchor, Drawing};
use crate::plot::WIDTH;
use backwall_model::Series;
use maud::Markup;
use std::collections::BTreeMap;

pub const INTRO: &str = "This is what an oscilloscope shows if the stimulus triggers it and it keeps every trace: the \
    output is low until the response, then high. Bright edges are frequent, faint ones rare; brightness grows with the \
    logarithm of the count. Time is linear here. The upper screen reaches to the maximum, the lower one magnifies the \
    beginning, where most responses are.";

const LEFT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 40.0;
/// Height of a name together with the trace below it. A name may be as wide as the screen.
const CHANNEL: f64 = 62.0;
const SWING: f64 = 26.0;

pub fn draw(group: &Group, id: &str) -> Markup {
    let screen = CHANNEL * group.series.len() as f64 + 16.0;
    let mut drawing = Drawing::new(WIDTH, 2.0 * (screen + 52.0) + 4.0);
    let (_, wall) = group.range();
    draw_screen(&mut drawing, group, 4.0, Axis::linear(wall, LEFT, RIGHT));
    draw_screen(&mut drawing, group, screen + 56.0, Axis::linear(body(group), LEFT, RIGHT));
    drawing.finish(
        id,
        "Persistence picture",
        "Edges of all responses after the stimulus, brighter where there are more.",
    )
}

/// The range of most responses: the largest 99 % quantile of the group, or its largest median.
fn body(group: &Group) -> f64 {
    let of = |q: f64| {
        let values = group.series.iter().filter_map(|series| series.quantile(q)?.value);
        values.max()
    };
    of(0.99).or_else(|| of(0.5)).map_or(group.range().1, |value| value as f64)
}

fn draw_screen(drawing: &mut Drawing, group: &Group, top: f64, x: Axis) {
    let height = CHANNEL * group.series.len() as f64 + 16.0;
    drawing.rect("screen", (LEFT, top), (RIGHT - LEFT, height));
    for division in 0..=DIVISIONS {
        let at = x.at(x.division() * division as f64);
        drawing.line("graticule", (at, top), (at, top + height));
        let label = short(x.division() * division as f64, group.unit);
        drawing.text("mark", (at, top + height + 17.0), Anchor::Middle, &label);
    }
    let title = format!("time after the stimulus, {} a division", short(x.division(), group.unit));
    drawing.text("name", ((LEFT + RIGHT) / 2.0, top + height + 37.0), Anchor::Middle, &title);
    for (index, series) in group.series.iter().enumerate() {
        let low = top + 4.0 + CHANNEL * (index as f64 + 1.0);
        channel(drawing, series, low, &x, &Group::class(index));
        drawing.text(
            &format!("title {}", Group::class(index)),
            (LEFT + 8.0, low - SWING - 8.0),
            Anchor::Start,
            &group.label(index),
        );
    }
}

/// Draws one phase: the low level until the responses, the edges, and the high level after them.
fn channel(drawing: &mut Drawing, series: &Series, low: f64, x: &Axis, class: &str) {
    let columns = columns(series, x);
    let all = group::counted(series).max(1);
    let most = columns.iter().map(|column| column.count).max().unwrap_or(1);
    let mut answered = 0;
    let mut from = x.start();
    let (mut edges, mut levels) = (Glow::default(), [(); 2].map(|()| Glow::default()));
    for column in &columns {
        level(&mut levels, (from, column.left), low, (answered, all));
        answered = column.count.saturating_add(answered);
        from = column.left;
        let width = (column.right - column.left).max(1.0);
        edges.add(step(column.count, most), [column.left, low - SWING, width, SWING]);
    }
    level(&mut levels, (from, x.end()), low, (answered, all));
    let [waiting, high] = levels;
    [waiting, high, edges].into_iter().for_each(|glow| glow.draw(drawing, &format!("glow {class}")));
}

/// Adds both levels between two edges; the more responses, the brighter a level.
fn level(levels: &mut [Glow; 2], (from, to): (f64, f64), low: f64, (answered, all): (u64, u64)) {
    let waiting = all.saturating_sub(answered);
    for (glow, (count, height)) in levels.iter_mut().zip([(waiting, low), (answered, low - SWING)]) {
        if count > 0 && to > from {
            glow.add(step(count, all), [from, height - 1.0, to - from, 2.0]);
        }
    }
}

const STEPS: f64 = 24.0;

fn step(count: u64, most: u64) -> u8 {
    (STEPS * (0.18 + 0.82 * (1.0 + count as f64).ln() / (1.0 + most as f64).ln())).round() as u8
}

/// Positions on the screen by brightness. Each brightness is one shape, because there are thousands of positions.
#[derive(Default)]
struct Glow {
    places: BTreeMap<u8, Vec<[f64; 4]>>,
}

impl Glow {
    /// Adds a position. If the last position of the same brightness ends where the new one begins, extends the last one instead.
    fn add(&mut self, step: u8, place: [f64; 4]) {
        let places = self.places.entry(step).or_default();
        match places.last_mut() {
            Some([x, y, width, height]) if [*y, *height] == [place[1], place[3]] && *x + *width == place[0] => {
                *width = place[0] + place[2] - *x;
            }
            _ => places.push(place),
        }
    }

    fn draw(self, drawing: &mut Drawing, class: &str) {
        for (step, places) in self.places {
            drawing.blocks(class, f64::from(step) / STEPS, places.into_iter());
        }
    }
}

struct Column {
    left: f64,
    right: f64,
    count: u64,
}

/// Maps histogram classes to screen columns; classes finer than the screen share a column.
fn columns(series: &Series, x: &Axis) -> Vec<Column> {
    let bounds = &series.histogram.bounds;
    let mut columns: Vec<Column> = Vec::new();
    for (pair, count) in bounds.windows(2).zip(&series.histogram.counts) {
        let inside = *count > 0 && (pair[0] as f64) < x.high();
        let (left, right) = (x.at(pair[0] as f64), x.at(pair[1] as f64));
        match columns.last_mut() {
            Some(last) if inside && right - last.left <= 1.0 => {
                last.right = right;
                last.count = last.count.saturating_add(*count);
            }
            _ if inside => columns.push(Column { left, right, count: *count }),
            _ => {}
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_edges_are_faint_but_visible() {
        let shade = |count, most| f64::from(step(count, most)) / STEPS;
        assert!(shade(1, 1_000_000) > 0.18 && shade(1, 1_000_000) < 0.3);
        assert_eq!(shade(7, 7), 1.0);
    }

    #[test]
    fn a_level_that_goes_on_in_the_same_brightness_is_one_shape() {
        let mut glow = Glow::default();
        glow.add(5, [0.0, 1.0, 2.0, 2.0]);
        glow.add(5, [2.0, 1.0, 3.0, 2.0]);
        glow.add(6, [5.0, 1.0, 1.0, 2.0]);
        glow.add(5, [6.0, 1.0, 1.0, 2.0]);
        assert_eq!(glow.places[&5], [[0.0, 1.0, 5.0, 2.0], [6.0, 1.0, 1.0, 2.0]]);
    }
}
