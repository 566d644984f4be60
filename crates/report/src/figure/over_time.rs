// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency over time: one strip per phase with minimum, mean and maximum of every slice.
use super::group::Group;
use crate::axis::{Axis, Graduation, short, short_time};
use crate::drawing::{Anchor, Drawing};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use crate::trace::accused;
use crate::verdict;
use crate::wrap::cut;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Series, Slice};
use backwall_stats::{is_gap, together};
use maud::Markup;

pub const INTRO: &str = "Each strip is one phase from its first to its last stimulus. The band reaches from the smallest to the \
     largest latency of each slice, the line in it is the mean, dots are the slowest responses; a ring marks those whose cause was recorded. \
     Triangles above mark slices in which stimuli were missed. Where the band breaks off, nothing was measured.";

const STRIP: f64 = 112.0;
const GAP: f64 = 40.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = WIDTH - 40.0;
const MOST_DOTS: usize = 64;
/// Maximum number of slices drawn; adjacent slices are merged.
const MOST_SLICES: usize = 200;

pub fn draw(group: &Group, id: &str) -> Markup {
    let shown: Vec<usize> = (0..group.series.len()).filter(|i| !group.series[*i].over_time.is_empty()).collect();
    let mut drawing = Drawing::new(WIDTH, shown.len() as f64 * (STRIP + GAP) + 54.0);
    let end = shown.iter().map(|index| end_of(group.series[*index])).fold(1.0, f64::max);
    let x = Axis::exact(end, LEFT, RIGHT);
    for (row, index) in shown.iter().enumerate() {
        let top = row as f64 * (STRIP + GAP) + 34.0;
        let area = Area { left: LEFT, right: RIGHT, top, bottom: top + STRIP };
        frame(&mut drawing, group, area, &x, row + 1 == shown.len());
        strip(&mut drawing, group, *index, area, &x);
    }
    drawing.finish(id, "Latency over time", "Smallest, mean and largest latency in successive slices of each phase.")
}

fn time_title(unit: Unit) -> &'static str {
    match unit {
        Unit::Ns => "time since the first stimulus of the phase",
        Unit::Instructions => "executed instructions since the first stimulus of the phase",
    }
}

/// The end of the last slice: its start plus the distance between two slices.
fn end_of(series: &Series) -> f64 {
    let slices = &series.over_time;
    let last = slices.last().map_or(0, |slice| slice.at);
    let width = if slices.len() > 1 { last / (slices.len() as u64 - 1) } else { last.max(1) };
    (last.saturating_add(width)) as f64
}

fn frame(drawing: &mut Drawing, group: &Group, area: Area, x: &Axis, last: bool) {
    let y = height(group, area);
    let labelled = |tick: &Graduation| tick.label.is_some();
    let ticks: Vec<Graduation> = y.ticks(|value| short(value, group.unit)).into_iter().filter(labelled).collect();
    plot::y_axis(drawing, area, &y, &ticks, "");
    let time = |value| if group.unit == Unit::Ns { short_time(value) } else { short(value, group.unit) };
    let mut ticks = x.ticks(time);
    if !last {
        ticks.iter_mut().for_each(|tick| tick.label = None);
    }
    plot::x_axis(drawing, area, x, &ticks, if last { time_title(group.unit) } else { "" });
}

fn height(group: &Group, area: Area) -> Axis {
    let (low, high) = group.range();
    Axis::log(low, high, area.bottom, area.top)
}

fn strip(drawing: &mut Drawing, group: &Group, index: usize, area: Area, x: &Axis) {
    let series = group.series[index];
    let y = height(group, area);
    let (class, label) = (Group::class(index), group.label(index));
    let spans = spans(series);
    drawing.text(&format!("title {class}"), (area.left, area.top - 14.0), Anchor::Start, &label); // room for loss marks
    band(drawing, &spans, (x, &y), &class);
    // For a followed thread the mark means unseen, not missed, so the mark is no alarm.
    let mark = if phrase::is_attached(series) { "unseen" } else { "missed" };
    losses(drawing, &spans, (x, &y), mark);
    // Draw dots only for responses slower than the median.
    let ordinary = series.quantile(0.5).and_then(|median| median.value).unwrap_or(0);
    let largest = series.worst.iter().take(MOST_DOTS).filter(|worst| worst.value > ordinary);
    for (at, value) in largest.filter_map(|worst| Some((worst.at?, worst.value))) {
        drawing.dot(&format!("dot {class}"), (x.at(at as f64), y.at(value as f64)), 2.0);
    }
    hints(drawing, &spans, group.unit, &label, area, x);
    causes(drawing, series, area, (x, &y));
}

const CAUSE: usize = 48;

/// Marks responses that have a recorded cause by a ring with a tooltip. The cause of the maximum also appears above the strip.
fn causes(drawing: &mut Drawing, series: &Series, area: Area, (x, y): (&Axis, &Axis)) {
    if series.unit != Unit::Ns {
        return; // a count of instructions in each mode names nobody
    }
    let known = series.worst.iter().filter_map(|worst| Some((worst.at?, worst.value, worst.blame.as_ref()?)));
    for (at, value, blame) in known.take(MOST_DOTS) {
        let (across, down) = (x.at(at as f64), y.at(value as f64));
        drawing.dot("ring", (across, down), 4.5);
        let said =
            format!("{} at {}: {}", phrase::value(value, series.unit), short_time(at as f64), accused::label(blame));
        drawing.hint((across - 6.0, down - 6.0), (12.0, 12.0), &[said]);
    }
    if let Some(blame) = verdict::own_blame(series) {
        let most = format!("maximum: {}", accused::label(blame));
        drawing.text("mark", (area.right, area.top - 14.0), Anchor::End, &cut(&most, CAUSE));
    }
}

fn band(drawing: &mut Drawing, spans: &[Span], (x, y): (&Axis, &Axis), class: &str) {
    spans.split(|span| is_gap(&span.slice)).for_each(|part| unbroken(drawing, part, (x, y), class));
}

fn losses(drawing: &mut Drawing, spans: &[Span], (x, y): (&Axis, &Axis), mark: &str) {
    for span in spans.iter().filter(|span| span.slice.missed > 0) {
        let (middle, top) = (x.at(span.middle()), y.end());
        drawing.area(mark, &[(middle - 5.0, top - 8.0), (middle + 5.0, top - 8.0), (middle, top)]);
    }
}

fn unbroken(drawing: &mut Drawing, spans: &[Span], (x, y): (&Axis, &Axis), class: &str) {
    let answered: Vec<&Span> = spans.iter().filter(|span| span.slice.done > 0).collect();
    if answered.is_empty() {
        return;
    }
    let side = |span: &Span, value: u64| [(x.at(span.from), y.at(value as f64)), (x.at(span.to), y.at(value as f64))];
    let upper = answered.iter().flat_map(|span| side(span, span.slice.max));
    let lower = answered.iter().rev().flat_map(|span| {
        let [left, right] = side(span, span.slice.min);
        [right, left]
    });
    drawing.area(&format!("band {class}"), &upper.chain(lower).collect::<Vec<_>>());
    let mean: Vec<(f64, f64)> = answered.iter().map(|span| (x.at(span.middle()), y.at(span.slice.mean))).collect();
    drawing.polyline(&format!("mean {class}"), &mean);
}

struct Span {
    from: f64,
    to: f64,
    slice: Slice,
}

impl Span {
    fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }
}

fn spans(series: &Series) -> Vec<Span> {
    let every = series.over_time.len().div_ceil(MOST_SLICES).max(1);
    let parts = series.over_time.chunk_by(|one, other| is_gap(one) == is_gap(other));
    let merged: Vec<Slice> = parts.flat_map(|part| part.chunks(every).map(together)).collect();
    let ends = merged.iter().skip(1).map(|slice| slice.at as f64).chain([end_of(series)]);
    let spans = merged.iter().zip(ends);
    spans.map(|(slice, to)| Span { from: slice.at as f64, to, slice: slice.clone() }).collect()
}

fn hints(drawing: &mut Drawing, spans: &[Span], unit: Unit, label: &str, area: Area, x: &Axis) {
    for Span { from, to, slice } in spans {
        let counts = format!("{} responses, {} missed", grouped(slice.done), grouped(slice.missed));
        let gap = || format!("nothing was measured for {}", short_time(to - from));
        let mut lines = vec![format!("{label}: {}", if is_gap(slice) { gap() } else { counts })];
        if slice.done > 0 {
            let [min, mean, max] =
                [slice.min, slice.mean.round() as u64, slice.max].map(|value| phrase::value(value, unit));
            lines.push(format!("min {min}, mean {mean}, max {max}"));
        }
        drawing.hint((x.at(*from), area.top), (x.at(*to) - x.at(*from), area.bottom - area.top), &lines);
    }
}
