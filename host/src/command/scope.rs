// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope CAPTURE`: a logic analyzer's or the lab's capture through the same statistics.
mod asked;
mod list;
mod saturation;

use super::deliver::{Output, applicable, deliver, rules};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::Global;
use crate::progress::Activity;
use crate::run::{Device, Extension, Key, Picture, Plan, Planned, Run, Scope};
use crate::scope::capture::{self, Capture, Told};
use crate::scope::joined::joined;
use crate::scope::pairing::PairingRule;
use crate::scope::tick::TickRate;
use crate::scope::wiring::{Watched, Wiring};
use crate::scope::{screens, vcd_write};
use crate::store::RunFolder;
use crate::units::ClockRate;
use jiff::Timestamp;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Arguments of `backwall scope`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A capture: VCD, sigrok .sr, a CSV or binary export of Saleae, sigrok, Agilent, Tektronix or Rigol, or a lab run's
    /// edges.bin; several files of one acquisition are joined
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<PathBuf>,
    /// List what the capture holds, and end
    #[arg(long)]
    list: bool,
    /// Samples a second, where the capture does not say: 12MHz
    #[arg(long, value_name = "RATE", value_parser = rate)]
    samplerate: Option<ClockRate>,
    /// Above so many volts an analog channel is high [default: half-way between its levels]
    #[arg(long, value_name = "VOLTS", allow_negative_numbers = true, value_parser = volts)]
    threshold: Option<f64>,
    #[command(flatten)]
    asked: asked::Asked,
    /// Also write the pictures as PNG files
    #[arg(long)]
    png: bool,
}

/// Reads, pairs, draws, and delivers a run.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = rules(global)?;
    let started = Timestamp::now();
    let shown = Activity::begin(global.quiet, || "reading the capture".to_string());
    let capture = read_all(args)?;
    if args.list {
        drop(shown);
        return list::list(&capture, global);
    }
    let refused = |error: String| usage(format!("{}: {error}", args.captures[0].display()));
    let found = args.asked.found(&capture).map_err(refused)?;
    let wiring = found.wiring();
    let answered = wiring.judge(&capture.edges).map_err(|error| refused(error.to_string()))?;
    let unit = capture.edges.rate.unit();
    let planned = |watched: &Watched| Planned { key: Key::new(&*watched.name, wiring.load, wiring.idle), unit };
    let demands = applicable(rules, wiring.responses.iter().map(planned).collect())?;
    let folder = RunFolder::create(global.out.as_deref(), "scope", started)?;
    let line = capture.edges.line(wiring.stimulus).expect("it was judged");
    let seen = screens::screens(&capture.edges, line, &answered[..found.starts], &title(args));
    keep(&folder, &capture)?;
    drop(shown);
    let mut run = run_of(args, &capture, &wiring, started);
    run.pictures.push(Picture::Screens(seen));
    let borne =
        if args.asked.saturation { saturation::add_to(&mut run, &answered, capture.edges.rate) } else { String::new() };
    answered.into_iter().for_each(|answered| answered.add_to(&mut run));
    deliver(run, &demands, &folder, global, Output { png: args.png, also: &borne, ..Output::USUAL })
}

fn read_all(args: &Args) -> anyhow::Result<Capture> {
    let told = Told { samplerate: args.samplerate, threshold: args.threshold };
    let read = |path: &PathBuf| Ok((file_name(path), read(path, &told)?));
    let captures = args.captures.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    joined(captures).map_err(|error| usage(error.to_string()))
}

fn rate(text: &str) -> Result<ClockRate, String> {
    capture::samplerate(text).ok_or_else(|| "write a rate such as 12MHz".to_string())
}

fn volts(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|volts: &f64| volts.is_finite()).ok_or_else(|| "write a number of volts".to_string())
}

/// The first file, and how many more.
fn title(args: &Args) -> String {
    let first = file_name(&args.captures[0]);
    match args.captures.len() {
        1 => first,
        files => format!("{first} and {} more", files - 1),
    }
}

fn read(path: &Path, told: &Told) -> anyhow::Result<Capture> {
    let file = File::open(path).map_err(|error| usage(format!("{}: {error}", path.display())))?;
    capture::read(BufReader::with_capacity(1 << 20, file), told)
        .map_err(|error| usage(format!("{}: {error}", path.display())))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn keep(folder: &RunFolder, capture: &Capture) -> anyhow::Result<()> {
    folder.stream("edges.vcd", |file| vcd_write::write(&capture.edges, file))
}

/// A run without series: what is known of a device from its capture alone.
fn run_of(args: &Args, capture: &Capture, wiring: &Wiring, started: Timestamp) -> Run {
    let (clock, clock_hz) = match capture.edges.rate {
        TickRate::Instructions => ("executed instructions".to_string(), 0),
        TickRate::Clock(rate) => ("ticks of the capture".to_string(), rate.hz()),
    };
    let kernel = format!("capture {}", title(args));
    let cpu = "unnamed device".to_string();
    let mut run = Run::begin(capture.origin, plan(wiring), invocation::words(), started);
    run.seconds = started.duration_until(Timestamp::now()).as_secs_f64();
    run.interrupted = capture.interrupted;
    run.device = Device { kind: "capture".into(), kernel, cpu, clock, clock_hz, ..Device::default() };
    run.values.insert("edges".to_string(), capture.edges.count() as u64);
    run.warnings.clone_from(&capture.warnings);
    run
}

fn plan(wiring: &Wiring) -> Plan {
    let PairingRule { stimulus, response, shortest_pulse, deadline, .. } = wiring.rule;
    let asked = Scope {
        stimulus: wiring.stimulus.to_string(),
        responses: wiring.responses.iter().map(asked::shown).collect(),
        stimulus_edge: format!("{stimulus:?}").to_lowercase(),
        response_edge: format!("{response:?}").to_lowercase(),
        shortest_pulse_ticks: shortest_pulse.0,
        deadline_ticks: deadline.map(|deadline| deadline.0),
    };
    Plan {
        measures: vec!["scope".to_string()],
        loads: vec![wiring.load.to_string()],
        idle: wiring.idle.to_string(),
        extension: Extension::Scope(asked),
        ..Plan::default()
    }
}
