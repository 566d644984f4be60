// SPDX-License-Identifier: MIT OR Apache-2.0
//! The index of what was published: a table for each board and kernel, a row for each series of a run, with its settings. Nothing is
//! pooled: every row is of one run.
use crate::fleet::{INSTRUCTIONS, cause, evidence, figures};
use crate::page::document;
use crate::phrase;
use crate::printable::printable;
use maud::{Markup, html};
use run::{Extension, Origin, Run, Series};
use std::collections::BTreeMap;
use units::{counted, grouped};

/// Rows of one table; how many more there are is said.
const MOST_ROWS: usize = 1_000;

/// A bundle with the place of its page.
pub struct Published<'a> {
    /// Its page, from the index.
    pub page: String,
    /// The bundle.
    pub run: &'a Run,
}

/// The whole index.
pub fn page(published: &[Published]) -> String {
    let mut boards: BTreeMap<String, BTreeMap<String, Vec<&Published>>> = BTreeMap::new();
    for one in published {
        boards.entry(board(one.run)).or_default().entry(kernel(one.run)).or_default().push(one);
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
            @if published.iter().any(|one| one.run.origin == Origin::Emulated) { p class="meta" { (INSTRUCTIONS) } }
        }
        @for (board, kernels) in &boards {
            section { h2 { (board) } @for (kernel, runs) in kernels { h3 class="below" { (kernel) } (table(runs)) } }
        }
    };
    document(&format!("published, {title}"), &main)
}

fn board(run: &Run) -> String {
    let named = run.device.more.get(run::processor::BOARD).map_or(run.device.cpu.as_str(), String::as_str);
    let named = if named.is_empty() { "unknown board" } else { named };
    let emulated = if run.origin == Origin::Emulated { ", emulated" } else { "" };
    printable(&format!("{named}{emulated}"))
}

fn kernel(run: &Run) -> String {
    printable(if run.device.kernel.is_empty() { "unknown kernel" } else { &run.device.kernel })
}

fn table(runs: &[&Published]) -> Markup {
    let rows: Vec<(&Published, &Series)> = runs
        .iter()
        .flat_map(|one| one.run.series.iter().filter(|series| !series.completes()).map(move |series| (*one, series)))
        .collect();
    html! {
        div class="wide" {
            table {
                thead { tr {
                    th { "day" } th { "settings" } th { "series" }
                    th class="r" { "samples" } th class="r" { "p99.9" } th class="r" { "at most" } th class="r" { "max" }
                    th { "evidence" } th { "cause of the worst" } th { "page" }
                } }
                tbody { @for (one, series) in rows.iter().take(MOST_ROWS) { (row(one, series)) } }
            }
        }
        @if rows.len() > MOST_ROWS { p class="aside" { (grouped((rows.len() - MOST_ROWS) as u64)) " more rows are in the bundles." } }
    }
}

fn row(one: &Published, series: &Series) -> Markup {
    let [samples, quantile, limit, max] = figures(series);
    let day: String = one.run.started.chars().take(10).collect();
    html! {
        tr {
            td { (day) } td { (settings(one.run)) } td { (series.key.label()) ", " (phrase::phase(series)) }
            td class="r" { (samples) } td class="r" { (quantile) } td class="r" { (limit) } td class="r" { (max) }
            td { (evidence(one.run, &series.key)) } td { (cause(one.run, &series.key).unwrap_or_default()) }
            td { a href=(one.page) { "page" } }
        }
    }
}

/// What was set on the machine, and what was asked.
fn settings(run: &Run) -> String {
    let scenario = match &run.plan.extension {
        Extension::Lab(lab) => lab.scenario.get("name").and_then(|name| name.as_str()).map(str::to_string),
        _ => None,
    };
    let preemption = Some(run.device.preemption.clone()).filter(|model| !model.is_empty());
    let all: Vec<String> = scenario.into_iter().chain(preemption).chain(phrase::priority(run)).collect();
    printable(&all.join(", "))
}
