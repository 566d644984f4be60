// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sentences about a device: its last run, its worst, its gaps and changes.
use crate::comparison;
use crate::phrase;
use crate::printable::printable;
use crate::trace::accused;
use crate::verdict;
use backwall_fleet::history::{Change, Device, Entry, Gap};
use backwall_fleet::steps::{self, Step};
use backwall_judge::compare::Verdict;
use backwall_model::units::{counted, grouped};
use backwall_model::{Blame, Key, Run, Series};

/// The quantile in a history: the highest that a short run can bound.
pub(super) const QUANTILE: f64 = 0.999;

/// The series in a device's history: the headline of its last run.
pub fn headline(device: &Device) -> Option<(&Entry, &Series)> {
    let last = device.last()?;
    Some((last, verdict::loaded(&last.run)?))
}

/// Origin and validity of figures; nothing for valid figures that were measured.
pub fn evidence(run: &Run, key: &Key) -> String {
    let origin = run.origin.name();
    if run.no_evidence_of(key).is_some() { format!("NO EVIDENCE, {origin}") } else { origin.to_string() }
}

pub(super) fn row(device: &Device) -> Vec<String> {
    let Some(last) = device.last() else { return vec![device.name.clone(), "none".to_string()] };
    let (name, kernel) = (printable(&device.name), printable(&last.kernel));
    let when = minute(&last.run.started);
    let runs = grouped(device.entries.len() as u64);
    match verdict::loaded(&last.run) {
        Some(series) => {
            let [samples, quantile, limit, max] = figures(series);
            let evidence = evidence(&last.run, &series.key);
            vec![name, when, kernel, phrase::short_phase(&series.key), runs, samples, quantile, limit, max, evidence]
        }
        None => vec![name, when, kernel, "nothing measured".to_string(), runs],
    }
}

pub(crate) fn figures(series: &Series) -> [String; 4] {
    let quantile = series.quantile(QUANTILE);
    let shown =
        |value: Option<u64>, none: &str| value.map_or(none.to_string(), |value| phrase::value(value, series.unit));
    [
        grouped(series.counted()),
        shown(quantile.and_then(|quantile| quantile.value), "too few"),
        shown(quantile.and_then(|quantile| quantile.value.and(quantile.high)), "no limit"),
        shown(series.max, "none"),
    ]
}

pub(super) fn minute(started: &str) -> String {
    printable(started).chars().take(16).map(|letter| if letter == 'T' { ' ' } else { letter }).collect()
}

/// The device's worst response, its gaps, the effects of its kernels, and steps in its figure, one line each.
pub(super) fn lines(device: &Device) -> Vec<String> {
    let worst = headline(device).and_then(|(_, series)| worst(device, &series.key));
    worst
        .into_iter()
        .chain(device.gaps.iter().map(gap))
        .chain(device.changes.iter().map(change))
        .chain(device.steps.iter().map(step))
        .collect()
}

/// The worst response of a series over all runs, with its cause if a run recorded it.
pub(super) fn worst(device: &Device, key: &Key) -> Option<String> {
    let (entry, series) = device.worst(key)?;
    let (runs, samples) = device
        .series(key)
        .fold((0, 0_u64), |(runs, samples), (_, series)| (runs + 1, samples.saturating_add(series.counted())));
    let max = phrase::value(series.max?, series.unit);
    let of = format!("{} with {} samples", counted(runs, "run", "runs"), grouped(samples));
    let doubt = evidence(&entry.run, key);
    let cause = cause(&entry.run, key).unwrap_or_else(|| "its cause was not recorded".to_string());
    Some(format!("worst {max} in {of} ({doubt}), {}, kernel {}: {cause}", minute(&entry.run.started), entry.kernel))
}

pub fn cause(run: &Run, key: &Key) -> Option<String> {
    let own = run.series_of(key).and_then(|series| series.worst.first());
    let own = own.and_then(|worst| Some((worst.blame.as_ref()?, worst.value)));
    let traced = run.stages.iter().find(|stages| stages.key == *key).and_then(|stages| stages.worst.first());
    let traced = traced.and_then(|worst| Some((worst.blame.as_ref()?, worst.value)));
    let said = |(blame, value): (&Blame, u64)| accused::line(blame, value);
    own.map(said).or_else(|| traced.map(|found| format!("of the worst traced response {}", said(found))))
}

pub(super) fn gap(gap: &Gap) -> String {
    let hours = gap.until.duration_since(gap.from).as_secs_f64() / 3_600.0;
    let (from, until) = (minute(&gap.from.to_string()), minute(&gap.until.to_string()));
    format!("no run between {from} and {until} ({hours:.1} h)")
}

pub(super) fn change(change: &Change) -> String {
    let comparison = &change.comparison;
    let rows = comparison.rows.iter().filter(|row| row.verdict == comparison.verdict);
    let decided = matches!(comparison.verdict, Verdict::Regressed | Verdict::Improved);
    let first = rows.filter(|_| decided).map(comparison::sentence).next();
    let first = first.map_or(String::new(), |sentence| format!("; {sentence}"));
    format!("kernel {} to {}: {}{first}", change.before, change.after, comparison::headline(comparison))
}

/// A level is a median of whole numbers and may end in .5, so it is rounded to a whole number.
pub(super) fn step(step: &Step) -> String {
    let level = |level: f64| phrase::value(level.round() as u64, step.unit);
    let quantile = phrase::quantile_name(steps::QUANTILE);
    let kernel = if step.with_kernel { ", with a new kernel" } else { "" };
    format!(
        "{quantile} went from {} to {} (a factor of {:.2}), starting with the run of {}{kernel}; chance alone would show \
            such a step in {:.2} of 1,000 histories",
        level(step.before),
        level(step.after),
        step.after / step.before,
        minute(&step.started),
        step.chance * 1_000.0
    )
}
