// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several runs side by side, as text and as a page. Nothing is pooled: every figure is from one run.
use super::figure::several;
use super::grid::Grid;
use super::run_entry::RunEntry;
use super::section::Section;
use super::table::Align;
use super::{bench, board, page, paper, phrase, text, verdict};
use backwall_model::units::{Unit, grouped};
use backwall_model::{Run, Series};
use maud::{Markup, html};

/// One row per series and run. For several osbench runs, the cost per system comes first. Lab runs add the tables of the 2002
/// paper; if there is a capture of a board, they add the lines that both have.
pub fn grids(runs: &[RunEntry]) -> Vec<Grid<String>> {
    tables(runs).into_iter().chain(board::grid(runs).map(Grid::owned)).collect()
}

fn tables(runs: &[RunEntry]) -> Vec<Grid<String>> {
    let mut grids = figures(runs);
    let all: Vec<&Run> = runs.iter().map(|told| told.run).collect();
    if all.iter().all(|run| paper::shows_latencies(run)) {
        grids.push(paper::latencies(&all));
        grids.extend(paper::is_beside_systems(&all).then(paper::published_latencies));
        grids.extend(paper::completions(&all));
        grids.extend(paper::by_mode(&all));
    }
    paper::operations_beside(runs).into_iter().chain(grids.into_iter().map(Grid::owned)).collect()
}

const DISPENSABLE: [&str; 6] = ["late", "due", "min", "p50", "p99.9", "missed"];

/// One table per unit, because counts and measurements share no column.
fn figures(runs: &[RunEntry]) -> Vec<Grid> {
    let has = |unit: &Unit| runs.iter().flat_map(|told| &told.run.series).any(|series| series.unit == *unit);
    let found: Vec<Unit> = [Unit::Ns, Unit::Instructions].into_iter().filter(has).collect();
    match found[..] {
        [_, _] => found.into_iter().map(|unit| figures_in(runs, Some(unit))).collect(),
        _ => vec![figures_in(runs, None)],
    }
}

fn figures_in(runs: &[RunEntry], unit: Option<Unit>) -> Grid {
    let mut columns = vec![("run", Align::Left), ("latency", Align::Left), ("phase", Align::Left)];
    columns.extend(["due", "missed", "late", "min", "p50", "p99.9", "max"].map(|name| (name, Align::Right)));
    columns.push(("unit", Align::Left));
    // Response ends have their own table.
    let begun = |told: &'_ RunEntry<'_>| -> Vec<Vec<String>> {
        let shown = |series: &&Series| !series.completes() && unit.is_none_or(|unit| series.unit == unit);
        told.run.series.iter().filter(shown).map(|series| row(told, series)).collect()
    };
    let rows = runs.iter().flat_map(begun);
    let intro = format!("Each row is one run; do not compare figures of different conditions.{}", conditions(runs));
    let title = match unit {
        None => "Runs side by side",
        Some(Unit::Ns) => "Runs side by side, in time",
        Some(Unit::Instructions) => "Runs side by side, in executed instructions",
    };
    Grid { title, intro, columns, dispensable: DISPENSABLE.to_vec(), rows: rows.collect() }
}

/// The conditions of each run, if systems or scheduling differ; the rows do not show them.
fn conditions(runs: &[RunEntry]) -> String {
    let of = |run: &Run| -> String {
        let system = Some(phrase::system(run)).filter(|system| !system.is_empty());
        system.into_iter().chain(phrase::priority(run)).collect::<Vec<_>>().join(", ")
    };
    let all: Vec<String> = runs.iter().map(|told| of(told.run)).collect();
    if all.windows(2).all(|pair| pair[0] == pair[1]) {
        return String::new();
    }
    runs.iter().zip(all).map(|(told, said)| format!(" {}: {said}.", told.name)).collect()
}

fn row(told: &RunEntry, series: &Series) -> Vec<String> {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, series.unit));
    let phase = phrase::short_phase(&series.key) + phrase::doubtful(told.run, &series.key);
    let mut cells = vec![told.name.clone(), series.key.name.clone(), phase];
    cells.extend([series.due, series.without_response(), series.late].map(phrase::count));
    cells.push(exact(series.min));
    cells.extend([0.5, 0.999].map(|q| text::quantile_cell(series, q)));
    cells.extend([exact(series.max), phrase::column_unit(series.unit).to_string()]);
    cells
}

/// The page of all runs; for lab runs it begins with the largest answer and the pictures of the bench. The tables, the overlaid
/// tails and the trend follow, then each run in a sentence with its warnings and a link to its page.
pub fn page(title: Option<&str>, runs: &[RunEntry]) -> String {
    let title = title.map_or(format!("{} runs side by side", grouped(runs.len() as u64)), str::to_string);
    let is_of_bench = bench::is_of(runs);
    let pictures = if is_of_bench { bench::sections(runs) } else { board::section(runs).into_iter().collect() };
    let tables = tables(runs).into_iter().zip(1..).map(|(grid, number)| grid.section(&format!("table-{number}")));
    let mut in_time: Vec<(&str, &Run)> = runs.iter().map(|told| (told.name.as_str(), told.run)).collect();
    in_time.sort_by(|(_, one), (_, other)| one.started.cmp(&other.started));
    let figures = several::sections(&in_time);
    let each = runs.iter().zip(1..).map(|(told, number): (&RunEntry, u32)| section(told, number));
    let main = html! {
        header {
            p class="brand" { b { "backwall" } " " span { "how late can the response be, and why" } }
            h1 { (title) }
        }
        @if is_of_bench { (bench::largest(runs).unwrap_or_default()) }
        @for section in pictures.into_iter().chain(tables).chain(figures).chain(each) { (section) }
    };
    page::document(&title, &main)
}

fn section(told: &RunEntry, number: u32) -> Section {
    let body: Markup = html! {
        @if !told.run.warnings.is_empty() { ul { @for warning in &told.run.warnings { li { (warning) } } } }
        p { a href=(told.page) { "its own page" } }
    };
    Section::new(format!("run-{number}"), told.name.clone(), verdict::sentence(told.run), body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Origin, Plan};

    #[test]
    fn runs_of_other_conditions_say_which_and_equal_ones_say_nothing() {
        let run = |kernel: &str, priority: u32| {
            let plan = Plan { priority: Some(priority), ..Plan::default() };
            let mut run = Run::begin(Origin::Measured, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
            (run.device.kind, run.device.kernel) = ("linux".to_string(), kernel.to_string());
            run
        };
        let (one, other) = (run("Linux 6.1.0", 95), run("Linux 6.1.0", 0));
        let told = |run| RunEntry { name: "a".to_string(), page: String::new(), run };
        assert_eq!(conditions(&[told(&one), told(&one)]), "");
        let said = conditions(&[told(&one), told(&other)]);
        assert!(said.contains("SCHED_FIFO 95") && said.contains("ordinary priority"), "{said}");
    }
}
