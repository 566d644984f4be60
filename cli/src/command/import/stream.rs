// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns a probe's stream, recorded on a device without backwall, into a run.
use super::Args;
use crate::deliver::{Output, deliver};
use crate::exit::{Exit, usage};
use crate::invocation;
use crate::options::Seed;
use backwall_judge::require::Demands;
use backwall_model::{Origin, Plan, Run};
use backwall_os::Stop;
use backwall_os::console::progress::Activity;
use backwall_runner::stream::imported_stream::{Collected, collect};
use jiff::Timestamp;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let demands = Demands::without_plan(args.output.rules()?);
    let refused = |error: String| usage(format!("{}: {error}", args.file.display()));
    // Open before `Stop` handles the signals: opening a pipe waits for a writer, and Ctrl-C must still end that wait.
    let input = open(&args.file).map_err(|error| refused(error.to_string()))?;
    let stop = Stop::on_signals()?;
    let started = Timestamp::now();
    let folder = args.output.folder("import", started)?;
    let plan = Plan { seed: Seed::default().seed, ..Plan::default() };
    let run = Run::begin(Origin::Measured, plan, invocation::words(), started);
    let shown = Activity::begin(args.output.printing.quiet, || "reading the stream".to_string());
    let Collected { run, fault } = collect(input, &stop, args.load.clone(), run).map_err(refused)?;
    drop(shown);
    let exit = deliver(
        run,
        &demands,
        &folder,
        args.output.printing,
        Output { verbose: args.verbose.verbose, ..Output::USUAL },
    )?;
    fault.map_or(Ok(exit), |fault| Err(refused(format!("{fault}; backwall kept the records before it"))))
}

fn open(stream: &Path) -> io::Result<File> {
    if stream == Path::new("-") {
        return Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?));
    }
    let file = File::open(stream)?;
    match file.metadata()?.is_dir() {
        true => Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name a file or a pipe")),
        false => Ok(file),
    }
}
