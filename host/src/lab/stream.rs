// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a probe in the guest said on the instrument's channel, into the run: the same records, read by the same code, as
//! those of a probe that runs beside the tool.
use super::scenario::Scenario;
use crate::probe::Listed;
use crate::run::picture::Operations;
use crate::run::{Picture, Run};
use crate::session::Watch;
use crate::session::heard::{Conditions, listen};
use crate::session::operation::{self, Measured};
use crate::stats::SeriesBuilder;
use std::io::Read;

/// Adds the series, texts, values and warnings of `stream`; one that does not end as done marks the run as interrupted.
pub fn add_to(run: &mut Run, scenario: &Scenario, stream: impl Read) {
    let (load, idle) = (Some(scenario.load.clone()), Some("as-is".to_string()));
    let heard =
        listen(stream, Conditions { load, idle, recorder: None, flight: None, keeper: None }, &Watch::default());
    run.interrupted |= heard.ending != Some(crate::wire::EndReason::Done);
    run.series.extend(heard.series.iter().map(SeriesBuilder::build));
    run.values.extend(heard.values);
    run.warnings.extend(heard.warnings);
    run.device.more.extend(heard.texts);
}

/// Whether the guest measures operations: a stream for each.
pub fn is_of_operations(scenario: &Scenario) -> bool {
    scenario.options.split_whitespace().any(|word| word == "osbench")
}

/// Adds the operations that the streams in `stream` hold, out of the `known` ones. What was asked for and is not there is a warning.
pub fn add_operations(run: &mut Run, scenario: &Scenario, known: &[Listed], stream: impl Read) {
    let measured = operation::listen_each(stream, known);
    let broken = measured.last().filter(|measured| measured.heard.ending.is_none()).map(|last| last.series.key.label());
    run.interrupted |= measured.is_empty();
    let mut rows = Vec::new();
    for Measured { heard, row, series, .. } in measured {
        let place = series.key.label();
        run.interrupted |= row.failure.is_some();
        run.warnings.extend(heard.warnings.iter().chain(&row.failure).map(|warning| format!("{place}: {warning}")));
        if rows.is_empty() {
            run.values.extend(heard.values);
            run.device.more.extend(heard.texts);
        }
        run.series.push(series);
        rows.push(row);
    }
    let is_missing = |listed: &&Listed| is_asked(scenario, listed) && rows.iter().all(|row| row.test != listed.test);
    run.warnings.extend(unmeasured(known.iter().filter(is_missing).count(), broken));
    run.pictures.push(Picture::Operations(Operations { rows, ..Operations::default() }));
}

/// Whether the scenario's words name it: `-all`, `-t 1` or `-t 1.02`.
fn is_asked(scenario: &Scenario, listed: &Listed) -> bool {
    let words: Vec<&str> = scenario.options.split_whitespace().collect();
    let names =
        |name: &str| listed.test.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    words.contains(&"-all") || words.windows(2).any(|two| two[0] == "-t" && names(two[1]))
}

/// Behind a stream that breaks off nobody knows what the guest measured.
fn unmeasured(missing: usize, broken: Option<String>) -> Option<String> {
    match (missing, broken) {
        (0, _) => None,
        (missing, Some(place)) => Some(format!("{missing} rows are not here: the stream broke off in {place}")),
        (missing, None) => Some(format!("{missing} rows are not measured; console.txt says of each why")),
    }
}
