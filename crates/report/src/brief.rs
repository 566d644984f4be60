// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person reads first: about ten lines that fit the terminal. The rest is a page or `--verbose` away.
use super::interference;
use super::osbench;
use super::paper;
use super::phrase;
use super::printable::printable;
use super::table::{Align, Table};
use super::text::{self, outcome, quantile_cell};
use super::verdict::{self, headline};
use super::warnings::{Folded, folded};
use super::wrap::{cut, wrapped};
use backwall_model::units::counted;
use backwall_model::{Outcome, Run, Series};

/// What a line tells, which a terminal may show by its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The line to read first.
    Head,
    /// Ordinary.
    Plain,
    /// Conditions and places.
    Soft,
    /// A requirement that holds.
    Good,
    /// What makes figures doubtful.
    Warn,
    /// A requirement that does not hold.
    Bad,
}

/// A line and what it tells.
pub type Line = (Tone, String);

/// Phases of which each has a row; more have their worst.
const MOST_ROWS: usize = 6;
/// Kinds of warnings that are shown, and each that makes figures no evidence.
const MOST_WARNINGS: usize = 2;

/// The lines, none longer than `columns` (at least 40).
pub fn brief(run: &Run, columns: usize) -> Vec<Line> {
    let columns = columns.max(40);
    let mut lines: Vec<Line> = toned(Tone::Head, &wrapped(&printable(&wall(run)), columns));
    lines.extend(why(run).into_iter().flat_map(|(tone, line)| toned(tone, &wrapped(&printable(&line), columns))));
    lines.extend(toned(Tone::Soft, &wrapped(&printable(&verdict::conditions_of(run)), columns)));
    lines.extend(toned(Tone::Plain, &rows(run, columns)));
    lines.extend(requirements(run, columns));
    lines.extend(warnings(run, columns));
    lines
}

fn toned(tone: Tone, text: &str) -> Vec<Line> {
    text.lines().filter(|line| !line.is_empty()).map(|line| (tone, line.to_string())).collect()
}

/// The back wall, and what the samples bear beyond it.
fn wall(run: &Run) -> String {
    let caveats = verdict::caveats(run);
    let nothing = || {
        osbench::sentence(run)
            .or_else(|| interference::sentence(run))
            .or_else(|| paper::event_sentence(run))
            .unwrap_or("nothing was measured".to_string())
    };
    let Some(series) = headline(run) else { return format!("{caveats}{}", nothing()) };
    format!("{caveats}{}; {}", verdict::lateness(series), verdict::losses(series))
}

const COLUMNS: [(&str, Align); 11] = [
    ("", Align::Left),
    ("phase", Align::Left),
    ("samples", Align::Right),
    ("missed", Align::Right),
    ("late", Align::Right),
    ("p50", Align::Right),
    ("p99", Align::Right),
    ("p99.9", Align::Right),
    ("p99.99", Align::Right),
    ("max", Align::Right),
    ("unit", Align::Left),
];
/// What goes where the terminal is narrow, the least important first; never a row's name or its maximum.
const DISPENSABLE: [&str; 8] = ["p99.99", "p99", "late", "samples", "p50", "p99.9", "missed", "unit"];

fn rows(run: &Run, columns: usize) -> String {
    let shown = shown(run);
    if shown.is_empty() {
        return String::new();
    }
    let names = shown.iter().any(|series| series.key.name != shown[0].key.name);
    let unnamed = usize::from(!names);
    let mut table = Table::new(&COLUMNS[unnamed..]);
    shown.iter().for_each(|series| table.row(row(run, series).split_off(unnamed)));
    let text = table.within(columns, &DISPENSABLE);
    let more = run.series.len() - shown.len();
    text.clone()
        + &footnotes(&text, columns)
        + &if more > 0 { format!("and {more} more: --verbose\n") } else { String::new() }
}

/// Every series while they are few; else those of the headline's name, the worst first.
fn shown(run: &Run) -> Vec<&Series> {
    let mut all: Vec<&Series> = run.series.iter().collect();
    if all.len() > MOST_ROWS {
        all.retain(|series| !series.completes());
    }
    if all.len() <= MOST_ROWS {
        return all;
    }
    let Some(first) = headline(run) else { return Vec::new() };
    let mut same: Vec<&Series> = all.into_iter().filter(|series| series.key.name == first.key.name).collect();
    if same.len() > MOST_ROWS {
        same.sort_by_key(|series| std::cmp::Reverse(series.max));
        same.truncate(MOST_ROWS);
    }
    same
}

fn row(run: &Run, series: &Series) -> Vec<String> {
    let phase = phrase::short_phase(&series.key) + phrase::doubtful(run, &series.key);
    let mut cells = vec![series.key.name.clone(), phase];
    cells.extend([Some(series.counted()), series.without_response(), series.late].map(phrase::count));
    cells.extend([0.5, 0.99, 0.999, 0.9999].map(|q| quantile_cell(series, q)));
    cells.extend([phrase::max_figure(series), phrase::column_unit(series.unit).to_string()]);
    cells
}

/// What the marks in a table mean.
fn footnotes(table: &str, columns: usize) -> String {
    let unbounded = table.contains(text::UNBOUNDED).then_some("?: too few samples to bound it from above");
    unbounded.map_or(String::new(), |note| cut(note, columns) + "\n")
}

/// The largest of another phase, where that is larger; why, and what to change about it.
fn why(run: &Run) -> Vec<Line> {
    let larger = headline(run).and_then(|series| verdict::larger(run, series));
    let mut lines: Vec<Line> = larger.map(|larger| (Tone::Head, larger)).into_iter().collect();
    match phrase::crossed(run) {
        Some(crossed) => lines.push((Tone::Bad, crossed)),
        None => lines.extend(verdict::cause(run).map(|cause| (Tone::Plain, format!("cause: {cause}")))),
    }
    lines.extend(verdict::change(run).map(|change| (Tone::Plain, format!("change: {change}"))));
    lines
}

/// Those that do not hold in full; the others counted.
fn requirements(run: &Run, columns: usize) -> Vec<Line> {
    let passed = run.requirements.iter().filter(|requirement| requirement.outcome == Outcome::Pass).count();
    let others = run.requirements.iter().filter(|requirement| requirement.outcome != Outcome::Pass);
    let mut lines: Vec<Line> = others
        .flat_map(|requirement| {
            let tone = if requirement.outcome == Outcome::Fail { Tone::Bad } else { Tone::Warn };
            let text = format!("{} '{}': {}", outcome(requirement.outcome), requirement.text, requirement.because);
            toned(tone, &wrapped(&printable(&text), columns))
        })
        .collect();
    if passed > 0 {
        lines.push((Tone::Good, format!("PASS {passed} of {} requirements", run.requirements.len())));
    }
    lines
}

/// Those that make figures no evidence first; of each kind the first in full, and how many are like it.
fn warnings(run: &Run, columns: usize) -> Vec<Line> {
    let folded = folded(run);
    let shown = folded.iter().filter(|kind| kind.first.spoils()).count().max(MOST_WARNINGS).min(folded.len());
    let line = |kind: &Folded| wrapped(&printable(&format!("warning: {}{}", kind.first, kind.like())), columns);
    let mut lines: Vec<Line> = folded[..shown].iter().flat_map(|kind| toned(Tone::Warn, &line(kind))).collect();
    let more: usize = folded[shown..].iter().map(|kind| 1 + kind.others.len()).sum();
    if more > 0 {
        let more = counted(more as u64, "more warning", "more warnings");
        lines.extend(toned(
            Tone::Warn,
            &wrapped(&format!("and {more} on the page, or: backwall report RUN -v"), columns),
        ));
    }
    lines
}
