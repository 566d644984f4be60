// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts an imported file to a run.
use super::Imported;
use backwall_model::{Extension, Import, Origin, Plan, Run, Warning};
use jiff::Timestamp;

/// The run from this file in this format. If the file has no date, the run gets the time of its import.
pub fn run_of(imported: Imported, (file, format): (String, &str), command: Vec<String>, now: Timestamp) -> Run {
    let plan = plan(&imported, file, format);
    let mut run = Run::begin(Origin::Imported, plan, command, imported.started.unwrap_or(now));
    run.device = imported.device;
    run.seconds = imported.seconds.unwrap_or(0.0);
    run.series = imported.series;
    run.warnings = imported.warnings;
    imported.invalid.into_iter().for_each(|why| run.spoil(why));
    if imported.started.is_none() {
        let said = "the file has no date, so the run is dated with the time of its import";
        run.warnings.push(Warning::new("no-time", said));
    }
    run
}

fn plan(imported: &Imported, file: String, format: &str) -> Plan {
    let mut loads: Vec<String> = imported.series.iter().map(|series| series.key.load.clone()).collect();
    loads.dedup();
    let mut measures: Vec<String> = imported.series.iter().map(|series| series.key.name.clone()).collect();
    measures.dedup();
    Plan {
        measures,
        loads,
        idle: imported.series.first().map_or(String::new(), |series| series.key.idle.clone()),
        extension: Extension::Import(Import {
            file,
            format: format.to_string(),
            tool: imported.tool.clone(),
            asked: imported.asked.clone(),
        }),
        ..Plan::default()
    }
}
