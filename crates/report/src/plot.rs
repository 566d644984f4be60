// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frame of a figure: grid, marks and titles of two axes.
use super::axis::{Axis, Graduation};
use super::drawing::{Anchor, Drawing};

pub const WIDTH: f64 = 960.0;

#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// Draws the vertical grid with its labels below and the axis title below the labels.
pub fn x_axis(drawing: &mut Drawing, area: Area, axis: &Axis, ticks: &[Graduation], title: &str) {
    for tick in ticks {
        let x = axis.at(tick.value);
        drawing.line(grid_class(tick), (x, area.top), (x, area.bottom));
        if let Some(label) = &tick.label {
            drawing.text("mark", (x, area.bottom + 17.0), Anchor::Middle, label);
        }
    }
    drawing.line("axis", (area.left, area.bottom), (area.right, area.bottom));
    drawing.text("name", ((area.left + area.right) / 2.0, area.bottom + 37.0), Anchor::Middle, title);
}

/// Draws the horizontal grid with its labels to the left and the axis title left of the labels.
pub fn y_axis(drawing: &mut Drawing, area: Area, axis: &Axis, ticks: &[Graduation], title: &str) {
    for tick in ticks {
        let y = axis.at(tick.value);
        drawing.line(grid_class(tick), (area.left, y), (area.right, y));
        if let Some(label) = &tick.label {
            drawing.text("mark", (area.left - 8.0, y + 4.0), Anchor::End, label);
        }
    }
    drawing.upright_text("name", (15.0, (area.top + area.bottom) / 2.0), title);
}

fn grid_class(tick: &Graduation) -> &'static str {
    if tick.label.is_some() { "grid" } else { "grid faint" }
}
