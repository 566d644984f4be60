// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet run FILE.toml`: measures on every device, several at a time. What goes wrong on one costs a line, and the others go on.
use super::create;
use crate::console::{complain, print, print_json};
use crate::exit::{Exit, unable, usage};
use crate::options::Global;
use crate::progress::each_of;
use crate::regular_file;
use crate::report::fleet::{Kept, Outcome};
use crate::session::Stop;
use ::fleet::plan::{Device, Plan};
use ::fleet::reach::{Arrived, Came, Tool, Until, measured};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Devices at a time, unless more are wanted: each has a connection and its run in memory.
const JOBS: u16 = 32;

/// Arguments of `backwall fleet run`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The fleet: its devices, and what is measured on them
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// How many devices at a time
    #[arg(long, value_name = "N", default_value_t = JOBS, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
}

/// Of a file of devices: far more than any fleet has.
const MOST_BYTES: u64 = 16 << 20;

/// What is told of a device, and what the tool's code there means.
type Told = (Outcome, Exit);

/// Measures; the worst of what the devices' runs came to, or 3 where one gave none.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let name = args.file.display();
    let text = regular_file::text(&args.file, MOST_BYTES).map_err(|error| usage(format!("{name}: {error}")))?;
    let plan = Plan::parse(&text).map_err(|error| usage(format!("{name}: {error}")))?;
    let this = std::env::current_exe()?;
    let tools = Tool::all(&plan, &this).map_err(|(path, error)| usage(format!("tool {}: {error}", path.display())))?;
    let place = create(global)?;
    let stop = Stop::on_signals()?;
    let asked = || stop.asked();
    let began = Timestamp::now();
    let call = format!("{:x}p{:x}", began.as_nanosecond(), std::process::id());
    let until = Until { limit: plan.limit, stop: &asked, call: &call };
    let one = |device: &Device| -> Vec<Told> {
        if stop.asked() {
            return vec![told(device, Some(began), Err("interrupted".to_string()))];
        }
        let Came { earlier, now } = measured(device, &tools[&device.tool], &place, &until);
        let earlier = earlier.into_iter().map(|came| told(device, None, came));
        earlier.chain([told(device, Some(began), now)]).collect()
    };
    let came = each_of(&plan.devices, usize::from(args.jobs), "devices", global.quiet, one);
    tell(came.concat(), &stop, global)
}

/// One run of a device. `since`: when this call began, unless an earlier one had begun the run.
fn told(device: &Device, since: Option<Timestamp>, came: Result<Arrived, String>) -> Told {
    let exit = came.as_ref().map_or(Exit::Undecided, |arrived| exit_of(arrived.code));
    let run = came.map(|arrived| Kept::of(&arrived.run, &arrived.kept, since, Timestamp::now()));
    (Outcome { device: device.name.clone(), earlier: since.is_none(), run }, exit)
}

/// What the tool's code on a device means.
fn exit_of(code: i32) -> Exit {
    match code {
        0 => Exit::Done,
        1 => Exit::Failed,
        _ => Exit::Undecided,
    }
}

/// A line a run, in the order of the file.
fn tell(came: Vec<Told>, stop: &Stop, global: &Global) -> anyhow::Result<Exit> {
    let exit = came.iter().fold(Exit::Done, |exit, (_, one)| exit.worse(*one));
    let told: Vec<Outcome> = came.into_iter().map(|(outcome, _)| outcome).collect();
    let now = || told.iter().filter(|outcome| !outcome.earlier);
    let (planned, measured) = (now().count(), now().filter(|outcome| outcome.run.is_ok()).count());
    for outcome in &told {
        match outcome.run {
            Err(_) => complain(&format!("backwall: {}", outcome.line())),
            Ok(_) if !global.json && !global.quiet => print(&format!("{}\n", outcome.line()))?,
            Ok(_) => {}
        }
    }
    if global.json {
        let devices: Vec<Value> = told.iter().map(Outcome::json).collect();
        print_json(&json!({ "planned": planned, "measured": measured, "devices": devices }))?;
    } else if measured < planned {
        complain(&format!("backwall: incomplete: {measured} of {planned} devices gave a run"));
    }
    if stop.asked() {
        return Err(unable("interrupted; what the devices gave until then is kept"));
    }
    Ok(exit)
}
