// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tail of every phase: the share of responses at or beyond a latency, on log axes.
use super::group::{self, Group};
use super::legend;
use crate::axis::{Axis, Graduation, short};
use crate::drawing::{Anchor, Drawing};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use backwall_model::Series;
use backwall_model::units::grouped;
use maud::{Markup, html};

pub const INTRO: &str = "Choose a latency on the axis below: the height of the curve is the share of responses that \
    came that late or later. A curve that falls like a cliff belongs to a system one can rely on; a long slope to the \
    right does not. Each curve ends at its maximum, which is a single response. Bars are the 95 % limits of the quantiles.";

const AREA: Area = Area { left: 104.0, right: WIDTH - 66.0, top: 14.0, bottom: 320.0 };
const MOST_POINTS: usize = 500;

pub fn draw(group: &Group, id: &str) -> Markup {
    let (low, high) = group.range();
    let most = group.series.iter().map(|series| series.done).max().unwrap_or(1).max(10);
    let x = Axis::log(low, high, AREA.left, AREA.right);
    let y = Axis::log(1.0 / most as f64, 1.0, AREA.bottom, AREA.top);
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    frame(&mut drawing, group, &x, &y);
    let curves: Vec<Vec<(f64, f64)>> = group.series.iter().map(|series| survival(series)).collect();
    for (index, points) in curves.iter().enumerate() {
        let class = Group::class(index);
        let aside = (index as f64 - (curves.len() as f64 - 1.0) / 2.0) * 5.0;
        limits(&mut drawing, group.series[index], (&x, &y), (&class, aside));
        drawing.polyline(&format!("curve {class}"), &stepped(points, &x, &y));
        if let Some((wall, share)) = points.last() {
            let top = y.at(*share);
            drawing.rect(&format!("wall {class}"), (x.at(*wall) - 1.5, top), (3.0, AREA.bottom - top));
        }
    }
    hints(&mut drawing, group, &curves, &x);
    html! { (legend::list(group)) (drawing.finish(id, "Tail of latency", &about(group))) }
}

fn frame(drawing: &mut Drawing, group: &Group, x: &Axis, y: &Axis) {
    plot::x_axis(drawing, AREA, x, &x.ticks(|value| short(value, group.unit)), &group.axis_title());
    let decades = y.ticks(one_in).into_iter().filter(|tick| is_decade(tick.value));
    let ticks: Vec<Graduation> = decades.collect();
    plot::y_axis(drawing, AREA, y, &ticks, "responses this late or later");
    for tick in ticks.iter().filter(|tick| tick.value < 0.9) {
        let name = phrase::quantile_name(1.0 - tick.value);
        drawing.text("mark", (AREA.right + 8.0, y.at(tick.value) + 4.0), Anchor::Start, &name);
    }
}

fn is_decade(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-6
}

/// A share in words: `all`, `1 in 1,000`.
fn one_in(share: f64) -> String {
    if share > 0.9 { "all".to_string() } else { format!("1 in {}", grouped((1.0 / share).round() as u64)) }
}

/// Points (latency, share at or beyond it): exact at the bounds of the classes, and at the largest value.
fn survival(series: &Series) -> Vec<(f64, f64)> {
    let all = group::counted(series).saturating_add(series.overflow);
    let mut left = all;
    let mut points = Vec::new();
    for (low, count) in series.histogram.bounds.iter().zip(&series.histogram.counts) {
        if *count > 0 {
            points.push(((*low).max(series.min.unwrap_or(0)) as f64, left as f64 / all as f64));
            left = left.saturating_sub(*count);
        }
    }
    points.extend(series.max.filter(|_| all > 0).map(|max| (max as f64, 1.0 / all as f64)));
    thin(points)
}

fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let tail = points.len().saturating_sub(MOST_POINTS / 2);
    let every = tail.div_ceil(MOST_POINTS / 2).max(1);
    let kept = points.iter().enumerate().filter(|(index, _)| *index >= tail || index % every == 0);
    kept.map(|(_, point)| *point).collect()
}

/// The share stays until the next value: horizontal, then down.
fn stepped(points: &[(f64, f64)], x: &Axis, y: &Axis) -> Vec<(f64, f64)> {
    let mut path = Vec::new();
    for (value, share) in points {
        let (px, py) = (x.at(*value), y.at(*share));
        if path.is_empty() {
            path.push((x.start(), py));
        }
        path.push((px, path.last().map_or(py, |last: &(f64, f64)| last.1)));
        path.push((px, py));
    }
    path.dedup();
    path
}

/// Draws a bar from the lower to the upper limit of each quantile that has both, shifted by `aside` so that no phase hides
/// another.
fn limits(drawing: &mut Drawing, series: &Series, (x, y): (&Axis, &Axis), (class, aside): (&str, f64)) {
    for quantile in &series.quantiles {
        if let (Some(low), Some(high), true) = (quantile.low, quantile.high, quantile.q < 1.0) {
            let height = y.at(1.0 - quantile.q) + aside;
            drawing.line(&format!("limits {class}"), (x.at(low as f64), height), (x.at(high as f64), height));
        }
    }
}

fn share_at(points: &[(f64, f64)], value: f64) -> f64 {
    points.iter().find(|(latency, _)| *latency >= value).map_or(0.0, |(_, share)| *share)
}

/// Hover areas over the picture, with each phase's share of responses at least this late.
fn hints(drawing: &mut Drawing, group: &Group, curves: &[Vec<(f64, f64)>], x: &Axis) {
    const STRIPS: usize = 80;
    let ratio = (x.high() / x.low()).powf(1.0 / STRIPS as f64);
    for strip in 0..STRIPS {
        let from = x.low() * ratio.powi(strip as i32);
        let middle = from * ratio.sqrt();
        let mut lines = vec![format!("{} or later", phrase_value(middle, group))];
        lines.extend(
            curves
                .iter()
                .enumerate()
                .map(|(index, points)| format!("{}: {}", group.label(index), share_text(share_at(points, middle)))),
        );
        drawing.hint((x.at(from), AREA.top), (x.at(from * ratio) - x.at(from), AREA.bottom - AREA.top), &lines);
    }
}

fn phrase_value(value: f64, group: &Group) -> String {
    phrase::value(value.round() as u64, group.unit)
}

fn share_text(share: f64) -> String {
    match share {
        0.0 => "none".to_string(),
        share if share >= 0.01 => format!("{:.1} %", share * 100.0),
        share => format!("1 in {}", grouped((1.0 / share).round() as u64)),
    }
}

fn about(group: &Group) -> String {
    let one = |index: usize| {
        let series = group.series[index];
        let known = series.quantiles.iter().filter_map(|quantile| Some((quantile.q, quantile.value?)));
        let words: Vec<String> = known
            .map(|(q, value)| format!("{} {}", phrase::quantile_name(q), phrase::value(value, series.unit)))
            .collect();
        format!("{}: {}", group.label(index), words.join(", "))
    };
    (0..group.series.len()).map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned_but_keep_their_tail() {
        let points: Vec<(f64, f64)> = (0..10_000).map(|i| (i as f64, 1.0)).collect();
        let kept = thin(points.clone());
        assert!(kept.len() <= MOST_POINTS, "{}", kept.len());
        assert_eq!(kept[kept.len() - 250..], points[9_750..]);
    }

    #[test]
    fn shares_are_said_as_people_say_them() {
        assert_eq!([1.0, 0.123, 0.001, 0.0].map(share_text), ["100.0 %", "12.3 %", "1 in 1,000", "none"]);
        assert_eq!([1.0, 0.001].map(one_in), ["all", "1 in 1,000"]);
    }
}
