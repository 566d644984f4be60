// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CPU share of a few chosen names over time, overlaid. Two threads that alternate appear as a square wave.
use super::words::{share, time};
use crate::axis::{Axis, Graduation, short};
use crate::drawing::{Drawing, key};
use crate::plot::{self, Area, WIDTH};
use backwall_model::units::Unit;
use backwall_trace::account::summary::Summary;
use maud::{Markup, html};

pub const MOST: usize = 4;

const AREA: Area = Area { left: 74.0, right: WIDTH - 40.0, top: 14.0, bottom: 214.0 };

struct Shared<'a> {
    name: &'a str,
    cpu_ns: u64,
    over_time: Vec<u64>,
}

fn shared<'a>(summary: &'a Summary, name: &'a str) -> Option<Shared<'a>> {
    let threads = || summary.threads.iter().filter(|thread| thread.name == name && thread.cpu_ns > 0);
    let columns = threads().map(|thread| thread.over_time.len()).max()?;
    let of = |column| threads().filter_map(|thread| thread.over_time.get(column)).sum();
    Some(Shared {
        name,
        cpu_ns: threads().map(|thread| thread.cpu_ns).sum(),
        over_time: (0..columns).map(of).collect(),
    })
}

pub fn ran(summary: &Summary, name: &str) -> bool {
    shared(summary, name).is_some()
}

fn busiest(summary: &Summary) -> Vec<&str> {
    let mut all: Vec<(&str, u64)> = Vec::new();
    for thread in summary.threads.iter().filter(|thread| thread.cpu_ns > 0 && !thread.name.is_empty()) {
        match all.iter_mut().find(|(name, _)| *name == thread.name) {
            Some((_, ns)) => *ns += thread.cpu_ns,
            None => all.push((&thread.name, thread.cpu_ns)),
        }
    }
    all.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    all.into_iter().take(MOST).map(|(name, _)| name).collect()
}

/// The section of the page for the requested names, or for those with the most CPU time. `None` if the recording is shorter than
/// two columns.
pub fn section(summary: &Summary, names: &[String], unit: Unit) -> Option<Markup> {
    let chosen = if names.is_empty() { busiest(summary) } else { names.iter().map(String::as_str).collect() };
    let rows: Vec<Shared> = chosen.into_iter().filter_map(|name| shared(summary, name)).collect();
    let long = rows.iter().any(|row| row.over_time.len() > 1);
    long.then(|| {
        html! {
            section id="shares" aria-labelledby="shares-title" {
                h2 id="shares-title" { "Shares over time" }
                p { "CPU share of all threads with the same name, in each " (time(summary.column_ns, unit))
                    ", one curve per name: two threads that take turns make a square wave." }
                ul class="legend" {
                    @for (number, row) in rows.iter().enumerate() {
                        li { (key(&class(number))) " " b { (row.name) }
                            span { ", " (share(row.cpu_ns, summary.span_ns)) " of one CPU" } }
                    }
                }
                figure { (draw(summary, &rows, unit)) }
            }
        }
    })
}

fn draw(summary: &Summary, rows: &[Shared], unit: Unit) -> Markup {
    let width = summary.column_ns.max(1);
    let whole = |ns: u64, column: usize| 100.0 * ns as f64 / column_ns(summary, width, column) as f64;
    let of = |row: &Shared| row.over_time.iter().enumerate().map(|(column, ns)| whole(*ns, column)).collect();
    let shares: Vec<Vec<f64>> = rows.iter().map(of).collect();
    let high = shares.iter().flatten().copied().fold(100.0, f64::max);
    let (x, y) = (Axis::exact(summary.span_ns as f64, AREA.left, AREA.right), Axis::exact(high, AREA.bottom, AREA.top));
    let mut drawing = Drawing::new(WIDTH, AREA.bottom + 46.0);
    let labelled = |tick: &Graduation| tick.label.is_some();
    let ticks: Vec<Graduation> = y.ticks(|value| format!("{value} %")).into_iter().filter(labelled).collect();
    plot::y_axis(&mut drawing, AREA, &y, &ticks, "");
    let since = match unit {
        Unit::Ns => "time since the first event",
        Unit::Instructions => "executed instructions since the first event",
    };
    plot::x_axis(&mut drawing, AREA, &x, &x.ticks(|value| short(value, unit)), since);
    for (number, shares) in shares.iter().enumerate() {
        let steps = shares.iter().enumerate().flat_map(|(column, share)| {
            let at = |column: usize| x.at((column as u64 * width) as f64);
            [(at(column), y.at(*share)), (at(column + 1), y.at(*share))]
        });
        drawing.polyline(&class(number), &steps.collect::<Vec<_>>());
    }
    let about = "One column per interval, one curve per name, as a share of one CPU.";
    drawing.finish("shares-picture", "CPU shares over time", about)
}

fn class(number: usize) -> String {
    format!("curve c{number}")
}

/// The length of a column; the last one ends with the recording.
fn column_ns(summary: &Summary, width: u64, column: usize) -> u64 {
    summary.span_ns.saturating_sub(column as u64 * width).clamp(1, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_trace::account::summary::Thread;

    fn thread(id: i32, name: &str, over_time: &[u64]) -> Thread {
        let (cpu_ns, over_time) = (over_time.iter().sum(), over_time.to_vec());
        Thread { id, name: name.into(), cpu_ns, over_time, ..Thread::default() }
    }

    // Two threads that alternate, and a third with the first one's name in the last column, which has half the length.
    fn recording() -> Summary {
        let threads = vec![
            thread(1, "sieve", &[0, 70, 0]),
            thread(2, "<device>", &[100, 30, 0]),
            thread(3, "sieve", &[0, 0, 50]),
        ];
        Summary { span_ns: 250, column_ns: 100, threads, ..Summary::default() }
    }

    fn page(names: &[&str]) -> String {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        section(&recording(), &names, Unit::Ns).unwrap().into_string()
    }

    #[test]
    fn two_names_that_take_turns_are_steps_on_one_axis() {
        let page = page(&[]);
        let curves: Vec<&str> =
            page.split("<path class=\"curve").skip(1).filter(|curve| curve.contains("d=\"M74")).collect();
        assert_eq!(curves.len(), 2, "{page}");
        // 0 to 100 % is 200 units high. The first curve has 100, 30 and 0 %, the other 0, 70 and 100 %.
        let heights = |curve: &str| [14.0, 74.0, 154.0, 214.0].map(|height| curve.contains(&format!(" {height}")));
        assert_eq!(
            (heights(curves[0]), heights(curves[1])),
            ([true, false, true, true], [true, true, false, true]),
            "{page}"
        );
        assert!(page.contains("&lt;device&gt;") && page.contains("52.0 % of one CPU"), "{page}");
    }

    #[test]
    fn the_names_that_were_asked_for_are_drawn_in_their_order_and_no_other() {
        let page = page(&["sieve"]);
        assert!(page.contains("sieve") && !page.contains("device"), "{page}");
        assert!(ran(&recording(), "sieve") && !ran(&recording(), "siev"));
    }

    #[test]
    fn one_column_is_no_course_of_time() {
        let short = Summary { threads: vec![thread(1, "a", &[5])], span_ns: 5, column_ns: 100, ..Summary::default() };
        assert!(section(&short, &[], Unit::Ns).is_none());
    }
}
