// SPDX-License-Identifier: MIT OR Apache-2.0
//! The index of the published bundles: one table per board and kernel, one row per series of a run, with its settings. Nothing is
//! pooled: every row is from one run.
use crate::fleet::{INSTRUCTIONS, cause, evidence, figures};
use crate::page::document;
use crate::phrase;
use crate::printable::printable;
use backwall_model::units::{counted, grouped};
use backwall_model::{Extension, Origin, Run, Series};
use jiff::civil::Date;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MOST_ROWS: usize = 1_000;
/// If a series has runs on fewer days than this, the usual distance between its runs is unknown.
const SERIES_LEAST: usize = 4;

pub struct PublishedBundle {
    pub page: String,
    pub listed: IndexEntry,
}

/// A bundle's row in the index. It can be stored, so that a large index can be built without the runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexEntry {
    board: String,
    kernel: String,
    emulated: bool,
    day: String,
    settings: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    series: String,
    samples: String,
    quantile: String,
    limit: String,
    max: String,
    evidence: String,
    cause: String,
}

impl IndexEntry {
    pub fn of(run: &Run) -> Self {
        let day: String = run.started.chars().take(10).collect();
        let shown = run.series.iter().filter(|series| !series.completes());
        Self {
            board: board(run),
            kernel: kernel(run),
            emulated: run.origin == Origin::Emulated,
            day: printable(&day),
            settings: settings(run),
            rows: if run.series.iter().all(Series::completes) {
                vec![nothing(run)]
            } else {
                shown.map(|series| row_of(run, series)).collect()
            },
        }
    }
}

/// The row of a run that measured nothing. Such a run is listed too.
fn nothing(run: &Run) -> Row {
    let [samples, quantile, limit, max] = ["-"; 4].map(str::to_string);
    let evidence = format!("NO EVIDENCE, {}{}", run.origin.name(), cut_short(run));
    Row { series: "nothing measured".to_string(), samples, quantile, limit, max, evidence, cause: String::new() }
}

fn cut_short(run: &Run) -> &'static str {
    if run.interrupted { ", cut short" } else { "" }
}

fn row_of(run: &Run, series: &Series) -> Row {
    let [samples, quantile, limit, max] = figures(series);
    Row {
        series: printable(&format!("{}, {}", series.key.label(), phrase::phase(series))),
        samples,
        quantile,
        limit,
        max,
        evidence: evidence(run, &series.key) + cut_short(run),
        cause: printable(&cause(run, &series.key).unwrap_or_default()),
    }
}

pub fn page(published: &[PublishedBundle]) -> String {
    let mut boards: BTreeMap<&str, BTreeMap<&str, Vec<&PublishedBundle>>> = BTreeMap::new();
    for one in published {
        let kernels: &mut BTreeMap<_, Vec<_>> = boards.entry(&one.listed.board).or_default();
        kernels.entry(&one.listed.kernel).or_default().push(one);
    }
    let title = format!(
        "{}, {}",
        counted(published.len() as u64, "run", "runs"),
        counted(boards.len() as u64, "board", "boards")
    );
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "what was published, by board, kernel and settings" } }
            h1 { (title) }
            @if published.iter().any(|one| one.listed.emulated) { p class="meta" { (INSTRUCTIONS) } }
        }
        @for (board, kernels) in &boards {
            section { h2 { (board) } @for (kernel, runs) in kernels { h3 class="below" { (kernel) } (table(runs)) } }
        }
    };
    document(&format!("published, {title}"), &main)
}

fn board(run: &Run) -> String {
    let named = run.device.more.get(backwall_model::processor::BOARD).map_or(run.device.cpu.as_str(), String::as_str);
    let named = if named.is_empty() { "unknown board" } else { named };
    let emulated = if run.origin == Origin::Emulated { ", emulated" } else { "" };
    printable(&format!("{named}{emulated}"))
}

fn kernel(run: &Run) -> String {
    printable(if run.device.kernel.is_empty() { "unknown kernel" } else { &run.device.kernel })
}

fn table(runs: &[&PublishedBundle]) -> Markup {
    let rows: Vec<(&PublishedBundle, &Row)> =
        runs.iter().flat_map(|one| one.listed.rows.iter().map(move |row| (*one, row))).collect();
    html! {
        div class="wide" {
            table {
                thead { tr {
                    th { "day" } th { "settings" } th { "series" }
                    th class="r" { "samples" } th class="r" { "p99.9" } th class="r" { "at most" } th class="r" { "max" }
                    th { "valid" } th { "cause of the worst" } th { "page" }
                } }
                tbody { @for (one, shown) in rows.iter().take(MOST_ROWS) { (row(one, shown)) } }
            }
        }
        @for gap in gaps(runs) { p class="aside" { (gap) } }
        @if rows.len() > MOST_ROWS { p class="aside" { (grouped((rows.len() - MOST_ROWS) as u64)) " more rows are in the bundles." } }
    }
}

/// The gaps of a series that has a usual distance between runs, such as a day or a week: distances of more than one and a half
/// times the usual one.
fn gaps(runs: &[&PublishedBundle]) -> Vec<String> {
    let mut days: Vec<Date> = runs.iter().filter_map(|one| one.listed.day.parse().ok()).collect();
    days.sort_unstable();
    days.dedup();
    let distance = |pair: &[Date]| pair[0].until(pair[1]).map_or(0, |span| span.get_days());
    let mut distances: Vec<i32> = days.windows(2).map(distance).collect();
    distances.sort_unstable();
    let Some(usual) = distances.get(distances.len() / 2).copied().filter(|_| days.len() >= SERIES_LEAST) else {
        return Vec::new();
    };
    let said = |pair: &[Date]| {
        let text = format!(
            "no run between {} and {}; usually there was one every {}",
            pair[0],
            pair[1],
            if usual == 1 { "day".to_string() } else { format!("{usual} days") }
        );
        (2 * distance(pair) > 3 * usual).then_some(text)
    };
    days.windows(2).filter_map(said).collect()
}

fn row(PublishedBundle { page, listed }: &PublishedBundle, row: &Row) -> Markup {
    let Row { series, samples, quantile, limit, max, evidence, cause } = row;
    html! {
        tr {
            td { (listed.day) } td { (listed.settings) } td { (series) }
            td class="r" { (samples) } td class="r" { (quantile) } td class="r" { (limit) } td class="r" { (max) }
            td { (evidence) } td { (cause) }
            td { a href=(page) { "page" } }
        }
    }
}

fn settings(run: &Run) -> String {
    let scenario = match &run.plan.extension {
        Extension::Lab(lab) => lab.scenario.get("name").and_then(|name| name.as_str()).map(str::to_string),
        _ => None,
    };
    let preemption = Some(run.device.preemption.clone()).filter(|model| !model.is_empty());
    let all: Vec<String> = scenario.into_iter().chain(preemption).chain(phrase::priority(run)).collect();
    printable(&all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Plan;

    fn published(day: &str, interrupted: bool) -> PublishedBundle {
        let mut run = Run::begin(Origin::Measured, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        (run.started, run.interrupted) = (format!("{day}T01:00:00Z"), interrupted);
        PublishedBundle { page: "page.html".to_string(), listed: IndexEntry::of(&run) }
    }

    #[test]
    fn a_gap_in_a_nightly_series_and_a_run_without_figures_are_records() {
        let days = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-06", "2026-11-07"];
        let all: Vec<PublishedBundle> = days.iter().map(|day| published(day, *day == "2026-11-07")).collect();
        let shown = page(&all);
        assert!(shown.contains("no run between 2026-11-03 and 2026-11-06; usually there was one every day"), "{shown}");
        assert_eq!(shown.matches("no run between").count(), 1);
        assert_eq!(shown.matches("nothing measured").count(), 5);
        assert_eq!(shown.matches("NO EVIDENCE, measured, cut short").count(), 1, "{shown}");
        assert!(!page(&all[..3]).contains("no run between"), "three days are no series");
    }
}
