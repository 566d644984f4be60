// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall track [-- COMMAND]`: records what the kernel does, and says who used the time.
use super::{read, report};
use crate::console;
use crate::exit::{Exit, unable, usage};
use crate::options::Global;
use crate::progress::Activity;
use crate::session::{Stop, attachee};
use crate::store::RunFolder;
use crate::trace::tracker::{Recorded, Tracker};
use crate::trace::write::timeline::Timeline;
use crate::trace::write::trace_dat;
use crate::units::{Nanoseconds, seconds};
use jiff::Timestamp;
use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Name of the page in a recording's folder.
const PAGE: &str = "report.html";
/// Between two looks whether it is over.
const LOOK: Duration = Duration::from_millis(20);

/// Arguments of `backwall track` and `backwall track record`.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub struct Args {
    /// Record so long [default: until Ctrl-C]
    #[arg(long = "for", short = 'D', value_name = "TIME", value_parser = seconds, conflicts_with = "command")]
    length: Option<Nanoseconds>,
    /// Record while this command runs, behind --
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
}

/// Records, writes the recording, and prints its account.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() {
        return Err(usage("track takes no --require: it judges nothing"));
    }
    let folder = RunFolder::create(global.out.as_deref(), "track", Timestamp::now())?;
    let stop = Stop::on_signals()?;
    let place = folder.path().to_path_buf();
    let refused = |error: crate::trace::TraceError| unable(error.to_string());
    let tracker = Tracker::start(&attachee::online(), || tempfile::tempfile_in(&place)).map_err(refused)?;
    let ended = wait(args, &tracker, &stop, global);
    let recorded = tracker.finish().map_err(refused)?;
    store(recorded, &folder)?;
    let status = ended?;
    let (file, mut stored) = read::open(&folder.path().join(read::FILE))?;
    let (told, timeline) = read::told(&file, &mut stored, Timeline::new(0..u64::MAX))?;
    folder.write(PAGE, report::page_of(&told, &timeline, 0..u64::MAX).as_bytes())?;
    folder.write("summary.json", (serde_json::to_string_pretty(&told)? + "\n").as_bytes())?;
    report::show(&told, global)?;
    if !(global.json || global.quiet) {
        let page = folder.path().join(PAGE);
        console::print(&format!("recording: {}\npage: {}\n", file.display(), page.display()))?;
    }
    if let Some(status) = status.filter(|status| !status.success()) {
        console::complain(&format!("backwall: the command ended with {status}; its recording is kept"));
    }
    Ok(Exit::Done)
}

/// Until the command ends, the time is over, or the user says so; how the command ended.
fn wait(args: &Args, tracker: &Tracker, stop: &Stop, global: &Global) -> anyhow::Result<Option<ExitStatus>> {
    let mut child = start(args)?;
    let quiet = global.quiet || child.is_some();
    let _shown = Activity::begin(quiet, || "recording; Ctrl-C ends it".to_string());
    let (begun, length) = (Instant::now(), args.length.map(|length| Duration::from_nanos(length.0)));
    loop {
        if let Some(status) = child.as_mut().map(Child::try_wait).transpose()?.flatten() {
            return Ok(Some(status));
        }
        let over = length.is_some_and(|length| begun.elapsed() >= length);
        // A command hears Ctrl-C itself; its end is awaited.
        if over || (stop.asked() && child.is_none()) || !tracker.lives() {
            return Ok(None);
        }
        std::thread::sleep(LOOK.min(length.map_or(LOOK, |length| length.saturating_sub(begun.elapsed()))));
    }
}

fn start(args: &Args) -> anyhow::Result<Option<Child>> {
    let Some((program, words)) = args.command.split_first() else { return Ok(None) };
    let started = Command::new(program).args(words).spawn();
    started.map(Some).map_err(|error| usage(format!("{}: {error}", program.to_string_lossy())))
}

fn store(recorded: Recorded, folder: &RunFolder) -> anyhow::Result<()> {
    let Recorded { head, page_bytes, mut cpus, .. } = recorded;
    let unwritten = |error| unable(format!("{}: {error}", folder.path().join(read::FILE).display()));
    let mut part = folder.handle().begin(read::FILE).map_err(unwritten)?;
    trace_dat::write(part.file(), &head, page_bytes, &mut cpus).map_err(unwritten)?;
    part.finish().map_err(unwritten)
}
