// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person reads first: about ten lines that fit the terminal. The rest is a page or `--verbose` away.
use super::interference;
use super::osbench;
use super::paper;
use super::phrase;
use super::printable::printable;
use super::table::{Align, Table};
use super::tasks;
use super::text::{self, outcome, quantile_cell};
use super::verdict::{self, headline};
use super::wrap::{cut, wrapped};
use crate::run::{Outcome, Run, Series, Stages};
use crate::units::grouped;

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
/// Warnings that are shown.
const MOST_WARNINGS: usize = 2;

/// The lines, none longer than `columns` (at least 40).
pub fn brief(run: &Run, columns: usize) -> Vec<Line> {
    let columns = columns.max(40);
    let mut lines: Vec<Line> = toned(Tone::Head, &wrapped(&printable(&wall(run)), columns));
    lines.extend(toned(Tone::Soft, &wrapped(&printable(&verdict::conditions_of(run)), columns)));
    lines.extend(toned(Tone::Plain, &rows(run, columns)));
    match phrase::crossed(run) {
        Some(crossed) => lines.extend(toned(Tone::Bad, &wrapped(&printable(&crossed), columns))),
        None => lines.extend(toned(Tone::Plain, &wrapped(&printable(&cause(run).unwrap_or_default()), columns))),
    }
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
    ("lost", Align::Right),
    ("late", Align::Right),
    ("p50", Align::Right),
    ("p99", Align::Right),
    ("p99.9", Align::Right),
    ("p99.99", Align::Right),
    ("max", Align::Right),
    ("unit", Align::Left),
];
/// What goes where the terminal is narrow, the least important first; never a row's name or its maximum.
const DISPENSABLE: [&str; 8] = ["p99.99", "p99", "late", "samples", "p50", "p99.9", "lost", "unit"];

fn rows(run: &Run, columns: usize) -> String {
    let shown = shown(run);
    if shown.is_empty() {
        return String::new();
    }
    let names = shown.iter().any(|series| series.key.name != shown[0].key.name);
    let unnamed = usize::from(!names);
    let mut table = Table::new(&COLUMNS[unnamed..]);
    shown.iter().for_each(|series| table.row(row(series).split_off(unnamed)));
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

fn row(series: &Series) -> Vec<String> {
    let max = series.max.map_or("-".to_string(), |max| phrase::figure(max, series.unit));
    let mut cells = vec![series.key.name.clone(), phrase::short_phase(&series.key)];
    cells.extend([Some(series.counted()), series.lost, series.late].map(phrase::count));
    cells.extend([0.5, 0.99, 0.999, 0.9999].map(|q| quantile_cell(series, q)));
    cells.extend([max, phrase::column_unit(series.unit).to_string()]);
    cells
}

/// What the marks in a table mean.
fn footnotes(table: &str, columns: usize) -> String {
    let unbounded = table.contains(text::UNBOUNDED).then_some("?: too few samples to bound it from above");
    unbounded.map_or(String::new(), |note| cut(note, columns) + "\n")
}

/// The first cause of the worst responses of the verdict's phase, or of any other that was traced.
fn cause(run: &Run) -> Option<String> {
    let blamed = |stages: &&Stages| !stages.causes.is_empty();
    let key = headline(run).map(|series| &series.key);
    let same = |stages: &&Stages| key.is_some_and(|key| stages.key.load == key.load && stages.key.idle == key.idle);
    let own = |stages: &&Stages| Some(&stages.key) == key;
    let found = |which: &dyn Fn(&&Stages) -> bool| run.stages.iter().filter(blamed).find(which);
    let stages = found(&own).or_else(|| found(&same)).or_else(|| found(&|_| true))?;
    let (what, share) = phrase::top_cause(stages)?;
    let phase = phrase::short_phase(&stages.key);
    let whose = if tasks::of(run).is_some() { "missed jobs" } else { "worst traced" };
    Some(format!("cause: {what}: {share:.0} % of the {} {whose}, {phase}", grouped(stages.blamed)))
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

/// The first few, each cut to one line; the others counted.
fn warnings(run: &Run, columns: usize) -> Vec<Line> {
    let line = |warning: &String| (Tone::Warn, cut(&printable(&format!("warning: {warning}")), columns));
    let mut lines: Vec<Line> = run.warnings.iter().take(MOST_WARNINGS).map(line).collect();
    let more = run.warnings.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        let warnings = if more == 1 { "warning" } else { "warnings" };
        lines.push((Tone::Warn, format!("and {more} more {warnings}: --verbose")));
    }
    lines
}
