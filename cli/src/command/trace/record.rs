// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace record [-- COMMAND]`: records what the kernel does, and reports who used the time.
use super::report;
use crate::exit::{Exit, unable};
use crate::options::{Destination, Printing, Verbose};
use backwall_ftrace::TraceError;
use backwall_ftrace::recording_file::{self, RecordingSummary};
use backwall_ftrace::tracker::{FinishedRecording, Tracker};
use backwall_model::units::{Nanoseconds, seconds};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::folder::Unsynced;
use backwall_runner::attached::traced::Traced;
use backwall_store::RunFolder;
use backwall_trace::event::Besides;
use backwall_trace::write::timeline::Timeline;
use backwall_trace::write::trace_dat;
use jiff::Timestamp;
use std::ffi::OsString;
use std::time::{Duration, Instant};

const PAGE: &str = "report.html";
// Interval between checks of whether the recording is over.
const LOOK: Duration = Duration::from_millis(20);

#[derive(clap::Args, Debug)]
pub struct Args {
    /// How long to record [default: until Ctrl-C]
    #[arg(short = 'D', long = "duration", alias = "for", value_name = "TIME", value_parser = seconds, conflicts_with = "command")]
    length: Option<Nanoseconds>,
    /// Also record waits for locks
    ///
    /// Slows every system call of the machine.
    #[arg(long)]
    locks: bool,
    /// Also record page faults
    ///
    /// A busy machine has 100,000 page faults a second.
    #[arg(long)]
    faults: bool,
    /// Command to run and record, after --
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) destination: Destination,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let stop = Stop::on_signals()?;
    let folder = RunFolder::create(args.destination.out.as_deref(), "trace", Timestamp::now())?;
    let place = folder.path().to_path_buf();
    let besides = Besides { locks: args.locks, faults: args.faults, ..Besides::default() };
    let start =
        || Tracker::start(&affinity::online(), besides, None, || tempfile::tempfile_in(&place)).map_err(refused);
    let (tracker, ended) = match args.command.split_first() {
        Some((program, words)) => {
            let tracker = start()?;
            let mut traced =
                Traced::start(program, words, args.printing.json.then(console::beside_result).transpose()?)?;
            let ended =
                traced.wait(&tracker, || console::complain("backwall: recording stopped; the command continues"))?;
            (tracker, Some(ended))
        }
        None => (watch(start, args.length, &stop, args.printing)?, None),
    };
    let (failure, recording) = store(tracker.finish().map_err(refused)?, &folder)?;
    let failed = failure.map(|error| error.to_string());
    failed
        .iter()
        .chain(&ended.flatten())
        .for_each(|line| console::complain(&format!("backwall: {line}; backwall keeps the recording so far")));
    // Make the account while the disk stores the recording, because for hundreds of megabytes both take equally long.
    let told = std::thread::scope(|scope| {
        let synced = (!stop.at_once()).then(|| scope.spawn(|| folder.sync(recording_file::FILE, &recording)));
        let told = written_unless(&folder, || stop.at_once());
        synced.map_or(Ok(Ok(())), |synced| synced.join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        told
    })?;
    match told {
        Some(told) => show(&told, &folder, args.printing, args.verbose)?,
        None => console::complain(&format!(
            "backwall: stopped by a signal; the recording is complete; read it with: backwall trace report {}",
            folder.path().display()
        )),
    }
    Ok(if failed.is_some() { Exit::Unable } else { Exit::Done })
}

/// Records into a folder until the time is over or the user stops it. Returns whether the recording ended early.
pub(in crate::command) fn into_folder(
    folder: &RunFolder,
    besides: Besides,
    length: Option<Nanoseconds>,
    stop: &Stop,
    printing: Printing,
) -> anyhow::Result<bool> {
    let place = folder.path().to_path_buf();
    let start =
        || Tracker::start(&affinity::online(), besides, None, || tempfile::tempfile_in(&place)).map_err(refused);
    let tracker = watch(start, length, stop, printing)?;
    let (failure, recording) = store(tracker.finish().map_err(refused)?, folder)?;
    folder.sync(recording_file::FILE, &recording)?;
    failure
        .iter()
        .for_each(|error| console::complain(&format!("backwall: {error}; backwall keeps the recording so far")));
    Ok(failure.is_some())
}

fn refused(error: TraceError) -> anyhow::Error {
    unable(error.to_string())
}

fn watch(
    start: impl Fn() -> anyhow::Result<Tracker>,
    length: Option<Nanoseconds>,
    stop: &Stop,
    printing: Printing,
) -> anyhow::Result<Tracker> {
    let tracker = start()?;
    let _shown = Activity::begin(printing.quiet, || "recording; Ctrl-C stops it".to_string());
    let (begun, length) = (Instant::now(), length.map_or(Duration::MAX, |length| Duration::from_nanos(length.0)));
    while begun.elapsed() < length && !stop.asked() && tracker.lives() {
        std::thread::sleep(LOOK.min(length.saturating_sub(begun.elapsed())));
    }
    Ok(tracker)
}

/// Writes the recording. Returns why it ended early, if it did, and the file that is not synced yet.
fn store(recorded: FinishedRecording, folder: &RunFolder) -> anyhow::Result<(Option<TraceError>, Unsynced)> {
    let FinishedRecording { head, page_bytes, cpus, failure, .. } = recorded;
    let cpus = cpus.into_iter().map(|cpu| cpu.map(|pages| (pages.length(), pages))).collect();
    let recording =
        folder.stream_unsynced(recording_file::FILE, |out| trace_dat::write(out, &head, page_bytes, cpus))?;
    Ok((failure, recording))
}

pub(super) fn written(folder: &RunFolder) -> anyhow::Result<RecordingSummary> {
    let told = written_unless(folder, || false)?;
    Ok(told.unwrap_or_else(|| unreachable!("nobody gives it up")))
}

fn written_unless(folder: &RunFolder, gives_up: impl Fn() -> bool) -> anyhow::Result<Option<RecordingSummary>> {
    let (file, mut stored) = recording_file::open(&folder.path().join(recording_file::FILE))?;
    let Some((told, timeline)) = recording_file::told_unless(&file, &mut stored, Timeline::new(0..u64::MAX), gives_up)?
    else {
        return Ok(None);
    };
    folder.write(PAGE, report::page_of(&told, &timeline, 0..u64::MAX, &[]).as_bytes())?;
    folder.write("summary.json", (serde_json::to_string_pretty(&told)? + "\n").as_bytes())?;
    Ok(Some(told))
}

pub(super) fn show(
    told: &RecordingSummary,
    folder: &RunFolder,
    printing: Printing,
    verbose: Verbose,
) -> anyhow::Result<()> {
    report::show(told, printing, verbose)?;
    if printing.is_text() {
        let [file, page] = [recording_file::FILE, PAGE].map(|name| folder.path().join(name));
        console::print(&format!("recording: {}\npage: {}\n", file.display(), page.display()))?;
    }
    Ok(())
}
