// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cost of each operation: a strip per row on one logarithmic axis, grouped as in the 2002 paper.
use super::strip;
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing};
use crate::osbench::{TESTS, place};
use crate::paper::operations::{self as paper, PROCESSORS};
use crate::phrase;
use crate::plot::{self, Area, WIDTH};
use backwall_model::picture::Operation;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Run, Series};
use maud::{Markup, html};

pub const INTRO: &str = "Each strip is one operation, all on one logarithmic axis: the darker a place, the more samples; the \
     thick stroke is the largest sample, the thin one the median. Dots are the 2002 paper's averages for the same row on Windows \
     CE .NET, usually Pentium III, K6-2 and Pentium from left to right. For an operation measured in a loop, the strip shows the \
     time of one pass.";

const LEFT: f64 = 330.0;
const RIGHT: f64 = WIDTH - 40.0;
const ROW: f64 = 17.0;
const HEAD: f64 = 26.0;
const TOP: f64 = 8.0;
const BINS: usize = 220;

pub fn draw(run: &Run, rows: &[(&Operation, &Series)], id: &str) -> Markup {
    let rows: Vec<_> = rows.iter().copied().filter(|(_, series)| series.max.is_some()).collect();
    let Some((_, first)) = rows.first() else { return html! { p { "No operation was measured." } } };
    let (x, unit) = (axis(&rows), first.unit);
    let bottom = TOP + ROW * rows.len() as f64 + HEAD * groups(&rows).len() as f64;
    let mut drawing = Drawing::new(WIDTH, bottom + 46.0);
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom };
    let title =
        format!("time of one operation ({})", if unit == Unit::Ns { "real time" } else { "executed instructions" });
    plot::x_axis(&mut drawing, area, &x, &x.ticks(|value| short(value, unit)), &title);
    let mut top = TOP;
    for (name, rows) in groups(&rows) {
        drawing.text("title", (0.0, top + 18.0), Anchor::Start, &name);
        top += HEAD;
        for (row, series) in rows {
            strip(&mut drawing, &x, top, (row, series));
            top += ROW;
        }
    }
    let about = format!("{} operations; the figures are in the table.", rows.len());
    drawing.finish(id, &format!("What each operation costs on {}", phrase::system(run)), &about)
}

type Rows<'a> = Vec<(&'a Operation, &'a Series)>;

fn groups<'a>(rows: &[(&'a Operation, &'a Series)]) -> Vec<(String, Rows<'a>)> {
    let mut groups: Vec<(String, Rows)> = Vec::new();
    for (row, series) in rows {
        let test = row.test.split('.').next().unwrap_or("");
        let known = TESTS.iter().find(|(id, _)| id.to_string() == test).map_or("", |(_, about)| about);
        let name = format!("{test}  {known}");
        match groups.last_mut().filter(|(last, _)| *last == name) {
            Some((_, rows)) => rows.push((row, series)),
            None => groups.push((name, vec![(row, series)])),
        }
    }
    groups
}

fn axis(rows: &[(&Operation, &Series)]) -> Axis {
    let ours = rows.iter().flat_map(|(row, series)| [series.min, series.max].map(|value| (row, value)));
    let ours = ours.filter_map(|(row, value)| Some(row.each(value? as f64))).filter(|value| *value > 0.0);
    let all: Vec<f64> = ours.chain(rows.iter().flat_map(|(row, series)| published(row, series))).collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(1.0, f64::max);
    Axis::log(if low.is_finite() { low } else { 1.0 }, high * 1.06, LEFT, RIGHT)
}

/// The paper's averages for this row, in nanoseconds.
fn published(row: &Operation, series: &Series) -> Vec<f64> {
    let found = row.paper_row.and_then(paper::row).filter(|_| series.unit == Unit::Ns);
    let averages = found.into_iter().flatten().map(|figures| figures[2].parse::<f64>().unwrap_or(0.0) * 1e3);
    averages.filter(|value| *value > 0.0).collect()
}

fn strip(drawing: &mut Drawing, x: &Axis, top: f64, (row, series): (&Operation, &Series)) {
    let label = [row.name.clone(), place(row)].join(" ");
    drawing.text("mark", (LEFT - 8.0, top + 12.5), Anchor::End, &label);
    let height = ROW - 5.0;
    strip::shades(drawing, x, &bins(x, row, series), (top + 2.0, height), "c0");
    let at = |value: u64| x.at(row.each(value as f64));
    let median = series.quantile(0.5).and_then(|found| found.value);
    median.into_iter().for_each(|median| drawing.line("axis", (at(median), top), (at(median), top + ROW - 1.0)));
    series.max.into_iter().for_each(|max| drawing.rect("wall c1", (at(max) - 1.0, top + 1.0), (2.5, height + 2.0)));
    published(row, series).into_iter().for_each(|value| drawing.dot("wall c3", (x.at(value), top + ROW / 2.0), 2.6));
    drawing.hint((LEFT, top), (RIGHT - LEFT, ROW), &hints(row, series));
}

fn hints(row: &Operation, series: &Series) -> Vec<String> {
    let value = |value: Option<u64>| value.map_or("-".to_string(), |value| short(row.each(value as f64), series.unit));
    let median = series.quantile(0.5).and_then(|found| found.value);
    let counts = format!("{} samples, {} missed", grouped(series.counted()), phrase::count(series.missed));
    let figures = format!("min {}, median {}, max {}", value(series.min), value(median), value(series.max));
    let mut lines = vec![format!("{} {}", row.test, row.name), figures, counts];
    if let Some(found) = row.paper_row.and_then(paper::row) {
        let average = |(name, figures): (&&str, &[&str; 3])| format!("{name}: average {} us", figures[2]);
        lines.extend(PROCESSORS.iter().zip(found).map(average));
    }
    lines
}

/// Each histogram class counts entirely in the bin of its lower bound.
fn bins(x: &Axis, row: &Operation, series: &Series) -> Vec<u64> {
    strip::bins(x, BINS, series.histogram.classes().map(|(low, _, count)| (row.each(low as f64), count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Span};
    use backwall_stats::SeriesBuilder;

    fn row(test: &str, paper_row: Option<u64>, per_value: u64) -> Operation {
        Operation { test: test.into(), name: "<b>".into(), paper_row, per_value, ..Operation::default() }
    }

    fn series(values: &[u64]) -> Series {
        let mut builder = SeriesBuilder::new(Key::new("<b>", "none", "as-is"), Span::new("begin", "end", Unit::Ns));
        values.iter().zip(0..).for_each(|(value, seq)| builder.sample(seq, seq * 100, *value, false));
        builder.build()
    }

    #[test]
    fn no_sample_of_a_strip_is_lost() {
        let (row, series) = (row("9.00", None, 20), series(&[0, 20, 40, 41, 2_000_000_000]));
        let x = axis(&[(&row, &series)]);
        assert_eq!(bins(&x, &row, &series).iter().sum::<u64>(), 5);
    }

    #[test]
    fn rows_are_grouped_by_test_and_names_are_escaped_and_the_papers_lie_on_the_axis() {
        let (one, other, values) = (row("1.00", Some(7), 1), row("9.00", None, 1), series(&[2_000, 2_500]));
        let rows = [(&one, &values), (&one, &values), (&other, &values)];
        let names: Vec<(String, usize)> = groups(&rows).into_iter().map(|(name, rows)| (name, rows.len())).collect();
        assert_eq!(names, [("1  Event set-wakeup".to_string(), 2), ("9  Making threads and processes".to_string(), 1)]);
        let x = axis(&rows);
        assert!(x.low() <= 2_000.0 && x.high() >= 21_486.0, "the Pentium's average of row 7 is 21.486 us");
        let run = backwall_model::Run::begin(
            backwall_model::Origin::Measured,
            Default::default(),
            Vec::new(),
            jiff::Timestamp::UNIX_EPOCH,
        );
        let svg = draw(&run, &rows, "strips").into_string();
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 6, "three dots for each of two rows");
    }
}
