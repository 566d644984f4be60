// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet snapshot FILE.toml`: fetches the last minutes that every device has recorded. The measurements continue. A
//! device without a recording gets a line and does not stop the others.
use super::call::{Args, Call};
use crate::exit::{Exit, unable};
use crate::options::Printing;
use backwall_fleet::plan::Device;
use backwall_fleet::reach::{Until, lately};
use backwall_fleet::recordings::{ProcessOutput, read};
use backwall_ftrace::recording_file;
use backwall_os::console::{complain, print, print_json};
use backwall_os::refusal::Refusal;
use backwall_report::fleet::Lately;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::Path;

/// Fetches the recordings; exits with 3 if a device, or one of its recording processes, gave none.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let call = Call::begin(args)?;
    let one = |device: &Device, until: &Until| {
        let sent = match lately(device, call.tool(device), &call.place, until) {
            Ok(sent) => sent,
            Err(why) => return vec![Lately::none(&device.name, why)],
        };
        match read(&sent) {
            Ok(all) if all.is_empty() => vec![Lately::none(&device.name, NOTHING_RUNS.to_string())],
            Ok(all) => all.into_iter().map(|sent| kept_of(&call, device, sent)).collect(),
            Err(error) => vec![Lately::none(&device.name, error.to_string())],
        }
    };
    let stopped = |device: &Device| vec![Lately::none(&device.name, "interrupted".to_string())];
    let all = call.each(one, stopped, args.printing.quiet).concat();
    tell(&all, args.printing)?;
    match call.stop.asked() {
        true => Err(unable("interrupted; backwall keeps the snapshots received so far")),
        false if all.iter().any(|one| one.came.is_err()) => Ok(Exit::Undecided),
        false => Ok(Exit::Done),
    }
}

const NOTHING_RUNS: &str = "no run or watch of this user is active on the device";

fn kept_of(call: &Call, device: &Device, sent: ProcessOutput) -> Lately {
    let ProcessOutput { process, command, came } = sent;
    let keep = |bytes| call.place.keep_recording(&device.name, (process, Timestamp::now()), bytes, told);
    let came = came.map_err(str::to_string).and_then(keep);
    let came = came.map(|(path, (span_ns, events))| (path.display().to_string(), span_ns, events));
    Lately { device: device.name.clone(), of: Some((command.to_string(), process)), came }
}

fn told(folder: &Path) -> Result<(u64, u64), String> {
    let read = || {
        let (file, mut stored) = recording_file::open(folder)?;
        recording_file::told(&file, &mut stored, ())
    };
    // Leave out the path: the file is still under a temporary name.
    let (told, ()) = read().map_err(|error: Refusal| {
        let said = error.to_string();
        format!(
            "the device sent no valid recording: {}",
            said.rsplit_once("trace.dat: ").map_or(&*said, |(_, why)| why)
        )
    })?;
    Ok((told.summary.span_ns, told.events))
}

fn tell(all: &[Lately], printing: Printing) -> anyhow::Result<()> {
    for one in all {
        match one.came {
            Err(_) => complain(&format!("backwall: {}", one.line())),
            Ok(_) if printing.is_text() => print(&format!("{}\n", one.line()))?,
            Ok(_) => {}
        }
    }
    if printing.json {
        let fetched = all.iter().filter(|one| one.came.is_ok()).count();
        print_json(&json!({ "fetched": fetched, "devices": all.iter().map(Lately::json).collect::<Vec<Value>>() }))?;
    }
    Ok(())
}
