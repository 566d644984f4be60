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

/// Adds the operations that the streams in `stream` hold, out of the `known` ones. What the guest's system lacks is one warning.
pub fn add_operations(run: &mut Run, scenario: &Scenario, known: &[Listed], stream: impl Read) {
    let measured = operation::listen_each(stream, known);
    let whole = |measured: &Measured| measured.heard.ending == Some(crate::wire::EndReason::Done);
    run.interrupted |= !measured.last().is_some_and(whole);
    let mut rows = Vec::new();
    for Measured { heard, row, series, .. } in measured {
        let place = series.key.label();
        run.warnings.extend(heard.warnings.iter().map(|warning| format!("{place}: {warning}")));
        if rows.is_empty() {
            run.values.extend(heard.values);
            run.device.more.extend(heard.texts);
        }
        run.series.push(series);
        rows.push(row);
    }
    let missing = known.iter().filter(|listed| rows.iter().all(|row| row.test != listed.test)).count();
    if scenario.options.split_whitespace().any(|word| word == "-all") && missing > 0 {
        run.warnings.push(format!("{missing} rows are not measured; console.txt says of each why"));
    }
    run.pictures.push(Picture::Operations(Operations { rows, ..Operations::default() }));
}
