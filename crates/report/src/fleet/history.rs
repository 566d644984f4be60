// SPDX-License-Identifier: MIT OR Apache-2.0
//! The picture of one device's history: p99.9 and maximum of every run, missing runs, and kernel changes.
use super::words::QUANTILE;
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing};
use crate::plot::{self, Area, WIDTH};
use backwall_fleet::history::{Device, Entry};
use backwall_model::{Key, Series};
use maud::Markup;

const HEIGHT: f64 = 230.0;
const AREA: Area = Area { left: 74.0, right: WIDTH - 40.0, top: 26.0, bottom: HEIGHT - 50.0 };

pub(super) const INTRO: &str = "Each dot is a run, in time order: the solid line is p99.9, the dashed line the \
    maximum. An invalid run has no dot. A vertical line marks a new kernel, a dashed one a step of p99. A grey strip \
    marks a time without runs.";

/// Spaces runs evenly from left to right, so that a device with rare runs is not squeezed to one side. `None` for fewer than two
/// runs.
pub(super) fn draw(device: &Device, key: &Key, id: &str) -> Option<Markup> {
    let runs: Vec<(&Entry, &Series)> = device.series(key).filter(|(_, series)| series.max.is_some()).collect();
    let (_, first) = runs.first().filter(|_| runs.len() > 1)?;
    let values =
        || runs.iter().flat_map(|(_, series)| [series.max, quantile(series)]).flatten().map(|value| value as f64);
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(1.0, f64::max));
    let y = Axis::log(low.max(1.0), high, AREA.bottom, AREA.top);
    let x = Axis::exact(runs.len() as f64, AREA.left, AREA.right);
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    plot::y_axis(&mut drawing, AREA, &y, &y.ticks(|value| short(value, first.unit)), "");
    plot::x_axis(&mut drawing, AREA, &x, &[], "runs, the oldest first");
    marks(&mut drawing, device, &runs, &x);
    line(&mut drawing, "c0", &points(&runs, key, (&x, &y), quantile));
    line(&mut drawing, "c1", &points(&runs, key, (&x, &y), |series| series.max));
    Some(drawing.finish(
        id,
        "History of a device",
        "p99.9 and the largest response of each run; the figures are in the table.",
    ))
}

fn marks(drawing: &mut Drawing, device: &Device, runs: &[(&Entry, &Series)], x: &Axis) {
    for (index, pair) in runs.windows(2).enumerate() {
        let middle = x.at(index as f64 + 1.0);
        if device.gaps.iter().any(|gap| Some(gap.from) == pair[0].0.began) {
            drawing.rect("nothing", (middle - 2.0, AREA.top), (4.0, AREA.bottom - AREA.top));
        }
        if device.steps.iter().any(|step| step.started == pair[1].0.run.started) {
            drawing.line("axis step", (middle, AREA.top), (middle, AREA.bottom));
        }
        if pair[0].0.kernel != pair[1].0.kernel {
            drawing.line("axis", (middle, AREA.top), (middle, AREA.bottom));
            drawing.text("mark", (middle, AREA.top - 8.0), Anchor::Middle, &pair[1].0.kernel);
        }
    }
}

fn points(
    runs: &[(&Entry, &Series)],
    key: &Key,
    (x, y): (&Axis, &Axis),
    value: fn(&Series) -> Option<u64>,
) -> Vec<(f64, f64)> {
    let sound = runs.iter().enumerate().filter(|(_, (entry, _))| entry.run.no_evidence_of(key).is_none());
    sound.filter_map(|(index, (_, series))| Some((x.at(index as f64 + 0.5), y.at(value(series)? as f64)))).collect()
}

fn line(drawing: &mut Drawing, class: &str, points: &[(f64, f64)]) {
    drawing.polyline(&format!("curve {class}"), points);
    points.iter().for_each(|point| drawing.dot(&format!("dot {class}"), *point, 2.5));
}

fn quantile(series: &Series) -> Option<u64> {
    series.quantile(QUANTILE).and_then(|quantile| quantile.value)
}
