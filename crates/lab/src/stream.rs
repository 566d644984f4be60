// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a guest's probe stream from the instrument's channel into the run, with the same code that reads a local probe.
use super::scenario::Scenario;
use backwall_model::picture::{Case, Form, Interference, Operations};
use backwall_model::units::Unit;
use backwall_model::{Picture, Run, Series, Warning};
use backwall_runner::Watch;
use backwall_runner::device::probe::ListedOperation;
use backwall_runner::interfere::compute_display::{FORMS, NAME, whole_beside_parts};
use backwall_runner::interfere::{outlet::Outlet, published};
use backwall_runner::osbench::operation::{self, OperationResult};
use backwall_runner::stream::probe_report::{Conditions, listen};
use backwall_stats::SeriesBuilder;
use std::io::Read;

/// Adds the series, texts, values and warnings of `stream`. If the stream does not end regularly, the run is marked as
/// interrupted.
pub fn add_to(run: &mut Run, scenario: &Scenario, stream: impl Read) {
    let (load, idle) = (Some(scenario.load.clone()), Some("as-is".to_string()));
    let heard =
        listen(stream, Conditions { load, idle, recorder: None, flight: None, keeper: None }, &Watch::default());
    run.interrupted |= !heard.is_done();
    run.series.extend(heard.series.iter().map(SeriesBuilder::build));
    run.values.extend(heard.values);
    run.warnings.extend(heard.warnings);
    heard.texts.iter().for_each(|(name, text)| run.device.say(name, text));
    run.pictures.extend(interference(run));
}

/// The times of the guest's sieve and outlets, separately and together, from its series; `None` if the guest did not measure
/// them.
fn interference(run: &Run) -> Option<Picture> {
    const OUTLET: &str = "outlet";
    let outlets = || run.series.iter().filter_map(|series| Some((series.key.variant.get(OUTLET)?, series)));
    let mut names: Vec<&String> = outlets().map(|(outlet, _)| outlet).collect();
    names.dedup();
    let of = |outlet: &String| {
        let series = |name: &&str| outlets().find(|(other, series)| *other == outlet && series.key.name == **name);
        let found: Vec<&Series> = FORMS.iter().filter_map(|name| Some(series(name)?.1)).collect();
        let forms = found.iter().map(|series| Form { name: series.key.name.clone(), times: times(series) });
        whole_beside_parts(Case {
            experiment: NAME.into(),
            name: outlet.clone(),
            title: titled(outlet).into(),
            unit: found.first().map_or(Unit::Instructions, |series| series.unit),
            published: published::sieve(Outlet::Terminal).filter(|_| outlet.starts_with("vga")),
            forms: forms.collect(),
            ..Case::default()
        })
    };
    let cases: Vec<Case> = names.into_iter().map(of).filter(|case| case.forms.len() == FORMS.len()).collect();
    (!cases.is_empty()).then(|| Picture::Interference(Interference { cases, absent: Vec::new() }))
}

/// Every sample of a series in order. A series keeps only its largest samples, but these series are so short that all
/// samples are kept.
fn times(series: &Series) -> Vec<u64> {
    let mut samples: Vec<(u64, u64)> = series.worst.iter().map(|sample| (sample.seq, sample.value)).collect();
    samples.sort_unstable();
    samples.into_iter().map(|(_, value)| value).collect()
}

fn titled(outlet: &str) -> &str {
    match outlet {
        "serial" => "serial line",
        "vga" => "VGA",
        "serial-thread" => "serial line, in its own thread",
        "vga-thread" => "VGA, in its own thread",
        other => other,
    }
}

pub fn is_of_operations(scenario: &Scenario) -> bool {
    scenario.options.split_whitespace().any(|word| word == "osbench")
}

/// Adds the operations in `stream` that are among `known`. Requested operations that are missing become a warning.
pub fn add_operations(run: &mut Run, scenario: &Scenario, known: &[ListedOperation], stream: impl Read) {
    let measured = operation::listen_each(stream, known);
    let broken = measured.last().filter(|measured| measured.heard.ending.is_none()).map(|last| last.series.key.label());
    run.interrupted |= measured.is_empty();
    let mut rows = Vec::new();
    for OperationResult { heard, row, series, .. } in measured {
        let place = series.key.label();
        run.interrupted |= row.failure.is_some();
        let failure = row.failure.as_ref().map(|failure| Warning::new(Warning::FAILED, failure));
        run.warnings.extend(heard.warnings.into_iter().chain(failure).map(|warning| warning.of(&place)));
        if rows.is_empty() {
            run.values.extend(heard.values);
            heard.texts.iter().for_each(|(name, text)| run.device.say(name, text));
        }
        run.series.push(series);
        rows.push(row);
    }
    let is_missing =
        |listed: &&ListedOperation| is_asked(scenario, listed) && rows.iter().all(|row| row.test != listed.test);
    run.warnings.extend(unmeasured(known.iter().filter(is_missing).count(), broken));
    run.pictures.push(Picture::Operations(Operations { rows, ..Operations::default() }));
}

/// Whether the scenario's options request this operation: `-all`, `-t 1` or `-t 1.02`.
fn is_asked(scenario: &Scenario, listed: &ListedOperation) -> bool {
    let words: Vec<&str> = scenario.options.split_whitespace().collect();
    let names =
        |name: &str| listed.test.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    words.contains(&"-all") || words.windows(2).any(|two| two[0] == "-t" && names(two[1]))
}

fn unmeasured(missing: usize, broken: Option<String>) -> Option<Warning> {
    let said = match (missing, broken) {
        (0, _) => return None,
        (missing, Some(place)) => format!("{missing} rows are missing: the stream broke off in {place}"),
        (missing, None) => format!("{missing} rows were not measured; console.txt says why"),
    };
    Some(Warning::new("rows-missing", said))
}
