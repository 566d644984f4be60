// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet run FILE.toml`: measures on several devices at a time. If a device fails, backwall prints a line and continues
//! with the others.
use super::call::{Args, Call};
use crate::exit::{Exit, unable};
use crate::options::Printing;
use backwall_fleet::plan::Device;
use backwall_fleet::reach::{Arrived, DeviceResult, Until, measured};
use backwall_os::Stop;
use backwall_os::console::{complain, print, print_json};
use backwall_report::fleet::{FleetRow, Outcome};
use jiff::Timestamp;
use serde_json::{Value, json};

type Told = (Outcome, Exit);

/// Measures; exits with the worst result of the devices' runs, or with 3 if a device gave no run.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let call = Call::begin(args)?;
    let one = |device: &Device, until: &Until| -> Vec<Told> {
        let DeviceResult { earlier, now } = measured(device, call.tool(device), &call.place, until);
        let earlier = earlier.into_iter().map(|came| told(device, None, came));
        earlier.chain([told(device, Some(call.began), now)]).collect()
    };
    let stopped = |device: &Device| vec![told(device, Some(call.began), Err("interrupted".to_string()))];
    let came = call.each(one, stopped, args.printing.quiet);
    tell(came.concat(), &call.stop, args.printing)
}

/// The result of one device. `since` is when this call began; it is `None` for a run that an earlier call began.
fn told(device: &Device, since: Option<Timestamp>, came: Result<Arrived, String>) -> Told {
    let exit = came.as_ref().map_or(Exit::Undecided, |arrived| exit_of(arrived.code));
    let run = came.map(|arrived| FleetRow::of(&arrived.run, &arrived.kept, since, Timestamp::now()));
    (Outcome { device: device.name.clone(), earlier: since.is_none(), run }, exit)
}

fn exit_of(code: i32) -> Exit {
    match code {
        0 => Exit::Done,
        1 => Exit::Failed,
        _ => Exit::Undecided,
    }
}

fn tell(came: Vec<Told>, stop: &Stop, printing: Printing) -> anyhow::Result<Exit> {
    let exit = came.iter().fold(Exit::Done, |exit, (_, one)| exit.worse(*one));
    let told: Vec<Outcome> = came.into_iter().map(|(outcome, _)| outcome).collect();
    let now = || told.iter().filter(|outcome| !outcome.earlier);
    let (planned, measured) = (now().count(), now().filter(|outcome| outcome.run.is_ok()).count());
    for outcome in &told {
        match outcome.run {
            Err(_) => complain(&format!("backwall: {}", outcome.line())),
            Ok(_) if printing.is_text() => print(&format!("{}\n", outcome.line()))?,
            Ok(_) => {}
        }
    }
    if printing.json {
        let devices: Vec<Value> = told.iter().map(Outcome::json).collect();
        print_json(&json!({ "planned": planned, "measured": measured, "devices": devices }))?;
    } else if measured < planned {
        complain(&format!("backwall: incomplete: {measured} of {planned} devices delivered a run"));
    }
    if stop.asked() {
        return Err(unable("interrupted; backwall keeps the runs received so far"));
    }
    Ok(exit)
}
