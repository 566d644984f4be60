// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first screen: at most 18 lines of 80 columns, starting with the answer. The page and `--verbose` show the rest.
mod answer;
mod next;
mod rows;
mod short;
mod unsteady;
mod why;

use super::advice;
use super::phrase;
use super::printable::{printable, printable_lines};
use super::text::outcome;
use super::trace::accused;
use super::verdict;
use super::warnings::{Folded, folded};
use super::wrap::{cut, wrapped_at};
use backwall_model::units::{Unit, grouped};
use backwall_model::{InvalidPhase, Key, Outcome, Run, Series, Warning};

pub(super) use answer::{cause, reservations};
pub(super) use next::{NOTHING, Next, next as next_command, others as other_commands};
pub(super) use rows::{cells as phase_cells, titles as phase_titles};
pub use short::figure as short_figure;
pub(super) use short::phase as phase_name;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Head,
    Plain,
    Soft,
    Good,
    Warn,
    Bad,
}

pub type Line = (Tone, String);

const MOST_LINES: usize = 18;
const ADDED: usize = 1;
const MOST_WARNINGS: usize = 3;
const MOST_FIX: usize = 5;
const INDENT: usize = 6;

#[derive(Clone, Copy, Debug)]
struct Limits {
    reservation: usize,
    head: usize,
    rows: usize,
    requirements: (usize, usize),
}

/// Limits on the number of lines, to try in this order. Only a run with every kind of line needs the last, smallest ones.
const LIMITS: [Limits; 3] = [
    Limits { reservation: 3, head: 3, rows: 6, requirements: (4, 3) },
    Limits { reservation: 1, head: 2, rows: 4, requirements: (3, 1) },
    Limits { reservation: 1, head: 1, rows: 3, requirements: (1, 1) },
];

/// The lines, none longer than `columns` (at least 40). `name` is the run's name on a command line.
pub fn brief(run: &Run, name: &str, columns: usize) -> Vec<Line> {
    let columns = columns.max(40);
    let screens = LIMITS.map(|limits| screen(run, name, columns, limits));
    let [usual, less, least] = screens;
    // At least one warning must fit.
    let warns = !warnings(run, columns).is_empty();
    let is_seen = |screen: &Vec<Line>| !warns || screen.iter().any(|(_, line)| line.starts_with("warn "));
    let fits = |screen: &Vec<Line>| screen.len() + ADDED <= MOST_LINES && is_seen(screen);
    [usual, less].into_iter().find(fits).unwrap_or(least)
}

fn screen(run: &Run, name: &str, columns: usize, limits: Limits) -> Vec<Line> {
    let answer = answer::lines(run, columns, limits);
    let table = rows::lines(run, columns, limits.rows);
    let judged = requirements(run, columns, limits.requirements);
    let next = next_lines(run, name, columns, limits.head > 1);
    let conditions = one_line(Tone::Soft, &verdict::conditions_within(run, columns), columns);
    let fixed = answer.len() + table.len() + judged.len() + next.len() + conditions.len() + ADDED;
    let room = MOST_LINES.saturating_sub(fixed);
    let warnings = warnings(run, columns);
    let fix = sentences(run, columns);
    // Causes and fixes come before warnings. One line stays free for the most serious warning, and one for the first cause.
    let kept = usize::from(!warnings.is_empty()).min(room);
    let fix_most = fix.len().min(MOST_FIX).min(room - kept);
    let why = why::lines(run, columns, (room - kept - fix_most).max(usize::from(room > kept)));
    let fix = taken(fix, fix_most.min(room - kept - why.len()));
    let warnings = taken(warnings, room - why.len() - fix.len());
    let gap = room - why.len() - fix.len() - warnings.len() >= 2 && !table.is_empty();
    let empty = || gap.then(|| (Tone::Plain, String::new())).into_iter();
    let parts = answer.into_iter().chain(empty()).chain(table).chain(judged);
    parts.chain(empty()).chain(why).chain(fix).chain(next).chain(warnings).chain(conditions).collect()
}

fn taken(mut lines: Vec<Line>, most: usize) -> Vec<Line> {
    if lines.len() > most {
        lines.truncate(most);
        lines.iter_mut().next_back().into_iter().for_each(|(_, text)| text.push_str(" …"));
    }
    lines
}

/// What to change, without the commands. The line `next` shows the first command; `-v` shows the others.
fn sentences(run: &Run, columns: usize) -> Vec<Line> {
    if next::next(run, "") == Some(Next::Nothing) {
        return Vec::new();
    }
    let fixes = verdict::changes(run);
    let first = fixes.iter().map(|fix| format!("{}{}", fix.of, fix.text.lines().next().unwrap_or_default()));
    labelled("fix", &first.collect::<Vec<_>>().join("\n"), columns, Tone::Plain)
}

/// One command, ready for a shell. A long one continues after a backslash.
fn next_lines(run: &Run, name: &str, columns: usize, remarks: bool) -> Vec<Line> {
    let lines = match next::next(run, name) {
        None => Vec::new(),
        Some(Next::Nothing) => vec![NOTHING.to_string()],
        Some(Next::Command(command)) => {
            let bare = command.split_once(next::REMARK).map_or(command.as_str(), |(bare, _)| bare);
            advice::command(&printable(if remarks { &command } else { bare }), columns - INDENT)
        }
    };
    lines.into_iter().enumerate().map(|(at, line)| behind("next", at, &line, Tone::Plain)).collect()
}

/// What `-v` adds to the first screen: every fix with its commands, the next command and all others.
pub fn further(run: &Run, name: &str, columns: usize) -> String {
    let columns = columns.max(40);
    let fixes = verdict::changes(run);
    let told = |fix: &verdict::Change| format!("{}{}", fix.of, fix.text);
    let fix = fixes.iter().flat_map(|fix| advice::lines(&printable_lines(&told(fix)), columns - INDENT)).enumerate();
    let fix = fix.map(|(at, line)| behind("fix", at, &line, Tone::Plain));
    let others = next::others(run, name);
    let also = others.iter().flat_map(|line| advice::command(&printable(line), columns - INDENT)).enumerate();
    let also = also.map(|(at, line)| behind("also", at, &line, Tone::Plain));
    let all = fix.chain(next_lines(run, name, columns, true)).chain(also);
    all.map(|(_, line)| line + "\n").collect()
}

/// A line of a labelled block: the first line follows the label, further lines align with it.
fn behind(label: &str, at: usize, line: &str, tone: Tone) -> Line {
    let label = if at == 0 { label } else { "" };
    (tone, format!("{label:<INDENT$}{line}").trim_end().to_string())
}

/// Text after a label; further lines align with the text. Empty text gives no lines.
fn labelled(label: &str, text: &str, columns: usize, tone: Tone) -> Vec<Line> {
    let texts: Vec<String> = text.lines().map(printable).filter(|text| !text.is_empty()).collect();
    let wrapped: String = texts.iter().map(|text| wrapped_at(text, columns - INDENT - 2, 0)).collect();
    wrapped.lines().enumerate().map(|(at, line)| behind(label, at, line, tone)).collect()
}

fn one_line(tone: Tone, text: &str, columns: usize) -> Vec<Line> {
    let text = printable(text);
    if text.is_empty() { Vec::new() } else { vec![(tone, cut(&text, columns))] }
}

fn requirements(run: &Run, columns: usize, (most, lines_each): (usize, usize)) -> Vec<Line> {
    let passed = run.requirements.iter().filter(|requirement| requirement.outcome == Outcome::Pass).count();
    let mut others: Vec<_> =
        run.requirements.iter().filter(|requirement| requirement.outcome != Outcome::Pass).collect();
    others.sort_by_key(|requirement| requirement.outcome != Outcome::Fail);
    let shown = others.iter().take(most);
    let mut lines: Vec<Line> = shown
        .flat_map(|requirement| {
            let tone = if requirement.outcome == Outcome::Fail { Tone::Bad } else { Tone::Warn };
            let text = format!("{} '{}': {}", outcome(requirement.outcome), requirement.text, requirement.because);
            let wrapped = wrapped_at(&printable(&text), columns - 2, 2);
            taken(wrapped.lines().map(|line| (tone, line.to_string())).collect(), lines_each)
        })
        .collect();
    let more = others.len().saturating_sub(most);
    match (passed, more) {
        (0, 0) => {}
        (0, more) => lines.push((Tone::Bad, format!("and {more} more did not pass"))),
        (passed, 0) => lines.push((Tone::Good, format!("PASS {passed} of {} requirements", run.requirements.len()))),
        (passed, more) => lines.push((
            Tone::Bad,
            format!("and {more} more did not pass; {passed} of {} requirements passed", run.requirements.len()),
        )),
    }
    lines
}

/// Kinds of warnings that are not repeated here: another line of the screen shows them, or only the page and `-v` show them.
const ELSEWHERE: [&str; 6] = [
    Warning::NO_EVIDENCE,
    Warning::TRACE_LOST,
    Warning::UNRECORDED,
    Warning::RUN_DELAY,
    "clusters",
    Warning::RECORDER_ON,
];

fn warnings(run: &Run, columns: usize) -> Vec<Line> {
    let folded = folded(run);
    let has_place = |kind: &&Folded| ELSEWHERE.contains(&&*kind.first.kind);
    // The first line already says why nothing was recorded.
    let counted = verdict::headline(run).and_then(|series| verdict::counted(run, series));
    let is_told = |kind: &&Folded| {
        counted == Some(kind.first) || verdict::unrecorded(run).is_some() && kind.first.text.starts_with("no stages ")
    };
    let unsteady = unsteady::sentence(run);
    let is_small = |kind: &&Folded| kind.first.kind == "drift" && unsteady.is_none();
    let is_shown = |kind: &&Folded| !has_place(kind) && !is_told(kind) && !is_small(kind);
    let shown: Vec<&Folded> = folded.iter().filter(is_shown).collect();
    let text = |kind: &Folded| match &*kind.first.kind {
        "drift" => unsteady.clone().unwrap_or_default(),
        "crossed" => kind.first.text.rsplit_once("; ").map_or(kind.first.to_string(), |(_, place)| place.to_string()),
        _ => format!("{}{}", placed(run, kind.first), elsewhere(run, kind)),
    };
    let texts: Vec<String> = shown.iter().take(MOST_WARNINGS).map(|kind| printable(&text(kind))).collect();
    let more: usize = shown.iter().skip(MOST_WARNINGS).map(|kind| 1 + kind.others.len()).sum();
    let more = (more > 0).then(|| format!("and {} more: -v", grouped(more as u64)));
    let all: Vec<String> = texts.into_iter().chain(more).collect();
    labelled("warn", &all.join("\n"), columns, Tone::Warn)
}

fn placed(run: &Run, warning: &Warning) -> String {
    Warning { of: place(run, warning), ..warning.clone() }.to_string()
}

/// What a warning is about, in the words of the rows if that is a phase.
fn place(run: &Run, warning: &Warning) -> Option<String> {
    let place = warning.of.as_deref()?;
    let phase = |key: &Key, traced| InvalidPhase { load: key.load.clone(), idle: key.idle.clone(), traced };
    let of_series = |series: &Series| {
        let key = &series.key;
        let phases = [phase(key, true), phase(key, false)];
        let own = phases.iter().find(|phase| place == phase.to_string());
        own.map(|phase| named(run, phase)).or_else(|| (place == key.to_string()).then(|| short::phase(run, key)))
    };
    run.series.iter().find_map(of_series).or(warning.of.clone())
}

/// A phase in the words of the rows.
fn named(run: &Run, phase: &InvalidPhase) -> String {
    let key = Key::new("", &phase.load, &phase.idle);
    short::phase(run, &key) + if phase.traced { ", traced" } else { "" }
}

/// Where else a warning applies: ` (also load (8 kinds))`. `-v` lists similar ones of the same phase.
fn elsewhere(run: &Run, folded: &Folded) -> String {
    let all = std::iter::once(folded.first).chain(folded.others.iter().copied());
    let places: Vec<String> = all.map(|one| place(run, one).unwrap_or_default()).collect();
    // A phase and its traced part are one place.
    let is_twin =
        |place: &str| place.strip_suffix(", traced").is_some_and(|own| places.iter().any(|other| other == own));
    let others: Vec<&String> = places.iter().skip(1).filter(|place| !is_twin(place)).collect();
    match &others[..] {
        [] => String::new(),
        [place] if **place != places[0] => format!(" (also {place})"),
        several if several.iter().all(|place| **place != places[0]) => {
            format!(" (also {} other phases)", several.len())
        }
        several => format!(" ({} more like it: -v)", several.len()),
    }
}

/// Why the run did not measure everything. For `--stop-above`, includes the response that ended the run and its cause.
pub(super) fn ended(run: &Run) -> Option<String> {
    if let Some(stretch) = run.unfinished() {
        return Some(format!("UNFINISHED: measured {} until {}", phrase::measured(run), stretch.until));
    }
    let how = run.ended_early()?;
    let limit = run.plan.stop_above_ns.filter(|_| run.crossed());
    let Some((limit, worst)) = limit.zip(phrase::crossing(run)) else {
        return Some(format!("{how} after {:.0} s", run.seconds));
    };
    let cause = worst.blame.as_ref().map_or(String::new(), |blame| format!(": {}", accused::short(blame, worst.value)));
    let (limit, value) = (phrase::value(limit.0, Unit::Ns), phrase::value(worst.value, Unit::Ns));
    Some(format!("{how} {limit}: a response took {value}{cause}"))
}
