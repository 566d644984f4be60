// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall fleet run FILE.toml`: measures on every device, several at a time. What goes wrong on one costs a line, and the others go on.
use super::create;
use super::told::{Kept, Outcome};
use crate::console::{complain, print};
use crate::exit::{Exit, unable, usage};
use crate::lab::parallel;
use crate::options::Global;
use crate::progress::Activity;
use crate::regular_file;
use crate::run;
use crate::session::Stop;
use ::fleet::parcel;
use ::fleet::place::Place;
use ::fleet::plan::{Device, Plan};
use ::fleet::reach::{Tool, Until, measure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// What came of a device: its run, and what the tool's code there means.
type Came = Result<(Kept, Exit), String>;

/// Measures; the worst of what the devices' runs came to, or 3 where one gave none.
pub(super) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let name = args.file.display();
    let text = regular_file::text(&args.file, MOST_BYTES).map_err(|error| usage(format!("{name}: {error}")))?;
    let plan = Plan::parse(&text).map_err(|error| usage(format!("{name}: {error}")))?;
    let tools = tools(&plan)?;
    let place = create(global)?;
    let stop = Stop::on_signals()?;
    let (total, done) = (plan.devices.len(), Arc::new(AtomicUsize::new(0)));
    let seen = done.clone();
    let shown = Activity::begin(global.quiet, move || format!("{} of {total} devices", seen.load(Ordering::Relaxed)));
    let asked = || stop.asked();
    let until = Until { limit: plan.limit, stop: &asked };
    let came = parallel::map(&plan.devices, usize::from(args.jobs), |device| {
        let came = if stop.asked() { Err("interrupted".to_string()) } else { one(device, &tools, &place, &until) };
        done.fetch_add(1, Ordering::Relaxed);
        came
    });
    drop(shown);
    let named = plan.devices.iter().map(|device| device.name.clone());
    tell(named.zip(came).collect(), &stop, global)
}

/// The files that are put on devices, each read once.
fn tools(plan: &Plan) -> anyhow::Result<BTreeMap<Option<PathBuf>, Tool>> {
    let mut tools = BTreeMap::new();
    for device in &plan.devices {
        if tools.contains_key(&device.tool) {
            continue;
        }
        let path = device.tool.clone().map_or_else(std::env::current_exe, Ok)?;
        let tool = Tool::at(&path).map_err(|error| usage(format!("tool {}: {error}", path.display())))?;
        tools.insert(device.tool.clone(), tool);
    }
    Ok(tools)
}

/// The run of one device, kept, and the code with which the tool ended there.
fn one(device: &Device, tools: &BTreeMap<Option<PathBuf>, Tool>, place: &Place, until: &Until) -> Came {
    let came = measure(device, &tools[&device.tool], until)?;
    let sent = parcel::read(&came.out).map_err(|error| error.to_string())?;
    let said = |what: &str| match &came.complaint {
        Some(line) => format!("{what}: {line}"),
        None => what.to_string(),
    };
    let file = sent.files.iter().find(|(name, _)| *name == parcel::NAMES[0]);
    let (_, text) = file.ok_or_else(|| said(&format!("the tool ended with {} there", sent.code)))?;
    let text = std::str::from_utf8(text).map_err(|error| format!("its run.json: {error}"))?;
    let run = run::read(text).map_err(|error| format!("its run.json: {error}"))?;
    let others: Vec<(&str, &[u8])> = sent.files.iter().filter(|(name, _)| *name != parcel::NAMES[0]).copied().collect();
    let kept = place.keep(&device.name, &run, text, &others).map_err(|error| format!("it cannot be kept: {error}"))?;
    let exit = match sent.code {
        0 => Exit::Done,
        1 => Exit::Failed,
        _ => Exit::Undecided,
    };
    Ok((Kept::of(&run, &kept), exit))
}

/// A line a device, in the order of the file.
fn tell(came: Vec<(String, Came)>, stop: &Stop, global: &Global) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut told: Vec<Outcome> = Vec::new();
    for (device, came) in came {
        exit = exit.worse(came.as_ref().map_or(Exit::Undecided, |(_, exit)| *exit));
        told.push(Outcome { device, run: came.map(|(kept, _)| kept) });
    }
    let (planned, measured) = (told.len(), told.iter().filter(|outcome| outcome.run.is_ok()).count());
    for outcome in &told {
        match outcome.run {
            Err(_) => complain(&format!("backwall: {}", outcome.line())),
            Ok(_) if !global.json && !global.quiet => print(&format!("{}\n", outcome.line()))?,
            Ok(_) => {}
        }
    }
    if global.json {
        let devices: Vec<Value> = told.iter().map(Outcome::json).collect();
        print(&format!("{:#}\n", json!({ "planned": planned, "measured": measured, "devices": devices })))?;
    } else if measured < planned {
        complain(&format!("backwall: incomplete: {measured} of {planned} devices gave a run"));
    }
    if stop.asked() {
        return Err(unable("interrupted; what the devices gave until then is kept"));
    }
    Ok(exit)
}
