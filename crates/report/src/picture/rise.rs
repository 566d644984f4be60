// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the share of answers rises with time, one row per line on one logarithmic axis: the step, its 5 % and 95 % points, and the
//! maximum.
use super::strip;
use crate::axis::{Axis, Graduation, short};
use crate::drawing::{Anchor, Drawing};
use crate::plot::{self, Area, WIDTH};
use crate::wrap::cut;
use backwall_model::Series;
use backwall_model::units::{Unit, grouped};
use maud::{Markup, html};

pub const INTRO: &str = "All rows share one time base. In each row the step rises from no answers to all, and the shade is darker where more answers came. Thin strokes mark 5 % and 95 % of the answers, the thick stroke marks the last answer, and a thinner one the end of its pulse. The figures next to each row are these four times.";

const LEFT: f64 = 262.0;
const RIGHT: f64 = WIDTH - 380.0;
const TOP: f64 = 30.0;
const ROW: f64 = 46.0;
const STEP: f64 = 32.0;
const LABEL: f64 = 84.0;
const PLACES: usize = 240;
const NAME_COLUMNS: usize = 30;
const FIGURES: [f64; 4] = [WIDTH - 288.0, WIDTH - 196.0, WIDTH - 104.0, WIDTH];
const WALL: usize = 2;

pub struct Row<'a> {
    pub name: [String; 2],
    pub series: &'a Series,
    pub completion: Option<&'a Series>,
    pub colour: usize,
}

/// Draws the rows that have answers, in the unit of the first row.
pub fn draw(rows: &[Row], id: &str) -> Markup {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.series.max.is_some()).collect();
    let Some(first) = rows.first() else { return html! { p { "Nothing was answered." } } };
    let unit = first.series.unit;
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom: TOP + ROW * rows.len() as f64 };
    let low = rows.iter().filter_map(|row| row.series.min).min().unwrap_or(1).max(1) as f64;
    let over = rows.iter().filter_map(|row| row.completion?.max).max().unwrap_or(1);
    let high = rows.iter().filter_map(|row| row.series.max).max().unwrap_or(1).max(over) as f64;
    let x = Axis::log(low, high * 1.04, LEFT, RIGHT);
    let mut drawing = Drawing::new(WIDTH, area.bottom + 46.0);
    plot::x_axis(&mut drawing, area, &x, &ticks(&x, unit), &title(unit));
    for (name, at) in ["5 % within", "95 % within", "maximum", "completion"].into_iter().zip(FIGURES) {
        drawing.text("mark", (at, TOP - 12.0), Anchor::End, name);
    }
    for (number, row) in rows.iter().enumerate() {
        draw_row(&mut drawing, &x, TOP + ROW * number as f64, row);
    }
    let about = format!("{} lines; the figures are next to each.", rows.len());
    drawing.finish(id, "How the share of answers rises", &about)
}

fn ticks(x: &Axis, unit: Unit) -> Vec<Graduation> {
    let mut ticks = x.ticks(|value| short(value, unit));
    let mut free = f64::NEG_INFINITY;
    for tick in &mut ticks {
        let at = x.at(tick.value);
        if tick.label.is_some() && at < free {
            tick.label = None;
        } else if tick.label.is_some() {
            free = at + LABEL;
        }
    }
    ticks
}

fn title(unit: Unit) -> String {
    match unit {
        Unit::Ns => "from the stimulus to the answer".to_string(),
        Unit::Instructions => "from the stimulus to the answer, in executed instructions".to_string(),
    }
}

fn draw_row(drawing: &mut Drawing, x: &Axis, top: f64, row: &Row) {
    let (series, class) = (row.series, format!("c{}", row.colour % 8));
    let [name, note] = &row.name;
    drawing.text(&format!("title {class}"), (0.0, top + 19.0), Anchor::Start, &cut(name, NAME_COLUMNS));
    drawing.text("mark", (0.0, top + 37.0), Anchor::Start, &cut(note, NAME_COLUMNS));
    drawing.line("grid faint", (LEFT, top + ROW), (RIGHT, top + ROW));
    let foot = top + ROW - 5.0;
    let values = series.histogram.classes().map(|(low, _, count)| (low.max(1) as f64, count));
    let bins = strip::bins(x, PLACES, values);
    strip::shades(drawing, x, &bins, (foot - 6.0, 6.0), &class);
    drawing.polyline(&format!("rise {class}"), &steps(x, &bins, foot));
    let marks = [within(series, 5), within(series, 95)];
    for mark in marks.iter().flatten() {
        let at = x.at(*mark as f64);
        drawing.line("axis", (at, foot - STEP), (at, foot));
    }
    let wall = series.max.unwrap_or(0);
    drawing.rect(&format!("wall {class}"), (x.at(wall as f64) - 1.5, top + 4.0), (3.0, ROW - 6.0));
    let over = row.completion.and_then(|completion| completion.max);
    if let Some(over) = over {
        drawing.rect(&format!("wall {class}"), (x.at(over as f64) - 0.5, top + 4.0), (1.0, ROW - 6.0));
    }
    for (column, (value, at)) in [marks[0], marks[1], Some(wall), over].into_iter().zip(FIGURES).enumerate() {
        let class = if column == WALL { "title" } else { "" };
        drawing.text(
            class,
            (at, top + 28.0),
            Anchor::End,
            &value.map_or("-".to_string(), |value| shown(value, series.unit)),
        );
    }
}

fn shown(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Instructions => grouped(value),
        Unit::Ns => short(value as f64, unit),
    }
}

/// The share of answers that have arrived by the end of each bin, as a line from none to all.
fn steps(x: &Axis, bins: &[u64], foot: f64) -> Vec<(f64, f64)> {
    let all = bins.iter().fold(0u64, |sum, count| sum.saturating_add(*count)).max(1) as f64;
    let width = (x.end() - x.start()) / bins.len() as f64;
    let (mut points, mut come) = (vec![(x.start(), foot)], 0u64);
    for (place, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let at = x.start() + width * place as f64;
        points.push((at, foot - STEP * come as f64 / all));
        come = come.saturating_add(*count);
        points.push((at, foot - STEP * come as f64 / all));
    }
    points.push((x.end(), foot - STEP * come as f64 / all));
    points
}

/// An upper bound of this percentile: at most one histogram class above the true value.
fn within(series: &Series, percent: u64) -> Option<u64> {
    let all: u128 = series.histogram.classes().map(|(_, _, count)| u128::from(count)).sum();
    let mut come = 0;
    series.histogram.classes().find_map(|(_, next, count)| {
        come += u128::from(count);
        let last = next.saturating_sub(1).min(series.max.unwrap_or(u64::MAX));
        (come * 100 >= all * u128::from(percent)).then_some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Span};
    use backwall_stats::SeriesBuilder;

    fn series(values: impl Iterator<Item = u64>) -> Series {
        let mut builder = SeriesBuilder::new(Key::new("ist", "none", "as-is"), Span::new("a", "b", Unit::Instructions));
        values.zip(0..).for_each(|(value, seq)| builder.sample(seq, seq * 100, value, false));
        builder.build()
    }

    #[test]
    fn five_and_ninety_five_percent_are_where_that_share_has_come() {
        let even = series(1..=100);
        assert_eq!((within(&even, 5), within(&even, 95)), (Some(5), Some(95)));
        let outlier = series((0..99).map(|_| 10).chain([5_000]));
        assert_eq!(
            (within(&outlier, 5), within(&outlier, 95), within(&outlier, 100)),
            (Some(10), Some(10), Some(5_000))
        );
        assert_eq!(within(&series(std::iter::empty()), 5), None);
    }

    #[test]
    fn the_step_rises_from_none_to_all() {
        let x = Axis::log(1.0, 1_000.0, 0.0, 240.0);
        let bins = strip::bins(&x, 240, [(1.0, 3), (100.0, 1)].into_iter());
        let steps = steps(&x, &bins, STEP);
        assert_eq!((steps[0].1, steps.last().unwrap().1), (STEP, 0.0));
        assert!(steps.windows(2).all(|pair| pair[0].1 >= pair[1].1 && pair[0].0 <= pair[1].0));
        assert!(steps.iter().any(|(_, y)| *y == STEP / 4.0), "three of four have come");
    }

    #[test]
    fn every_line_has_its_wall_in_figures_and_names_are_escaped() {
        let (one, other) = (series(1..=100), series(4_000..4_100));
        let over = series(5_000..5_100);
        let row = |series, completion, colour| Row { name: ["<b>".into(), "APP".into()], series, completion, colour };
        let svg = draw(&[row(&one, None, 0), row(&other, Some(&over), 1)], "rise").into_string();
        assert!(
            svg.contains(">100<")
                && svg.contains(">4,099<")
                && svg.contains(">5,099<")
                && svg.contains("&lt;b&gt;")
                && !svg.contains("<b>")
        );
        assert_eq!(svg.matches("class=\"rise").count(), 2);
    }
}
