// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope CAPTURE`: a logic analyzer's or the lab's capture through the same statistics.
mod list;

use super::deliver::{Output, applicable, deliver, rules};
use crate::connector;
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::near;
use crate::options::Global;
use crate::progress::Activity;
use crate::run::{Device, Extension, Key, Picture, Plan, Planned, Run, Scope};
use crate::scope::capture::{self, Capture, Told};
use crate::scope::joined::joined;
use crate::scope::pairing::{PairingRule, Polarity};
use crate::scope::tick::{Tick, TickRate};
use crate::scope::wiring::Wiring;
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
    /// The line that stimulates [default: stimulus_a, as in the lab]
    #[arg(long, value_name = "LINE")]
    stimulus: Option<String>,
    /// A line that answers (repeatable) [default: those of isr, ist and app that move after the first stimulus]
    #[arg(long, value_name = "LINE")]
    response: Vec<String>,
    /// Which edge of the stimulus line is a stimulus
    #[arg(long, value_enum, default_value_t)]
    stimulus_edge: Polarity,
    /// Which edge of a response line is a response
    #[arg(long, value_enum, default_value_t)]
    response_edge: Polarity,
    /// Response pulses shorter than this many ticks of the capture are glitches
    #[arg(long, value_name = "TICKS", default_value_t = 0)]
    shortest_pulse: u64,
    /// An answer is late after this many ticks [default: when it comes after the next stimulus]
    #[arg(long, value_name = "TICKS")]
    deadline: Option<u64>,
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
    let stimulus = stimulus(args, &capture).map_err(refused)?;
    let responses = responses(args, &capture, &stimulus).map_err(refused)?;
    let names: Vec<&str> = responses.iter().map(String::as_str).collect();
    let wiring = Wiring { stimulus: &stimulus, responses: &names, rule: rule(args), load: "none", idle: "as-is" };
    let answered = wiring.judge(&capture.edges).map_err(|error| refused(error.to_string()))?;
    let planned =
        |name: &&str| Planned { key: Key::new(*name, wiring.load, wiring.idle), unit: capture.edges.rate.unit() };
    let demands = applicable(rules, names.iter().map(planned).collect())?;
    let folder = RunFolder::create(global.out.as_deref(), "scope", started)?;
    let line = capture.edges.line(&stimulus).expect("it was judged");
    let seen = screens::screens(&capture.edges, line, &answered, &title(args));
    keep(&folder, &capture)?;
    drop(shown);
    let mut run = run_of(args, &capture, &wiring, started);
    run.pictures.push(Picture::Screens(seen));
    answered.into_iter().for_each(|answered| answered.add_to(&mut run));
    deliver(run, &demands, &folder, global, Output { png: args.png, ..Output::USUAL })
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

fn stimulus(args: &Args, capture: &Capture) -> Result<String, String> {
    if let Some(asked) = args.stimulus.iter().chain(&args.response).find(|name| capture.edges.line(name).is_none()) {
        let hint = near::hint(asked, capture.edges.lines.iter().map(|line| line.name.as_str()));
        return Err(format!("the capture has no line {asked}; {}{hint}", names(capture)));
    }
    let usual = || capture.edges.line(connector::A.stimulus).map(|line| line.name.clone());
    args.stimulus.clone().or_else(usual).ok_or_else(|| format!("name its stimulus with --stimulus: {}", names(capture)))
}

/// Lines that move only before the first stimulus (firmware looks for ports) are no usual responses.
fn responses(args: &Args, capture: &Capture, stimulus: &str) -> Result<Vec<String>, String> {
    if !args.response.is_empty() {
        return Ok(args.response.clone());
    }
    let last_edge = |name: &str| capture.edges.line(name)?.edges.last().map(|edge| edge.at());
    let first_stimulus = capture.edges.line(stimulus).and_then(|line| line.edges.first()).map(|edge| edge.at());
    let moves = |name: &&str| first_stimulus.is_some_and(|first| last_edge(name).is_some_and(|last| last >= first));
    let usual: Vec<String> =
        connector::A.lines[..=connector::APP].iter().copied().filter(moves).map(String::from).collect();
    if usual.is_empty() { Err(format!("name a response with --response: {}", names(capture))) } else { Ok(usual) }
}

fn names(capture: &Capture) -> String {
    let names: Vec<&str> = capture.edges.lines.iter().map(|line| line.name.as_str()).collect();
    format!("it has {}", names.join(", "))
}

fn rule(args: &Args) -> PairingRule {
    PairingRule {
        stimulus: args.stimulus_edge,
        response: args.response_edge,
        shortest_pulse: Tick(args.shortest_pulse),
        deadline: args.deadline.map(Tick),
    }
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
    let PairingRule { stimulus, response, shortest_pulse, deadline } = wiring.rule;
    let asked = Scope {
        stimulus: wiring.stimulus.to_string(),
        responses: wiring.responses.iter().map(|name| name.to_string()).collect(),
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
