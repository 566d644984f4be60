// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope CAPTURE`: measures a capture of a logic analyzer, an oscilloscope or the lab, with the statistics of a run.
mod bench;
mod line_request;
mod respond;

use crate::deliver::{Output, applicable, deliver};
use crate::examples;
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::{Pictures, RunOutput, Verbose};
use backwall_capture::capture::{self, Capture, CaptureHints};
use backwall_capture::contents;
use backwall_capture::joined::joined;
use backwall_capture::outcome;
use backwall_capture::request::RequestedLines;
use backwall_capture::screens;
use backwall_capture::vcd_write;
use backwall_capture::wiring::{Answered, Watched, Wiring};
use backwall_model::units::ClockRate;
use backwall_model::{Key, Picture, PlannedSeries, Run, Warning};
use backwall_os::console::progress::Activity;
use backwall_os::regular_file;
use backwall_report::{answered_rate, contents as words};
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::io::BufReader;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Capture to measure; several files of one acquisition are joined
    ///
    /// VCD, sigrok .sr, DSView .dsl, CSV, Saleae, Agilent, Keysight and Tektronix files, or a lab run's edges.bin.
    #[arg(value_name = "CAPTURE", required_unless_present_any = ["generator", "pico"])]
    captures: Vec<PathBuf>,
    #[command(flatten)]
    bench: bench::Addresses,
    /// List what the capture holds
    #[arg(long, conflicts_with_all = ["out", "require", "verbose"])]
    list: bool,
    /// Sample rate if the capture has none, such as 12MHz
    #[arg(long, value_name = "RATE", value_parser = rate)]
    samplerate: Option<ClockRate>,
    /// Logic threshold in volts [default: half-way between the levels]
    #[arg(long, value_name = "VOLTS", allow_negative_numbers = true, value_parser = volts)]
    threshold: Option<f64>,
    #[command(flatten)]
    asked: line_request::LineRequest,
    #[command(flatten)]
    pictures: Pictures,
    #[command(flatten)]
    pub(in crate::command) output: RunOutput,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Answer on this machine's own pins, so that an external instrument can time it
    #[command(after_help = examples::RESPOND)]
    Respond(respond::Args),
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if let Some(Action::Respond(args)) = &args.action {
        return respond::run(args);
    }
    if let Some(bench) = args.bench.instruments()? {
        return bench::run(&bench, args);
    }
    let rules = args.output.rules()?;
    let started = Timestamp::now();
    let shown = Activity::begin(args.output.printing.quiet, || "reading the capture".to_string());
    let capture = read_all(args)?;
    if args.list {
        drop(shown);
        let held = contents::contents(&capture.edges);
        args.output.printing.show(|| &held, || words::text(&held))?;
        return Ok(Exit::Done);
    }
    let refused = |error: String| usage(format!("{}: {error}", args.captures[0].display()));
    let found = args.asked.lines().found(&capture).map_err(refused)?;
    let wiring = found.wiring();
    let answered = wiring.judge(&capture.edges).map_err(|error| refused(error.to_string()))?;
    let demands = applicable(rules, planned(&wiring, &capture))?;
    let folder = args.output.folder("scope", started)?;
    keep(&folder, &capture)?;
    drop(shown);
    let mut run = outcome::run_of(&title(args), &capture, &wiring, invocation::words(), (started, Timestamp::now()));
    let borne = if args.asked.saturation {
        answered_rate::of_lines(&mut run, &answered, capture.edges.rate)
    } else {
        String::new()
    };
    add(&mut run, answered, &found, &capture, &title(args));
    name_silent(&mut run, &wiring, &capture);
    deliver(
        run,
        &demands,
        &folder,
        args.output.printing,
        Output { png: args.pictures.png, verbose: args.verbose.verbose, also: &borne, ..Output::USUAL },
    )
}

fn keep(folder: &RunFolder, capture: &Capture) -> anyhow::Result<()> {
    Ok(folder.stream("edges.vcd", |file| vcd_write::write(&capture.edges, file))?)
}

fn planned(wiring: &Wiring, capture: &Capture) -> Vec<PlannedSeries> {
    let unit = capture.edges.rate.unit();
    let one = |name: String| PlannedSeries { key: Key::new(name, wiring.load, wiring.idle), unit };
    wiring.responses.iter().flat_map(Watched::names).map(one).collect()
}

fn add(run: &mut Run, answered: Vec<Answered>, found: &RequestedLines, capture: &Capture, title: &str) {
    let line = capture.edges.line(found.wiring().stimulus).expect("it was judged");
    let seen = screens::screens(&capture.edges, line, &answered, title);
    run.pictures.push(Picture::Screens(seen));
    answered.into_iter().for_each(|answered| answered.add_to(run));
}

/// If the stimulus line never changes, the run is invalid. If a response line never changes, the user may have named the wrong
/// line.
fn name_silent(run: &mut Run, wiring: &Wiring, capture: &Capture) {
    let is_silent = |name: &str| capture.edges.line(name).is_some_and(|line| line.edges.is_empty());
    if is_silent(wiring.stimulus) {
        run.spoil(format!(
            "the stimulus line {} never changes; --list prints the changes of each line",
            wiring.stimulus
        ));
    }
    for watched in wiring.responses.iter().filter(|watched| is_silent(&watched.line)) {
        let why = format!("the line {} never changes; --list prints the changes of each line", watched.line);
        run.warnings.push(Warning::new("silent", why));
    }
}

fn read_all(args: &Args) -> anyhow::Result<Capture> {
    let told = CaptureHints { samplerate: args.samplerate, threshold: args.threshold };
    let read = |path: &PathBuf| Ok((file_name(path), read(path, &told)?));
    let captures = args.captures.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    joined(captures).map_err(|error| usage(error.to_string()))
}

fn rate(text: &str) -> Result<ClockRate, String> {
    capture::samplerate(text).ok_or_else(|| "expected a rate such as 12MHz".to_string())
}

fn volts(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|volts: &f64| volts.is_finite()).ok_or_else(|| "expected a number of volts".to_string())
}

fn title(args: &Args) -> String {
    let first = file_name(&args.captures[0]);
    match args.captures.len() {
        1 => first,
        files => format!("{first} and {} more", files - 1),
    }
}

fn read(path: &Path, told: &CaptureHints) -> anyhow::Result<Capture> {
    let file = regular_file::open(path).map_err(|error| usage(format!("{}: {error}", path.display())))?;
    capture::read(BufReader::with_capacity(1 << 20, file), told)
        .map_err(|error| usage(format!("{}: {error}", path.display())))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
