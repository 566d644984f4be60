// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two sets of runs side by side, as text within the terminal's width.
use super::grid::Grid;
use super::phrase;
use super::table::Align;
use super::wrap::wrapped;
use backwall_judge::compare::{Comparison, Difference, Largest, Row, Verdict};
use backwall_model::units::{DisplayedValue, counted};

pub fn text(comparison: &Comparison, columns: usize) -> String {
    let mut said = wrapped(&headline(comparison), columns);
    for setting in &comparison.settings {
        let line =
            format!("differs: {}: {} -> {}", named(setting), setting.before.join(" | "), setting.after.join(" | "));
        said += &wrapped(&line, columns);
    }
    for rows in comparison.rows.chunk_by(|a, b| a.key == b.key) {
        said += &wrapped(&phrase::series_of(&rows[0].key), columns);
        said += &indented(&brief(comparison, rows).table_text(columns - 2));
    }
    for warning in &comparison.warnings {
        said += &wrapped(&format!("warning: {warning}"), columns);
    }
    said
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The name of a setting. The prefix that marks a check in the record is left out.
pub(super) fn named(setting: &Difference) -> &str {
    setting.name.strip_prefix("check.").unwrap_or(&setting.name)
}

/// The verdict, with its largest change or with the number of runs that it needs; then how many metrics have each verdict.
pub(super) fn headline(comparison: &Comparison) -> String {
    let verdict = word(comparison.verdict);
    let (before, after) = (comparison.before.len() as u64, comparison.after.len() as u64);
    let runs = format!("{} before, {after} after", counted(before, "run", "runs"));
    if let Some(fewest) = comparison.fewest_runs {
        return format!("{verdict}: {runs}; make {fewest} on each side, alternating (A B B A)");
    }
    let largest = largest_change(comparison).map_or(String::new(), |row| format!("{}; ", sentence(row)));
    let mut said = format!("{verdict}: {largest}{runs}; of {} metrics {}", comparison.rows.len(), tally(comparison));
    if comparison.rows.iter().all(Row::is_exact) {
        said += "; repeats in the lab are identical, so every difference is exact";
    } else if before == 1 || after == 1 {
        said += "; with one run on each side, the difference between runs is unknown";
    }
    said
}

/// The largest change with the comparison's verdict; a change of a time precedes any change of a share. `None` if no metric
/// changed or all are unknown.
fn largest_change(comparison: &Comparison) -> Option<&Row> {
    let decides = matches!(comparison.verdict, Verdict::Regressed | Verdict::Improved);
    let rows = comparison.rows.iter().filter(|row| decides && row.verdict == comparison.verdict);
    let size = |row: &Row| row.ratio.ln().abs();
    rows.max_by(|a, b| a.unit.is_some().cmp(&b.unit.is_some()).then(size(a).total_cmp(&size(b))))
}

fn tally(comparison: &Comparison) -> String {
    let count = |verdict| comparison.rows.iter().filter(|row| row.verdict == verdict).count();
    let parts = [Verdict::Regressed, Verdict::CannotTell, Verdict::Improved, Verdict::Equivalent]
        .map(|verdict| (count(verdict), word(verdict)))
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"));
    parts.collect::<Vec<String>>().join(", ")
}

pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equivalent => "equivalent",
        Verdict::Improved => "improved",
        Verdict::CannotTell => "cannot tell",
        Verdict::Regressed => "regressed",
    }
}

/// For a terminal: the metrics of one series, without the probability. With too few runs, only the figures and maxima.
fn brief(comparison: &Comparison, rows: &[Row]) -> Grid {
    let all = grid(rows);
    if comparison.fewest_runs.is_none() {
        return all.without(&["p"]);
    }
    let mut figures = all.without(&["95 % limits", "p", "verdict"]);
    figures.rows.extend(comparison.largest.iter().filter(|largest| largest.key == rows[0].key).map(maximum));
    figures
}

fn maximum(largest: &Largest) -> Vec<String> {
    let shown = |value| DisplayedValue(value, largest.unit).to_string();
    let ratio = largest.after as f64 / largest.before as f64;
    let change = if ratio.is_finite() { change(ratio) } else { "-".to_string() };
    vec!["maximum".to_string(), shown(largest.before), shown(largest.after), change]
}

pub(super) fn grid(rows: &[Row]) -> Grid {
    let right = ["before", "after", "change", "95 % limits", "p"].map(|name| (name, Align::Right));
    let columns = [("metric", Align::Left)].into_iter().chain(right).chain([("verdict", Align::Left)]).collect();
    let rows = rows.iter().map(cells).collect();
    Grid { title: "", intro: String::new(), columns, dispensable: vec!["95 % limits"], rows }
}

fn cells(row: &Row) -> Vec<String> {
    let p = row.p.map_or("-".to_string(), |p| if p < 0.001 { "<0.001".to_string() } else { format!("{p:.3}") });
    let (before, after) = (value(row, row.before), value(row, row.after));
    vec![row.metric.clone(), before, after, change_of(row), limits(row), p, answer(row)]
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

/// The change of a row. Between two shares of which one is 0, the factor is that of corrected counts, so it has no place
/// next to the shares themselves.
fn change_of(row: &Row) -> String {
    match (row.unit, row.before == 0.0, row.after == 0.0) {
        (None, true, false) => "from 0".to_string(),
        (None, false, true) => "to 0".to_string(),
        _ => change(row.ratio),
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
    format!("{}, {}: {before} to {after}, {} ({limits})", phrase::series_of(&row.key), row.metric, change_of(row))
}
