// SPDX-License-Identifier: MIT OR Apache-2.0
//! The histogram of every phase, overlaid, on log axes.
use super::group::Group;
use super::legend;
use crate::axis::{Axis, Graduation, short, short_count};
use crate::drawing::Drawing;
use crate::plot::{self, Area, WIDTH};
use backwall_model::Histogram;
use backwall_model::units::grouped;
use maud::{Markup, html};

pub const INTRO: &str = "Left is early, right is late, and height is how many responses. Both axes are logarithmic, \
     so that a single late response is visible next to thousands of ordinary ones. The thick stroke marks the maximum.";

const AREA: Area = Area { left: 74.0, right: WIDTH - 40.0, top: 14.0, bottom: 300.0 };
const BINS_PER_DECADE: f64 = 24.0;

pub fn draw(group: &Group, id: &str) -> Markup {
    let (low, high) = group.range();
    let x = Axis::log(low, high, AREA.left, AREA.right);
    let bins = Bins::between(x.low(), x.high());
    let counts: Vec<Vec<u64>> = group.series.iter().map(|series| bins.counts(&series.histogram)).collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1);
    let y = Axis::log(0.7, most as f64, AREA.bottom, AREA.top);
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    let title = group.axis_title();
    plot::x_axis(&mut drawing, AREA, &x, &x.ticks(|value| short(value, group.unit)), &title);
    let whole: Vec<Graduation> = y.ticks(short_count).into_iter().filter(|tick| tick.value >= 0.999).collect();
    plot::y_axis(&mut drawing, AREA, &y, &whole, "responses in a bin");
    for (index, counts) in counts.iter().enumerate() {
        curve(&mut drawing, &bins, counts, (&x, &y), &Group::class(index));
        let wall = group.series[index].max.unwrap_or(0) as f64;
        drawing.rect(&format!("wall {}", Group::class(index)), (x.at(wall) - 1.5, AREA.bottom - 22.0), (3.0, 22.0));
    }
    hints(&mut drawing, group, &bins, &counts, &x);
    html! { (legend::list(group)) (drawing.finish(id, "Histogram of latency", &about(group))) }
}

fn about(group: &Group) -> String {
    let walls = (0..group.series.len()).map(|index| {
        let series = group.series[index];
        format!(
            "{}: {} responses, largest {}",
            group.label(index),
            grouped(series.done),
            short(series.max.unwrap_or(0) as f64, group.unit)
        )
    });
    walls.collect::<Vec<_>>().join("; ")
}

/// Draws a stepped outline over a light area, and no line where there are no responses.
fn curve(drawing: &mut Drawing, bins: &Bins, counts: &[u64], (x, y): (&Axis, &Axis), class: &str) {
    let mut first = 0;
    for hill in counts.split(|count| *count == 0) {
        if !hill.is_empty() {
            let points = outline(bins, first, hill, (x, y));
            drawing.area(&format!("fill {class}"), &points);
            drawing.polyline(&format!("curve {class}"), &points);
        }
        first += hill.len() + 1;
    }
}

/// Rises from the baseline, follows adjacent non-empty bins, and falls again.
fn outline(bins: &Bins, first: usize, hill: &[u64], (x, y): (&Axis, &Axis)) -> Vec<(f64, f64)> {
    let mut points = vec![(x.at(bins.bound(first)), y.start())];
    for (index, count) in hill.iter().enumerate() {
        let height = y.at(*count as f64);
        points.push((x.at(bins.bound(first + index)), height));
        points.push((x.at(bins.bound(first + index + 1)), height));
    }
    points.push((x.at(bins.bound(first + hill.len())), y.start()));
    points
}

fn hints(drawing: &mut Drawing, group: &Group, bins: &Bins, counts: &[Vec<u64>], x: &Axis) {
    for bin in (0..bins.len()).filter(|bin| counts.iter().any(|counts| counts[*bin] > 0)) {
        let (from, to) = (bins.bound(bin), bins.bound(bin + 1));
        let mut lines = vec![format!("{} to {}", short(from, group.unit), short(to, group.unit))];
        lines.extend(
            counts
                .iter()
                .enumerate()
                .map(|(index, counts)| format!("{}: {}", group.label(index), grouped(counts[bin]))),
        );
        let left = x.at(from);
        drawing.hint((left, AREA.top), (x.at(to) - left, AREA.bottom - AREA.top), &lines);
    }
}

struct Bins {
    low: f64,
    count: usize,
}

impl Bins {
    fn between(low: f64, high: f64) -> Self {
        let count = ((high / low).log10() * BINS_PER_DECADE).ceil().clamp(1.0, 600.0) as usize;
        Self { low, count }
    }

    fn len(&self) -> usize {
        self.count
    }

    fn bound(&self, index: usize) -> f64 {
        self.low * 10f64.powf(index as f64 / BINS_PER_DECADE)
    }

    fn of(&self, value: f64) -> usize {
        let place = (value / self.low).log10() * BINS_PER_DECADE;
        (place.max(0.0) as usize).min(self.count - 1)
    }

    /// Counts each histogram class entirely in the bin of its lower bound.
    fn counts(&self, histogram: &Histogram) -> Vec<u64> {
        let mut counts = vec![0u64; self.count];
        for (low, count) in histogram.bounds.iter().zip(&histogram.counts) {
            let bin = &mut counts[self.of((*low).max(1) as f64)];
            *bin = bin.saturating_add(*count);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sample_is_lost_between_classes_and_bins() {
        let bins = Bins::between(10.0, 1_000.0);
        let histogram = Histogram { bounds: vec![0, 5, 10, 11, 999, 1_000, 5_000], counts: vec![1, 2, 3, 4, 5, 6] };
        assert_eq!(bins.len(), 48);
        assert_eq!(bins.counts(&histogram).iter().sum::<u64>(), 21);
    }
}
