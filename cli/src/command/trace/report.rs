// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace report TRACE`: who used the time of a recording.
use crate::command::export::refuse_unwritable;
use crate::exit::{Exit, unable, undecided, usage};
use crate::options::{PageFile, Printing, Verbose};
use backwall_ftrace::recording_file::{self, RecordingSummary, named_by_unit};
use backwall_model::units::{Nanoseconds, duration};
use backwall_os::console;
use backwall_os::console::progress::Activity;
use backwall_os::folder;
use backwall_report::trace::recording::{self, Head, Missing};
use backwall_report::trace::{shares, timeline};
use backwall_trace::write::timeline::Timeline;
use serde_json::Value;
use std::ops::Range;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Recording: folder, trace.dat, perf.data, CTF, Perfetto, text, or latest
    ///
    /// Text of ftrace, trace-cmd or perf, or Detent's console or lab run.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    page: PageFile,
    /// Start the timeline this long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "page")]
    from: Option<Nanoseconds>,
    /// End the timeline this long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "page")]
    to: Option<Nanoseconds>,
    /// Draw the CPU share of threads of this name (repeatable) [default: the four busiest]
    #[arg(long, value_name = "NAME", requires = "page")]
    share: Vec<String>,
    /// Evaluate the rules of this file, and print only their results
    ///
    /// A rule is a line such as: after wakes loop within 200us runs loop
    #[arg(long, value_name = "FILE", conflicts_with_all = ["page", "verbose"])]
    rules: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
    #[command(flatten)]
    pub(in crate::command) verbose: Verbose,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let trace = backwall_store::meant_recording(&args.trace, recording_file::FILE)?;
    if let Some(file) = &args.rules {
        return super::rules::run(&trace, file, args.printing);
    }
    let window = window(args.from, args.to)?;
    refuse_unwritable("--page", args.page.page.as_deref())?;
    let shown = Activity::begin(!args.printing.is_text(), || "reading the recording".to_string());
    let (file, mut stored) = recording_file::open(&trace)?;
    let told = match &args.page.page {
        None => recording_file::told(&file, &mut stored, ())?.0,
        Some(page) => {
            let (told, timeline) = recording_file::told(&file, &mut stored, Timeline::new(window.clone()))?;
            refuse_unknown(&told, &args.share)?;
            let markup = page_of(&told, &timeline, window, &args.share);
            let unwritten = |error| unable(format!("{}: {error}", page.display()));
            folder::write_file(page, markup.as_bytes()).map_err(unwritten)?;
            told
        }
    };
    drop(shown);
    show(&told, args.printing, args.verbose)?;
    match &told.missing {
        Some(missing) => Err(undecided(format!("{}: {missing}", file.display()))),
        None => Ok(Exit::Done),
    }
}

pub(super) fn window(from: Option<Nanoseconds>, to: Option<Nanoseconds>) -> anyhow::Result<Range<u64>> {
    let window = from.map_or(0, |from| from.0)..to.map_or(u64::MAX, |to| to.0);
    if window.is_empty() { Err(usage("--to must be later than --from")) } else { Ok(window) }
}

fn refuse_unknown(told: &RecordingSummary, names: &[String]) -> anyhow::Result<()> {
    if names.len() > shares::MOST {
        return Err(usage(format!("--share: a picture shows at most {} names", shares::MOST)));
    }
    let unknown = names.iter().find(|name| !shares::ran(&told.summary, name));
    unknown.map_or(Ok(()), |name| Err(usage(format!("--share {name}: no thread with that name ran in the recording"))))
}

pub fn page_of(told: &RecordingSummary, timeline: &Timeline, window: Range<u64>, names: &[String]) -> String {
    let head = text(told, true, usize::MAX);
    let system = told.system.as_deref().unwrap_or("unknown system");
    timeline::page(&told.summary, timeline, window, (system, told.unit), (&head, names))
}

pub fn show(told: &RecordingSummary, printing: Printing, verbose: Verbose) -> anyhow::Result<()> {
    let value = value(told)?;
    printing.show(|| value, || text(told, verbose.verbose, console::columns()))
}

pub fn value(told: &RecordingSummary) -> anyhow::Result<Value> {
    Ok(named_by_unit(serde_json::to_value(told)?, told.unit))
}

fn text(told: &RecordingSummary, all: bool, columns: usize) -> String {
    let RecordingSummary { form, events, lost, gaps, wrapped, silent, notes, summary, unit, .. } = told;
    let missing = Missing { lost: *lost, gaps: *gaps, wrapped: *wrapped };
    let head = Head { form, events: *events, missing, silent: *silent, notes };
    recording::text(&head, summary, *unit, all, columns)
}
