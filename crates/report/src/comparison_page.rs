// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a comparison: verdict, changes with limits, other differences, the runs.
use super::comparison::{grid, headline, named, sentence, word};
use super::grid::Grid;
use super::page::document;
use super::phrase::series_of;
use super::picture::changes;
use super::section::Section;
use super::table::Align;
use backwall_judge::compare::{Comparison, Row, Verdict};
use backwall_model::Key;
use backwall_model::units::counted;
use maud::{Markup, html};

pub fn page(comparison: &Comparison, command: &[String]) -> String {
    let (before, after) = (comparison.before.len() as u64, comparison.after.len() as u64);
    let title = format!("{} before, {after} after", counted(before, "run", "runs"));
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "did the latency change, and in which part" } }
            h1 { (title) }
            p class="meta" { code { (command.join(" ")) } }
        }
        (verdict(comparison))
        @for section in sections(comparison) { (section) }
    };
    document(&format!("compare, {}, {title}", word(comparison.verdict)), &main)
}

fn verdict(comparison: &Comparison) -> Markup {
    let decisive: Vec<&Row> = comparison.rows.iter().filter(|row| row.verdict == comparison.verdict).collect();
    let listed = matches!(comparison.verdict, Verdict::Regressed | Verdict::Improved);
    html! {
        section id="verdict" aria-labelledby="verdict-title" {
            h2 id="verdict-title" { "Verdict" }
            p class="hero" { b { (word(comparison.verdict)) } (needed(comparison)) }
            @if listed {
                ul class="decisive" { @for row in decisive { li { (sentence(row)) } } }
            }
            p class="paste" { (headline(comparison)) "." }
            @if !comparison.settings.is_empty() {
                p class="finding" { a href="#settings" { (suspects(comparison)) } }
            }
            @if !comparison.warnings.is_empty() {
                ul { @for warning in &comparison.warnings { li { (warning) } } }
            }
        }
    }
}

/// What an undecided comparison needs; the page shows it next to the verdict.
fn needed(comparison: &Comparison) -> String {
    let needs = |fewest| format!(" {fewest} runs on each side are needed");
    comparison.fewest_runs.map_or(String::new(), needs)
}

fn suspects(comparison: &Comparison) -> String {
    let names: Vec<&str> = comparison.settings.iter().map(named).collect();
    let (shown, more) = names.split_at(names.len().min(3));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("not the same on both sides: {}{more}", shown.join(", "))
}

fn sections(comparison: &Comparison) -> Vec<Section> {
    let mut sections = Vec::new();
    if !comparison.settings.is_empty() {
        sections.push(settings(comparison).section("settings"));
    }
    if !comparison.rows.is_empty() {
        sections.push(Section::new(
            "changes",
            "Changes",
            CHANGES,
            html! { figure { (changes::draw(&comparison.rows, "changes-picture")) } },
        ));
        sections.push(Section::new("metrics", "Every metric", METRICS, tables(comparison)));
    }
    sections.push(runs(comparison));
    sections
}

const CHANGES: &str = "Each stroke is the shift of one metric from before to after, with its limits at 95 %. Changes \
    within the grey area do not matter. A change counts if its stroke does not cross 1 and its mark lies outside that \
    area. It does not count if its whole stroke lies inside.";

const METRICS: &str = "Each side shows the median of its runs. The change is the median of all ratios after/before. p \
    is the chance of such a difference if nothing changed, corrected for the number of rows.";

fn settings(comparison: &Comparison) -> Grid {
    let rows = comparison.settings.iter();
    let rows = rows.map(|one| vec![named(one).to_string(), one.before.join(" | "), one.after.join(" | ")]);
    Grid {
        title: "What else differs",
        intro: "Settings that differ between the sides: the first suspects of every change.".to_string(),
        columns: ["setting", "before", "after"].map(|name| (name, Align::Left)).to_vec(),
        dispensable: Vec::new(),
        rows: rows.collect(),
    }
}

fn tables(comparison: &Comparison) -> Markup {
    let groups: Vec<(&Key, &[Row])> =
        comparison.rows.chunk_by(|a, b| a.key == b.key).map(|rows| (&rows[0].key, rows)).collect();
    html! { @for (key, rows) in groups { h3 class="below" { (series_of(key)) } (grid(rows).table()) } }
}

fn runs(comparison: &Comparison) -> Section {
    let side = |name: &str, places: &[String]| {
        html! { div { h3 { (name) } ul { @for place in places { li { code { (place) } } } } } }
    };
    let body = html! { div class="lists" { (side("before", &comparison.before)) (side("after", &comparison.after)) } };
    Section::new("runs", "The runs", "", body)
}
