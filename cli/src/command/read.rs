// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall read STREAM`: what a probe said on a device without a host, as a run.
use crate::deliver::{Output, deliver};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::{Destination, Printing, Requirements, Seed, Verbose};
use backwall_judge::require::Demands;
use backwall_model::{Origin, Plan, Run};
use backwall_os::console::progress::Activity;
use backwall_runner::Stop;
use backwall_runner::collected::{Collected, collect};
use backwall_store::RunFolder;
use jiff::Timestamp;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Arguments of `backwall read`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// What a probe wrote: a file, a pipe, or - for standard input
    #[arg(value_name = "STREAM")]
    stream: PathBuf,
    /// The load that ran beside the measure [default: as the stream says, or unknown]
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) requirements: Requirements,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

/// Reads to the end of the stream, and delivers a run.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let demands = Demands::without_plan(args.requirements.rules()?);
    let refused = |error: String| usage(format!("{}: {error}", args.stream.display()));
    // A pipe that nobody writes to waits here, where Ctrl-C still ends the process.
    let input = open(&args.stream).map_err(|error| refused(error.to_string()))?;
    let stop = Stop::on_signals()?;
    let started = Timestamp::now();
    let folder = RunFolder::create(args.destination.out.as_deref(), "read", started)?;
    let plan = Plan { seed: Seed::default().seed, ..Plan::default() };
    let run = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let shown = Activity::begin(args.printing.quiet, || "reading the stream".to_string());
    let Collected { run, fault } = collect(input, &stop, args.load.clone(), run).map_err(refused)?;
    drop(shown);
    let exit =
        deliver(run, &demands, &folder, args.printing, Output { verbose: args.verbose.verbose, ..Output::USUAL })?;
    fault.map_or(Ok(exit), |fault| Err(refused(format!("{fault}; what came before it was kept"))))
}

fn open(stream: &Path) -> io::Result<File> {
    if stream == Path::new("-") {
        return Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?));
    }
    let file = File::open(stream)?;
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}
