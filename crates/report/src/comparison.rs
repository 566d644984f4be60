// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two sets of runs side by side, as text within the terminal's width.
use super::grid::Grid;
use super::table::Align;
use super::wrap::wrapped;
use backwall_judge::compare::{Comparison, Largest, Row, Verdict};
use backwall_model::units::DisplayedValue;

pub fn text(comparison: &Comparison, columns: usize) -> String {
    let mut said = wrapped(&headline(comparison), columns);
    for setting in &comparison.settings {
        let line =
            format!("differs: {}: {} -> {}", setting.name, setting.before.join(" | "), setting.after.join(" | "));
        said += &wrapped(&line, columns);
    }
    for rows in comparison.rows.chunk_by(|a, b| a.key == b.key) {
        said += &(wrapped(&rows[0].key.to_string(), columns) + &indented(&grid(rows).table_text(columns - 2)));
    }
    for warning in &comparison.warnings {
        said += &wrapped(&format!("warning: {warning}"), columns);
    }
    said
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

pub(super) fn headline(comparison: &Comparison) -> String {
    let count = |verdict| comparison.rows.iter().filter(|row| row.verdict == verdict).count();
    let parts = [Verdict::Regressed, Verdict::CannotTell, Verdict::Improved, Verdict::Equivalent]
        .map(|verdict| (count(verdict), word(verdict)))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"));
    let (before, after) = (comparison.before.len(), comparison.after.len());
    let runs = |count: usize| if count == 1 { "1 run".to_string() } else { format!("{count} runs") };
    let mut said = format!(
        "{}: {} before, {} after; of {} metrics {}",
        word(comparison.verdict),
        runs(before),
        runs(after),
        comparison.rows.len(),
        parts.collect::<Vec<String>>().join(", ")
    );
    if comparison.rows.iter().all(Row::is_exact) {
        said += "; repeats in the lab are identical, so every difference is exact";
    } else if let Some(fewest) = comparison.fewest_runs {
        said += &format!("; too few runs to decide: make {fewest} on each side, alternating (A B B A)");
        said += &shown_alone(comparison);
    } else if before == 1 || after == 1 {
        said += "; with one run on each side, the difference between runs is unknown";
    }
    said
}

const LARGEST_NAMED: usize = 3;

fn shown_alone(comparison: &Comparison) -> String {
    let one = |largest: &Largest| {
        let [before, after] =
            [largest.before, largest.after].map(|value| DisplayedValue(value, largest.unit).to_string());
        format!("{}: maximum {before} before, {after} after", largest.key)
    };
    let named: Vec<String> = comparison.largest.iter().take(LARGEST_NAMED).map(one).collect();
    let more = comparison.largest.len().saturating_sub(LARGEST_NAMED);
    match (named.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!("; without a verdict: {}", named.join("; ")),
        (false, more) => format!("; without a verdict: {} (and {more} more series)", named.join("; ")),
    }
}

pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equivalent => "equivalent",
        Verdict::Improved => "improved",
        Verdict::CannotTell => "cannot tell",
        Verdict::Regressed => "regressed",
    }
}

pub(super) fn grid(rows: &[Row]) -> Grid {
    let right = ["before", "after", "change", "95 % limits", "p"].map(|name| (name, Align::Right));
    let columns = [("metric", Align::Left)].into_iter().chain(right).chain([("verdict", Align::Left)]).collect();
    let rows = rows.iter().map(cells).collect();
    Grid { title: "", intro: String::new(), columns, dispensable: vec!["p", "95 % limits"], rows }
}

fn cells(row: &Row) -> Vec<String> {
    let p = row.p.map_or("-".to_string(), |p| if p < 0.001 { "<0.001".to_string() } else { format!("{p:.3}") });
    let (before, after) = (value(row, row.before), value(row, row.after));
    vec![row.metric.clone(), before, after, change(row.ratio), limits(row), p, answer(row)]
}

/// The 95 % confidence limits of the change.
fn limits(row: &Row) -> String {
    match (row.low, row.high) {
        _ if row.is_exact() => "exact".to_string(),
        (Some(low), Some(high)) => format!("{} to {}", change(low), change(high)),
        _ => "-".to_string(),
    }
}

pub(super) fn value(row: &Row, value: f64) -> String {
    match row.unit {
        Some(unit) => DisplayedValue(value.round() as u64, unit).to_string(),
        None => format!("{:.3} %", 100.0 * value),
    }
}

/// Formats a factor as a change in percent, or as a factor from 10 on.
pub(super) fn change(ratio: f64) -> String {
    if ratio >= 10.0 { format!("x{ratio:.0}") } else { format!("{:+.1}%", 100.0 * (ratio - 1.0)) }
}

pub(super) fn answer(row: &Row) -> String {
    match row.needs_runs {
        Some(runs) => format!("cannot tell: {runs} runs?"),
        None => word(row.verdict).to_string(),
    }
}

pub(super) fn sentence(row: &Row) -> String {
    let (before, after) = (value(row, row.before), value(row, row.after));
    let limits = if row.is_exact() { "exactly".to_string() } else { format!("{} at 95 %", limits(row)) };
    format!("{}, {}: {before} to {after}, {} ({limits})", row.key, row.metric, change(row.ratio))
}
