// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row per phase: counts, quantiles with their bounds, the maximum.
use super::{Line, Tone, answer, short};
use crate::phrase;
use crate::table::{Align, Table};
use crate::verdict;
use backwall_model::column::{Column, Figure, View};
use backwall_model::{Run, Series};
use std::cmp::Reverse;

/// The table of at most `most` phases, largest maximum first, and the number of rows left out.
pub(super) fn lines(run: &Run, columns: usize, most: usize) -> Vec<Line> {
    let shown = shown(run, most);
    let Some(first) = shown.first() else { return Vec::new() };
    let names = shown.iter().any(|series| series.key.name != first.key.name);
    let unnamed = usize::from(!names);
    let names = [("", Align::Left), ("phase", Align::Left)].into_iter();
    let figures = Column::of(View::Screen).map(|column| (title(column, first), Align::Right));
    let head: Vec<(&str, Align)> = names.chain(figures).skip(unnamed).collect();
    let mut table = Table::new(&head);
    shown.iter().for_each(|series| table.row(row(run, series).split_off(unnamed)));
    // The name and the maximum of a row always stay.
    let mut dispensable: Vec<&Column> = Column::of(View::Screen).filter(|column| column.goes > 0).collect();
    dispensable.sort_by_key(|column| column.goes);
    let dispensable: Vec<&str> = dispensable.into_iter().map(|column| title(column, first)).collect();
    let text = table.fitted(columns, &dispensable);
    let more = run.series.len() - shown.len();
    let more = (more > 0).then(|| format!("and {more} more: -v"));
    text.lines().map(String::from).chain(more).map(|line| (Tone::Plain, line)).collect()
}

/// All series if there are few; otherwise the chains, and the series with the same name as the headline, worst first.
fn shown(run: &Run, most: usize) -> Vec<&Series> {
    let mut all: Vec<&Series> = run.series.iter().collect();
    if all.len() > most {
        all.retain(|series| !series.completes());
    }
    if all.len() <= most {
        return all;
    }
    let Some(first) = verdict::headline(run) else { return Vec::new() };
    let (mut chains, mut same): (Vec<&Series>, Vec<&Series>) = all
        .into_iter()
        .filter(|series| series.key.name == first.key.name || phrase::is_chain(series))
        .partition(|series| phrase::is_chain(series));
    let room = most.saturating_sub(chains.len());
    for (series, room) in [(&mut chains, most), (&mut same, room)] {
        if series.len() > room {
            series.sort_by_key(|series| Reverse(series.max));
            series.truncate(room);
        }
    }
    same.extend(chains);
    same
}

fn title(column: &Column, first: &Series) -> &'static str {
    match column.title {
        "wakeups" => answer::noun(first),
        "missed" if phrase::is_attached(first) => "unseen",
        title => title,
    }
}

fn row(run: &Run, series: &Series) -> Vec<String> {
    let phase = short::phase(run, &series.key) + phrase::doubtful(run, &series.key);
    [series.key.name.clone(), phase].into_iter().chain(cells(series)).collect()
}

/// The titles of [`cells`]. The flag marks a column that counts missed or late responses.
pub fn titles(first: &Series) -> impl Iterator<Item = (&'static str, bool)> {
    Column::of(View::Screen).map(|column| (title(column, first), matches!(column.figure, Figure::Fault(_))))
}

/// Wakeups, missed, late, the three quantiles and the maximum.
pub fn cells(series: &Series) -> Vec<String> {
    Column::of(View::Screen).map(|column| cell(column.figure, series)).collect()
}

fn cell(figure: Figure, series: &Series) -> String {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| short::figure(value, series.unit));
    match figure {
        Figure::Count(count) | Figure::Fault(count) => phrase::count(count(series)),
        Figure::Quantile(q) => quantile(series, q),
        Figure::Max => short::max(series),
        Figure::Min => exact(series.min),
        Figure::Jitter => exact(series.jitter),
        Figure::Mean => exact(series.mean.map(|mean| mean.round() as u64)),
        Figure::Quantiles => String::new(),
    }
}

/// A quantile. If the samples do not bound it from above, the cell has its lower bound after `≥`; if there are too few
/// samples, the cell has `-`.
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
