// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a probe in the guest said on the instrument's channel, into the run: the same records, read by the same code, as
//! those of a probe that runs beside the tool.
use super::scenario::Scenario;
use crate::run::Run;
use crate::session::Watch;
use crate::session::heard::{Conditions, listen};
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
