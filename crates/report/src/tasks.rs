// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fate of a task set's jobs: sentences and table.
use super::phrase;
use super::table::{Align, Table};
use super::trace::accused;
use super::wrap::cut;
use backwall_model::picture::{Fates, PredictedTerm, TaskRow, TaskSet};
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{CauseTotal, Extension, Origin, Picture, Run, Series};
use backwall_stats::binomial::highest_rate;
use std::cmp::Reverse;

const NAME_COLUMNS: usize = 14;
const CAUSES: usize = 3;
const CONFIDENCE: f64 = 0.95;

pub fn of(run: &Run) -> Option<&TaskSet> {
    let Extension::Tasks(_) = &run.plan.extension else { return None };
    run.pictures.iter().find_map(|picture| match picture {
        Picture::TaskSet(set) => Some(set),
        _ => None,
    })
}

pub fn series<'a>(run: &'a Run, task: &TaskRow, name: &str) -> Option<&'a Series> {
    let of_task = |series: &&Series| series.key.variant.get(TaskRow::TASK) == Some(&task.name);
    run.series.iter().filter(of_task).find(|series| series.key.name == name)
}

pub fn worst<'a>(run: &'a Run, set: &TaskSet) -> Option<&'a Series> {
    let task = set.tasks.get(set.window.as_ref()?.task as usize)?;
    series(run, task, TaskRow::RESPONSE)
}

pub fn unit_of(run: &Run) -> Unit {
    run.series.first().map_or(Unit::Ns, |series| series.unit)
}

pub fn sentence(run: &Run) -> Option<String> {
    let set = of(run)?;
    let (missed, nominal) = missed_of(set);
    if missed == 0 {
        return Some(format!("every deadline was met: {} releases of {} series", grouped(nominal), set.tasks.len()));
    }
    Some(format!("{} of {} deadlines missed: {}", grouped(missed), grouped(nominal), losers(set)))
}

/// The missed deadlines and the due ones, for a headline: `35 of 11,378`, and the tasks that missed them.
pub fn headline(run: &Run) -> Option<(String, String)> {
    let set = of(run)?;
    let (missed, nominal) = missed_of(set);
    let whose = if missed == 0 { String::new() } else { format!(": {}", losers(set)) };
    Some((format!("{} of {}", grouped(missed), grouped(nominal)), whose))
}

fn missed_of(set: &TaskSet) -> (u64, u64) {
    let sum =
        |count: fn(&Fates) -> u64| set.tasks.iter().fold(0u64, |sum, task| sum.saturating_add(count(&task.fates)));
    (sum(Fates::missed), sum(|fates| fates.nominal))
}

fn losers(set: &TaskSet) -> String {
    let whose: Vec<String> = set.tasks.iter().filter(|task| task.fates.missed() > 0).map(whose).collect();
    whose.join(", ")
}

fn whose(task: &TaskRow) -> String {
    format!("{} {} of {}", task.name, grouped(task.fates.missed()), grouped(task.fates.nominal))
}

pub fn conditions(run: &Run) -> String {
    let Extension::Tasks(asked) = &run.plan.extension else { return String::new() };
    let cpus: Vec<String> = asked.set_cpus.iter().map(u32::to_string).collect();
    let cpus = if cpus.is_empty() { "any CPU".to_string() } else { format!("CPU {}", cpus.join(", ")) };
    let load = run.plan.loads.first().map_or("none", String::as_str);
    format!(
        "{} on {}, {cpus}; {}, overrun {}, load {load}, {}{}",
        phrase::system(run),
        phrase::processor(run),
        asked.organisation.replace('-', " "),
        asked.when_overrun,
        if run.interrupted { "ended early" } else { "whole" },
        if run.results.trace_events.is_some() { ", traced" } else { "" }
    ) + if run.origin == Origin::Emulated { "; in executed instructions, M: million" } else { "" }
}

const TABLE: [(&str, Align); 10] = [
    ("series", Align::Left),
    ("jobs", Align::Right),
    ("in time", Align::Right),
    ("late", Align::Right),
    ("skip", Align::Right),
    ("abort", Align::Right),
    ("open", Align::Right),
    ("worst", Align::Right),
    ("bound", Align::Right),
    ("deadline", Align::Right),
];

/// Columns that a narrow terminal leaves out, least important first; never the worst response and its deadline.
const DISPENSABLE: [&str; 6] = ["open", "abort", "skip", "in time", "bound", "jobs"];

/// One row per task: its releases and their fates, the worst and the predicted response, and the deadline. No line is longer than
/// `columns`.
pub fn table(run: &Run, set: &TaskSet, columns: usize) -> String {
    rows(run, set, NAME_COLUMNS).within(columns, &DISPENSABLE)
}

pub fn whole_table(run: &Run, set: &TaskSet) -> Table {
    rows(run, set, usize::MAX)
}

fn rows(run: &Run, set: &TaskSet, name_columns: usize) -> Table {
    let mut table = Table::new(&TABLE);
    for task in &set.tasks {
        let Fates { nominal, on_time, late, skipped, aborted, unfinished, .. } = task.fates;
        let response = series(run, task, TaskRow::RESPONSE);
        let unit = response.map_or(unit_of(run), |series| series.unit);
        let shown = |value: Option<u64>| value.map_or("-".to_string(), |value| short(value, unit));
        let mut cells = vec![cut(&task.name, name_columns)];
        cells.extend([nominal, on_time, late, skipped, aborted, unfinished].map(grouped));
        cells.push(shown(response.and_then(|series| series.max)));
        cells.push(bound(task, unit));
        cells.push(short(task.deadline, unit));
        table.row(cells);
    }
    table
}

fn bound(task: &TaskRow, unit: Unit) -> String {
    let Some(predicted) = &task.predicted else { return "-".into() };
    predicted.bound.map_or("none".into(), |bound| short(bound, unit))
}

/// Prints large instruction counts in millions, because a table has only 80 columns.
fn short(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Ns => DisplayedValue(value, unit).to_string(),
        Unit::Instructions if value >= 1_000_000 => format!("{:.3} M", value as f64 / 1e6),
        Unit::Instructions => grouped(value),
    }
}

/// The rate of missed deadlines with its limits; `None` for a task that missed none.
pub fn misses(task: &TaskRow) -> Option<String> {
    let (missed, nominal) = (task.fates.missed(), task.fates.nominal);
    if missed == 0 {
        return None;
    }
    let (low, high) = rate(missed, nominal);
    let row = match task.fates.missed_in_a_row {
        1 => String::new(),
        several => format!("; up to {} in a row", grouped(several)),
    };
    let percent = |rate: f64| format!("{:.3}", rate * 100.0);
    Some(format!(
        "{}: {} % missed, {} % to {} % at 95 % confidence{row}",
        task.name,
        percent(missed as f64 / nominal as f64),
        percent(low),
        percent(high)
    ))
}

/// Causes of a task's missed deadlines: a sentence for each of the main causes and for the longest job, and the jobs that were
/// not divided. Empty without a trace.
pub fn blamed(run: &Run, task: &TaskRow) -> Vec<String> {
    let key = series(run, task, TaskRow::RESPONSE).map(|series| &series.key);
    let Some(stages) = run.stages.iter().find(|stages| Some(&stages.key) == key) else { return Vec::new() };
    let mut causes: Vec<&CauseTotal> = stages.causes.iter().filter(|cause| cause.largest_in > 0).collect();
    causes.sort_by_key(|cause| Reverse((cause.largest_in, cause.ns)));
    let cause = |cause: &&CauseTotal| {
        let of = format!("{} of {} missed", grouped(cause.largest_in), grouped(stages.blamed));
        format!("{}: {of}: {} ({} together)", task.name, accused::total(cause), DisplayedValue(cause.ns, Unit::Ns))
    };
    let longest =
        stages.worst.first().and_then(|worst| Some((worst.seq, accused::line(worst.blame.as_ref()?, worst.value))));
    let longest = longest.map(|(seq, blame)| format!("{}: longest response, job {}: {blame}", task.name, grouped(seq)));
    let rest = [
        (task.fates.skipped, "skipped because the previous job was still running"),
        (stages.unmatched, "incompletely recorded"),
    ];
    let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{} {why}", grouped(*count)));
    let rest: Vec<String> = rest.collect();
    let rest = (!rest.is_empty()).then(|| format!("{}: {}: not divided", task.name, rest.join(", ")));
    causes.iter().take(CAUSES).map(cause).chain(longest).chain(rest).collect()
}

/// Limits of a rate by Clopper and Pearson, which assume that jobs miss their deadlines independently.
pub fn rate(missed: u64, nominal: u64) -> (f64, f64) {
    let one_side = 1.0 - (1.0 - CONFIDENCE) / 2.0;
    (1.0 - highest_rate(nominal.saturating_sub(missed), nominal, one_side), highest_rate(missed, nominal, one_side))
}

/// The tasks whose worst response exceeded the prediction.
pub fn beyond(run: &Run, set: &TaskSet) -> Option<String> {
    let told = |task: &TaskRow| {
        let (response, bound) = (series(run, task, TaskRow::RESPONSE)?, task.predicted.as_ref()?.bound?);
        let worst = response.max.filter(|worst| *worst > bound)?;
        Some(format!("{} {} over {}", task.name, short(worst, response.unit), short(bound, response.unit)))
    };
    let all: Vec<String> = set.tasks.iter().filter_map(told).collect();
    let said = || format!("bound exceeded: {}; something outside the task set delayed these tasks", all.join(", "));
    (!all.is_empty()).then(said)
}

pub fn instants(set: &TaskSet) -> Option<&'static str> {
    let bounded = |task: &TaskRow| task.predicted.as_ref().is_some_and(|own| own.bound.is_some() && own.instants_known);
    (set.tasks.iter().any(|task| task.poisson) && set.tasks.iter().any(bounded)).then_some(
        "bounds of Poisson series hold for the instants drawn in this run; for other instants, see backwall tasks predict",
    )
}

pub fn calibration(set: &TaskSet) -> Option<String> {
    let turns = set.turns?;
    let after = turns.after.map_or("not measured".to_string(), grouped);
    Some(format!("computing loop: {} turns per millisecond before the run, {after} after it", grouped(turns.before)))
}

/// The largest part, other than the task's own, of the predicted response that is nearest to its deadline.
pub fn attack(run: &Run, set: &TaskSet) -> Option<String> {
    let used = |task: &&TaskRow| {
        let worst = series(run, task, TaskRow::RESPONSE).and_then(|series| series.max).unwrap_or(0);
        u128::from(worst.max(task.predicted.as_ref()?.bound?)).checked_shl(40)?.checked_div(u128::from(task.deadline))
    };
    let task = set.tasks.iter().filter(|task| used(task).is_some()).max_by_key(used)?;
    let predicted = task.predicted.as_ref()?;
    let (bound, first) = (predicted.bound?, predicted.terms.first()?);
    let unit = series(run, task, TaskRow::RESPONSE).map_or(unit_of(run), |series| series.unit);
    let named = |term: &PredictedTerm| {
        let count = if term.count > 1 { format!("{} x ", grouped(term.count)) } else { String::new() };
        format!("{count}{} {}", term.source, short(term.total, unit))
    };
    let others: Vec<String> = predicted.terms.iter().skip(1).take(3).map(named).collect();
    let beside = if others.is_empty() { String::new() } else { format!("; then {}", others.join(", ")) };
    Some(format!(
        "nearest to its deadline: {}, predicted {}; largest delay: {}{beside}",
        task.name,
        short(bound, unit),
        named(first)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_rate_are_those_of_clopper_and_pearson() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-5, "{found} {expected}");
        // 10 of 100: 0.0490 to 0.1762; 0 of 20: 0 to 0.1684.
        near(rate(10, 100).0, 0.04900);
        near(rate(10, 100).1, 0.17622);
        near(rate(0, 20).0, 0.0);
        near(rate(0, 20).1, 0.16843);
    }
}
