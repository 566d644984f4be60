// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forecast maximum over the length of a run, with its interval, and the observed maxima of parts of the run.
use super::group::Group;
use super::numbered;
use crate::axis::{Axis, Graduation, short};
use crate::drawing::{Drawing, key, swatch};
use crate::forecast::length;
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use crate::section::Section;
use backwall_model::units::Unit;
use backwall_model::{Run, Series};
use backwall_stats::forecast::{Interval, Tail};
use maud::{Markup, html};

const INTRO: &str = "The curve is the median, the band the 95 % interval. Dots are observed maxima of halves, quarters and \
     eighths of this run. This is a prediction for the same conditions, not a bound: it cannot include events that \
     never occurred in this run.";

const AREA: Area = Area { left: 74.0, right: WIDTH - 40.0, top: 14.0, bottom: 214.0 };
/// Multiples of the run's length.
const TIMES: [f64; 8] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 12.0, 24.0];
const PARTS: [u64; 4] = [8, 4, 2, 1];
/// Number of series that get a picture, those with the largest maxima.
const MOST: usize = 4;

struct Curve<'a> {
    series: &'a Series,
    length_ns: f64,
    levels: Vec<(f64, Interval)>,
    observed: Vec<(f64, u64)>,
}

/// `None` if no series of the run can be forecast; `backwall forecast` gives the reason.
pub fn section(run: &Run) -> Option<Section> {
    let mut series: Vec<&Series> = run.series.iter().filter(|series| series.unit == Unit::Ns).collect();
    series.sort_by_key(|series| std::cmp::Reverse(series.max));
    let curves: Vec<Curve> = series.into_iter().filter_map(curve).take(MOST).collect();
    let body = html! {
        @for (index, curve) in curves.iter().enumerate() {
            figure {
                figcaption { (phrase::phase(curve.series)) }
                (draw(curve, &numbered("forecast-picture", index)))
            }
        }
    };
    (!curves.is_empty()).then(|| Section::new("forecast", "What a longer run would find", INTRO, body))
}

fn curve(series: &Series) -> Option<Curve<'_>> {
    let tail = Tail::of(series).ok()?;
    let length_ns = tail.record.period? * tail.record.length as f64;
    let levels = TIMES.iter().map_while(|times| Some((length_ns * times, tail.maximum(*times).ok()?.maximum)));
    let levels: Vec<(f64, Interval)> = levels.collect();
    let observed = |parts: &u64| {
        let maxima = tail.record.maxima(*parts).into_iter().flatten();
        maxima.map(|most| (length_ns / *parts as f64, most)).collect::<Vec<_>>()
    };
    let observed = PARTS.iter().flat_map(observed).collect();
    (levels.len() > 1).then_some(Curve { series, length_ns, levels, observed })
}

fn draw(curve: &Curve, id: &str) -> Markup {
    let unit = curve.series.unit;
    let lows = curve.levels.iter().map(|(_, level)| level.low).chain(curve.observed.iter().map(|(_, most)| *most));
    let highs = curve.levels.iter().map(|(_, level)| level.high).chain(curve.observed.iter().map(|(_, most)| *most));
    let (low, high) = (lows.min().unwrap_or(1).max(1) as f64, highs.max().unwrap_or(1) as f64);
    let last_ns = curve.levels.last().map_or(curve.length_ns, |(length_ns, _)| *length_ns);
    let x = Axis::log(curve.levels[0].0, last_ns, AREA.left, AREA.right);
    let y = Axis::log(low, high, AREA.bottom, AREA.top);
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    let mark = |(value, _): &(f64, Interval)| Graduation { value: *value, label: Some(length(*value)) };
    let marks: Vec<Graduation> = curve.levels.iter().map(mark).collect();
    plot::y_axis(&mut drawing, AREA, &y, &y.ticks(|value| short(value, unit)), "largest latency");
    plot::x_axis(&mut drawing, AREA, &x, &marks, "length of the run");
    let at = |length_ns: f64, value: u64| (x.at(length_ns), y.at(value as f64));
    let upper = curve.levels.iter().map(|(length_ns, level)| at(*length_ns, level.high));
    let lower = curve.levels.iter().rev().map(|(length_ns, level)| at(*length_ns, level.low));
    let median: Vec<(f64, f64)> = curve.levels.iter().map(|(length_ns, level)| at(*length_ns, level.median)).collect();
    let class = Group::class(0);
    drawing.area(&format!("band {class}"), &upper.chain(lower).collect::<Vec<_>>());
    drawing.polyline(&format!("curve {class}"), &median);
    for (length_ns, most) in &curve.observed {
        drawing.dot(&format!("dot {}", Group::class(1)), at(*length_ns, *most), 2.5);
    }
    hints(&mut drawing, curve, &x);
    let legend = html! {
        ul class="legend" {
            li { (key(&format!("curve {class}"))) " median" }
            li { (swatch(&format!("band {class}"))) " 95 % interval" }
            li { (swatch(&format!("dot {}", Group::class(1)))) " observed maxima of parts of this run" }
        }
    };
    let about = "Forecast of the largest latency against the length of a run, with its interval and observed maxima.";
    html! { (legend) (drawing.finish(id, "What a longer run would find", about)) }
}

fn hints(drawing: &mut Drawing, curve: &Curve, x: &Axis) {
    let width = (AREA.right - AREA.left) / curve.levels.len() as f64;
    for (length_ns, level) in &curve.levels {
        let [low, median, high] = [level.low, level.median, level.high].map(|ns| phrase::value(ns, curve.series.unit));
        let lines =
            [format!("in {}", length(*length_ns)), format!("median {median}"), format!("{low} to {high} (95 %)")];
        let from = (x.at(*length_ns) - width / 2.0).max(AREA.left);
        drawing.hint((from, AREA.top), (width.min(AREA.right - from), AREA.bottom - AREA.top), &lines);
    }
}
