// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table on the terminal: every phase with its counts, and everything a reader needs to trust it.
use super::idle_cost;
use super::phrase;
use super::printable::printable_lines;
use super::table::{Align, Table};
use super::verdict;
use super::wrap::wrapped;
use backwall_model::column::{Column, Figure, View};
use backwall_model::units::{grouped, tenths};
use backwall_model::{Outcome, Requirement, Run, Series};

/// The whole report as plain text: head, table, conditions, verdict; no line is longer than `columns` (at least 60).
pub fn text(run: &Run, columns: usize) -> String {
    let columns = columns.max(60);
    let parts = [
        incomplete(run),
        head(run),
        figures(run, columns),
        limits(run),
        stages(run, columns),
        loads(run, columns),
        notes(run),
        phrase::crossed(run).map_or(String::new(), |crossed| crossed + "\n") + &requirements(run),
        warnings(run),
        format!("verdict: {}\n", verdict::sentence(run)),
    ];
    let kept: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    // Tables already fit the terminal, so a longer line is a sentence.
    let fitted = |line: &str| if line.chars().count() > columns { wrapped(line, columns) } else { format!("{line}\n") };
    printable_lines(&kept.join("\n")).lines().map(fitted).collect()
}

/// The warning at the very top: the kernel's trace has gaps.
fn incomplete(run: &Run) -> String {
    verdict::lost(run).map_or(String::new(), |lost| format!("TRACE INCOMPLETE: {lost}\n"))
}

fn head(run: &Run) -> String {
    format!(
        "backwall {} · {} · {}, {:.1} s\n{} on {}\n",
        run.version,
        phrase::origin(run.origin),
        run.started,
        run.seconds,
        phrase::system(run),
        phrase::processor(run)
    )
}

fn figures(run: &Run, columns: usize) -> String {
    if run.series.is_empty() {
        return "nothing was measured\n".to_string();
    }
    let names = ["latency", "load", "idle"].map(|title| (title, Align::Left)).into_iter();
    let figures = Column::of(View::Table).map(|column| (column.title, Align::Right));
    let head: Vec<(&str, Align)> = names.chain(figures).chain([("unit", Align::Left)]).collect();
    let mut table = Table::new(&head);
    run.series.iter().for_each(|series| table.row(figure_row(run, series)));
    let mut text = table.in_parts(columns, 3);
    if text.contains(phrase::TOO_FEW) {
        text.push_str(&format!("{}: more samples are needed (run longer)\n", phrase::TOO_FEW));
    }
    let is_one = |series: &Series| {
        Column::of(View::Table).any(|column| matches!(column.figure, Figure::Quantile(q) if is_unbounded(series, q)))
    };
    if run.series.iter().any(is_one) {
        text.push_str(&format!("{UNBOUNDED}: not enough samples to bound it from above (95 % confidence)\n"));
    }
    text
}

fn figure_cell(figure: Figure, series: &Series) -> String {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, series.unit));
    match figure {
        Figure::Count(count) | Figure::Fault(count) => phrase::count(count(series)),
        Figure::Min => phrase::min_figure(series),
        Figure::Mean => series.mean.map_or("-".to_string(), |mean| phrase::mean_figure(mean, series.unit)),
        Figure::Quantile(q) => quantile_cell(series, q),
        Figure::Quantiles => String::new(),
        Figure::Max => phrase::max_figure(series),
        Figure::Jitter => exact(series.jitter),
    }
}

fn figure_row(run: &Run, series: &Series) -> Vec<String> {
    let idle = series.key.idle.clone() + phrase::doubtful(run, &series.key);
    let names = [series.key.label(), series.key.load.clone(), idle].into_iter();
    let figures = Column::of(View::Table).map(|column| figure_cell(column.figure, series));
    names.chain(figures).chain([phrase::column_unit(series.unit).to_string()]).collect()
}

pub(super) const UNBOUNDED: &str = "?";

fn is_unbounded(series: &Series, q: f64) -> bool {
    series.quantile(q).is_some_and(|quantile| quantile.value.is_some() && quantile.high.is_none())
}

/// A quantile's figure: with `?` if the samples do not bound it from above, `too few` if they do not reach it, `-` if the series
/// lacks it.
pub fn quantile_cell(series: &Series, q: f64) -> String {
    match series.quantile(q) {
        None => "-".to_string(),
        Some(quantile) => match quantile.value {
            None => phrase::TOO_FEW.to_string(),
            Some(value) if is_unbounded(series, q) => phrase::quantile_figure(value, series) + UNBOUNDED,
            Some(value) => phrase::quantile_figure(value, series),
        },
    }
}

/// Confidence limits of the highest quantile of each series, and the samples excluded from the figures.
fn limits(run: &Run) -> String {
    run.series.iter().map(|series| format!("{}{}", limit_of(series), aside(series))).collect()
}

fn limit_of(series: &Series) -> String {
    let Some((quantile, value)) = phrase::highest_quantile(series) else { return String::new() };
    let side = |limit: Option<u64>| limit.map_or("unbounded".to_string(), |v| phrase::value(v, series.unit));
    format!(
        "{}, {}: {} {}, 95 % confidence {} to {}\n",
        series.key.name,
        phrase::phase(series),
        phrase::quantile_name(quantile.q),
        phrase::value(value, series.unit),
        side(quantile.low),
        side(quantile.high)
    )
}

/// Counters that are zero in an ordinary run; they are always shown if they are not zero.
fn aside(series: &Series) -> String {
    let mut text = String::new();
    let label = format!("{}, {}", series.key.name, phrase::phase(series));
    if series.warmup > 0 {
        text.push_str(&format!("{label}: {} warm-up samples excluded\n", grouped(series.warmup)));
    }
    if series.overflow > 0 {
        text.push_str(&format!(
            "{label}: {} samples beyond the last bucket of the histogram\n",
            grouped(series.overflow)
        ));
    }
    text
}

fn stages(run: &Run, columns: usize) -> String {
    let mut table = Table::new(&[
        ("stage", Align::Left),
        ("load", Align::Left),
        ("idle", Align::Left),
        ("min", Align::Right),
        ("mean", Align::Right),
        ("p50", Align::Right),
        ("p99", Align::Right),
        ("max", Align::Right),
        ("of the worst", Align::Right),
        ("unit", Align::Left),
    ]);
    for stages in &run.stages {
        for (index, stage) in stages.parts.iter().enumerate() {
            let mut cells = vec![stage.name.clone(), stages.key.load.clone(), stages.key.idle.clone()];
            cells.push(phrase::figure(stage.min, stage.unit));
            cells.push(phrase::mean_figure(stage.mean, stage.unit));
            cells.extend([stage.p50, stage.p99, stage.max].map(|value| phrase::figure(value, stage.unit)));
            cells.push(stages.of_worst.get(index).map_or("-".into(), |value| phrase::figure(*value, stage.unit)));
            cells.push(phrase::column_unit(stage.unit).to_string());
            table.row(cells);
        }
    }
    let matched: String = run.stages.iter().map(matched_of).collect();
    let blamed: String = run.stages.iter().map(blamed_of).collect();
    if run.stages.is_empty() { String::new() } else { table.in_parts(columns, 3) + &matched + &blamed }
}

fn blamed_of(stages: &backwall_model::Stages) -> String {
    let sentences = phrase::blames(stages).chain(phrase::causes(stages));
    sentences.map(|text| format!("worst traced responses, {}: {text}\n", phrase::phase_of(&stages.key))).collect()
}

fn matched_of(stages: &backwall_model::Stages) -> String {
    format!(
        "stages of {}, {}: {} responses completely recorded{}, {} incompletely, {} trace events lost{}\n",
        stages.key.name,
        phrase::phase_of(&stages.key),
        grouped(stages.matched),
        phrase::inferred(stages),
        grouped(stages.unmatched),
        grouped(stages.events_lost),
        phrase::tracing_cost(stages)
    )
}

fn loads(run: &Run, columns: usize) -> String {
    let second = phrase::rate_seconds(&run.loads);
    let (slowest, fastest) = (format!("slowest {second}"), format!("fastest {second}"));
    let mut table = Table::new(&[
        ("load", Align::Left),
        ("phase", Align::Left),
        ("done", Align::Right),
        (&slowest, Align::Right),
        (&fastest, Align::Right),
        ("unit", Align::Left),
    ]);
    for load in &run.loads {
        let slowest = load.per_second.iter().copied().reduce(f64::min);
        let fastest = load.per_second.iter().copied().reduce(f64::max);
        let rate = |rate: Option<f64>| rate.map_or("-".to_string(), |rate| grouped(rate.round() as u64));
        let cells = [load.name.clone(), load.phase.clone(), grouped(load.done), rate(slowest), rate(fastest)];
        table.row(cells.into_iter().chain([load.unit.clone()]).collect());
    }
    let starved: String = run.loads.iter().filter_map(starved).collect();
    if run.loads.is_empty() { String::new() } else { table.in_parts(columns, 2) + &starved }
}

fn starved(load: &backwall_model::LoadProgress) -> Option<String> {
    let still = load.each_s * load.per_second.iter().filter(|rate| **rate <= 0.0).count() as u64;
    (still > 0).then(|| {
        format!(
            "load {} made no progress in {still} of {} seconds of phase {}\n",
            load.name,
            load.each_s * load.per_second.len() as u64,
            load.phase
        )
    })
}

fn notes(run: &Run) -> String {
    let mut text = format!("{}\n", phrase::BACK_WALL);
    text.extend(idle_cost::sentence(run).map(|sentence| sentence + "\n"));
    text.extend(phrase::overrun(&run.plan).map(|rule| format!("overload rule {rule}\n")));
    if !run.device.clock.is_empty() {
        text.push_str(&format!("clock: {}\n", phrase::clock(run)));
    }
    if let Some(check) = &run.self_check {
        text.push_str(&self_check(check));
    }
    if run.environment.was_read() {
        text.push_str(&format!("{}\n", phrase::steal(run.environment.steal_ticks)));
    }
    text
}

fn self_check(check: &backwall_model::SelfCheck) -> String {
    let us = |ns: i64| tenths(ns as f64 / 1e3);
    format!(
        "self-check, {}: the probe's reading minus the kernel's: min {} median {} p99 {} max {} us over {} wakeups\n",
        check.what,
        us(check.min_ns),
        us(check.p50_ns),
        us(check.p99_ns),
        us(check.max_ns),
        grouped(check.compared)
    )
}

/// The line that precedes the figures of an invalid run; empty for a valid run.
pub fn unproved(run: &Run) -> String {
    run.spoiled_line().map_or(String::new(), |spoiled| format!("NO EVIDENCE {spoiled}\n"))
}

pub fn requirements(run: &Run) -> String {
    run.requirements.iter().map(|requirement| judged(requirement) + "\n").collect()
}

fn judged(requirement: &Requirement) -> String {
    format!("{} '{}': {}", outcome(requirement.outcome), requirement.text, requirement.because)
}

/// The line of a requirement that did not pass; printed even if the table is suppressed.
pub fn not_passed(requirement: &Requirement) -> Option<String> {
    (requirement.outcome != Outcome::Pass).then(|| judged(requirement))
}

pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "PASS",
        Outcome::Fail => "FAIL",
        Outcome::Undecided => "UNDECIDED",
    }
}

pub(super) fn warnings(run: &Run) -> String {
    run.warnings.iter().map(|warning| format!("warning: {warning}\n")).collect()
}
