// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency over time: one strip a phase, with smallest, mean and largest of every slice.
use super::group::Group;
use crate::report::axis::{Axis, short, short_time};
use crate::report::plot::{self, Area, WIDTH};
use crate::report::svg::{Anchor, Picture};
use crate::run::{Series, Slice};
use crate::units::{Unit, grouped};

/// How to read it.
pub const INTRO: &str = "Each strip is one phase from its first to its last stimulus. The band reaches from the smallest to the \
     largest latency of each slice, the line in it is the mean, dots are the worst responses, and triangles above mark slices in which stimuli \
     were lost. Peaks that repeat have a cause that repeats.";

const STRIP: f64 = 118.0;
const GAP: f64 = 34.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = WIDTH - 20.0;
const MOST_DOTS: usize = 64;

/// The picture.
pub fn draw(group: &Group, id: &str) -> String {
    let shown: Vec<usize> = (0..group.series.len()).filter(|i| !group.series[*i].over_time.is_empty()).collect();
    let mut picture = Picture::new(WIDTH, shown.len() as f64 * (STRIP + GAP) + 44.0);
    let end = shown.iter().map(|index| end_of(group.series[*index])).fold(1.0, f64::max);
    let x = Axis::exact(end, LEFT, RIGHT);
    for (row, index) in shown.iter().enumerate() {
        let top = row as f64 * (STRIP + GAP) + 24.0;
        let area = Area { left: LEFT, right: RIGHT, top, bottom: top + STRIP };
        strip(&mut picture, group, *index, area, &x);
        if row + 1 == shown.len() {
            picture.text("name", ((LEFT + RIGHT) / 2.0, area.bottom + 37.0), Anchor::Middle, time_title(group.unit));
        }
    }
    picture.finish(id, "Latency over time", "Smallest, mean and largest latency in successive slices of each phase.")
}

fn time_title(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "time since the first stimulus of the phase",
        Unit::Instructions => "executed instructions since the first stimulus of the phase",
    }
}

/// End of the last slice: as far beyond its start as slices are apart.
fn end_of(series: &Series) -> f64 {
    let slices = &series.over_time;
    let last = slices.last().map_or(0, |slice| slice.at);
    let width = if slices.len() > 1 { last / (slices.len() as u64 - 1) } else { last.max(1) };
    (last.saturating_add(width)) as f64
}

fn strip(picture: &mut Picture, group: &Group, index: usize, area: Area, x: &Axis) {
    let series = group.series[index];
    let (low, high) = group.range();
    let y = Axis::log(low, high, area.bottom, area.top);
    plot::y_axis(picture, area, &y, &y.ticks(|value| short(value, group.unit)), "");
    let time = |value| if group.unit == Unit::Ns { short_time(value) } else { short(value, group.unit) };
    plot::x_axis(picture, area, x, &x.ticks(time), "");
    picture.text(
        &format!("title {}", Group::class(index)),
        (area.left, area.top - 8.0),
        Anchor::Start,
        &group.label(index),
    );
    band(picture, series, (x, &y), &Group::class(index));
    for worst in series.worst.iter().take(MOST_DOTS) {
        picture.dot(&format!("dot {}", Group::class(index)), (x.at(worst.at as f64), y.at(worst.value as f64)), 2.0);
    }
    hints(picture, group, index, area, x);
}

/// The band from smallest to largest, its mean, and the marks of losses.
fn band(picture: &mut Picture, series: &Series, (x, y): (&Axis, &Axis), class: &str) {
    let slices: Vec<(f64, f64, &Slice)> = spans(series).filter(|(_, _, slice)| slice.done > 0).collect();
    let upper = slices.iter().flat_map(|(from, to, slice)| {
        let height = y.at(slice.max as f64);
        [(x.at(*from), height), (x.at(*to), height)]
    });
    let lower = slices.iter().rev().flat_map(|(from, to, slice)| {
        let height = y.at(slice.min as f64);
        [(x.at(*to), height), (x.at(*from), height)]
    });
    picture.area(&format!("band {class}"), &upper.chain(lower).collect::<Vec<_>>());
    let mean: Vec<(f64, f64)> =
        slices.iter().map(|(from, to, slice)| (x.at((from + to) / 2.0), y.at(slice.mean))).collect();
    picture.polyline(&format!("curve {class}"), &mean);
    for (from, to, _) in spans(series).filter(|(_, _, slice)| slice.lost > 0) {
        let (middle, top) = (x.at((from + to) / 2.0), y.end());
        picture.area("lost", &[(middle - 5.0, top - 8.0), (middle + 5.0, top - 8.0), (middle, top)]);
    }
}

/// Each slice with its start and end.
fn spans(series: &Series) -> impl Iterator<Item = (f64, f64, &Slice)> {
    let starts = series.over_time.iter().map(|slice| slice.at as f64);
    let ends = starts.clone().skip(1).chain([end_of(series)]);
    starts.zip(ends).zip(&series.over_time).map(|((from, to), slice)| (from, to, slice))
}

fn hints(picture: &mut Picture, group: &Group, index: usize, area: Area, x: &Axis) {
    for (from, to, slice) in spans(group.series[index]) {
        let value = |value: u64| short(value as f64, group.unit);
        let lines = [
            format!("{}: {} responses, {} lost", group.label(index), grouped(slice.done), grouped(slice.lost)),
            format!(
                "min {}, mean {}, max {}",
                value(slice.min),
                short(slice.mean.round(), group.unit),
                value(slice.max)
            ),
        ];
        picture.hint((x.at(from), area.top), (x.at(to) - x.at(from), area.bottom - area.top), &lines);
    }
}
