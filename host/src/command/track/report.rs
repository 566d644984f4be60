// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall track report TRACE`: who used the time of a recording.
use super::read::{self, Told};
use crate::console::print;
use crate::exit::{Exit, unable, usage};
use crate::folder;
use crate::options::Global;
use crate::progress::Activity;
use crate::report::trace::timeline;
use crate::report::trace::told::told;
use crate::report::trace::words::time;
use crate::trace::write::timeline::Timeline;
use crate::units::{Nanoseconds, duration, grouped};
use std::ops::Range;
use std::path::PathBuf;

/// Arguments of `backwall track report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A recording: the folder or trace.dat of `track`, a trace.dat of trace-cmd, or the text of ftrace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Also write a page with the timeline, whole or not at all
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// The timeline begins so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "page")]
    from: Option<Nanoseconds>,
    /// The timeline ends so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "page")]
    to: Option<Nanoseconds>,
}

/// Reads the recording and prints its account.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if !global.require.is_empty() {
        return Err(usage("track report takes no --require: it judges nothing"));
    }
    global.without("track report", &["--out"])?;
    let shown = Activity::begin(global.quiet || global.json, || "reading the recording".to_string());
    let (file, mut stored) = read::open(&args.trace)?;
    let window = args.from.map_or(0, |from| from.0)..args.to.map_or(u64::MAX, |to| to.0);
    if window.is_empty() {
        return Err(usage("--to is not after --from"));
    }
    let told = match &args.page {
        None => read::told(&file, &mut stored, ())?.0,
        Some(page) => {
            let (told, timeline) = read::told(&file, &mut stored, Timeline::new(window.clone()))?;
            let markup = page_of(&told, &timeline, window);
            let unwritten = |error| unable(format!("{}: {error}", page.display()));
            folder::write_file(page, markup.as_bytes()).map_err(unwritten)?;
            told
        }
    };
    drop(shown);
    show(&told, global)?;
    Ok(Exit::Done)
}

/// The page of a recording, with the timeline of a window of it.
pub fn page_of(told: &Told, timeline: &Timeline, window: Range<u64>) -> String {
    let head = text(told, true);
    timeline::page(&told.summary, timeline, window, told.system.as_deref().unwrap_or("unknown system"), &head)
}

/// As JSON, or as text for a person.
pub fn show(told: &Told, global: &Global) -> anyhow::Result<()> {
    if global.json {
        return print(&(serde_json::to_string_pretty(told)? + "\n"));
    }
    if global.quiet {
        return Ok(());
    }
    print(&text(told, global.verbose))
}

fn text(told: &Told, all: bool) -> String {
    let lost = match (told.lost, told.gaps) {
        (None, 0) => "losses were not counted".to_string(),
        (None, gaps) => format!("events are missing in {gaps} places"),
        (Some(0), 0) => "none lost".to_string(),
        (Some(lost), gaps) => format!("{} lost, in {gaps} places", grouped(lost)),
    };
    let head = format!(
        "{} of {} on {} processors: {} events, {lost}\n",
        told.form,
        time(told.summary.span_ns),
        told.summary.cpus.len(),
        grouped(told.events)
    );
    let notes: String = told.notes.iter().map(|note| format!("note: {note}\n")).collect();
    format!("{head}{}\n{notes}", self::told(&told.summary, all))
}
