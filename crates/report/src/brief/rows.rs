// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row a phase: counts, quantiles with what the samples say of them, the maximum.
use super::{Line, Tone, answer, short};
use crate::phrase;
use crate::table::{Align, Table};
use crate::verdict;
use backwall_model::{Run, Series};
use std::cmp::Reverse;

const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];
/// What goes where the terminal is narrow, the least important first; never a row's name or its maximum.
const DISPENSABLE: [&str; 7] = ["p99", "late", "wakeups", "stimuli", "p50", "p99.9", "missed"];

/// The table of so many phases, of more those with the largest maxima, and how many rows it leaves out.
pub(super) fn lines(run: &Run, columns: usize, most: usize) -> Vec<Line> {
    let shown = shown(run, most);
    let Some(first) = shown.first() else { return Vec::new() };
    let names = shown.iter().any(|series| series.key.name != first.key.name);
    let unnamed = usize::from(!names);
    let counted = answer::noun(first);
    let late = if phrase::is_attached(first) { "unseen" } else { "missed" };
    let head = ["", "phase", counted, late, "late", "p50", "p99", "p99.9", "max"];
    let align = |at: usize| if at < 2 { Align::Left } else { Align::Right };
    let head: Vec<(&str, Align)> = head.into_iter().enumerate().map(|(at, name)| (name, align(at))).collect();
    let mut table = Table::new(&head[unnamed..]);
    shown.iter().for_each(|series| table.row(row(run, series).split_off(unnamed)));
    let text = table.fitted(columns, &DISPENSABLE);
    let more = run.series.len() - shown.len();
    let more = (more > 0).then(|| format!("and {more} more: -v"));
    text.lines().map(String::from).chain(more).map(|line| (Tone::Plain, line)).collect()
}

/// Every series while they are few; else those of the headline's name, the worst first.
fn shown(run: &Run, most: usize) -> Vec<&Series> {
    let mut all: Vec<&Series> = run.series.iter().collect();
    if all.len() > most {
        all.retain(|series| !series.completes());
    }
    if all.len() <= most {
        return all;
    }
    let Some(first) = verdict::headline(run) else { return Vec::new() };
    let mut same: Vec<&Series> = all.into_iter().filter(|series| series.key.name == first.key.name).collect();
    if same.len() > most {
        same.sort_by_key(|series| Reverse(series.max));
        same.truncate(most);
    }
    same
}

fn row(run: &Run, series: &Series) -> Vec<String> {
    let phase = short::phase(run, &series.key) + phrase::doubtful(run, &series.key);
    let mut row = vec![series.key.name.clone(), phase];
    row.extend(cells(series));
    row
}

/// Wakeups, missed, late, the three quantiles and the maximum.
pub fn cells(series: &Series) -> Vec<String> {
    let mut cells = Vec::new();
    cells.extend([Some(series.counted()), series.without_response(), series.late].map(phrase::count));
    cells.extend(QUANTILES.map(|q| quantile(series, q)));
    cells.push(short::max(series));
    cells
}

/// A quantile; `≥` in front of the least that it is where the samples do not bound it from above, `-` where they do not reach it.
fn quantile(series: &Series, q: f64) -> String {
    let Some(quantile) = series.quantile(q) else { return "-".to_string() };
    let shown = |value: u64| short::figure(value, series.unit);
    match (quantile.value, quantile.low, quantile.high) {
        (None, ..) => "-".to_string(),
        (Some(value), _, Some(_)) if series.is_edge(value) => format!("{}{}", phrase::AT_MOST, shown(value)),
        (Some(value), _, Some(_)) => shown(value),
        (Some(_), Some(low @ 1..), None) => format!("{}{}", phrase::AT_LEAST, shown(low)),
        (Some(_), _, None) => "-".to_string(),
    }
}
