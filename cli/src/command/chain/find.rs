// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall chain --find [TRACE|PID]`: proposes the chains of a recording, or of this machine.
use super::{Args, live};
use crate::exit::{Exit, undecided, usage};
use backwall_ftrace::recording_file;
use backwall_model::units::{Nanoseconds, Unit};
use backwall_os::console::progress::Activity;
use backwall_os::console::{self, columns};
use backwall_os::threads;
use backwall_report::trace::chained;
use backwall_report::wrap::narrow;
use backwall_trace::chain::find::Finder;
use backwall_trace::event::Besides;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LENGTH: Nanoseconds = Nanoseconds(10_000_000_000);

/// Prints what a recording shows. Stores nothing except a recording that it makes itself.
pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let (place, only) = match args.spec.as_deref() {
        Some(number) if number.parse::<i32>().is_ok_and(|id| id > 0) => (None, threads_of(number)?),
        Some(place) => (Some(PathBuf::from(place)), BTreeSet::new()),
        None => (None, BTreeSet::new()),
    };
    let folder = match &place {
        Some(_) => None,
        None => Some(live::recorded(args, Besides::default(), args.duration.or(Some(LENGTH)))?.0),
    };
    let place = match (&place, &folder) {
        (Some(place), _) => backwall_store::meant(place)?,
        (None, Some(folder)) => folder.path().to_path_buf(),
        (None, None) => unreachable!("--find without a file records first"),
    };
    let shown = Activity::begin(!args.output.printing.is_text(), || "reading the recording".to_string());
    let (file, mut stored) = recording_file::open(&place)?;
    let (told, ()) = recording_file::told(&file, &mut stored, ())?;
    let timed = stored.about().is_monotonic();
    let summary = &told.summary;
    let span = (summary.begin_ns, summary.begin_ns + summary.span_ns);
    let (told, finder) = recording_file::told(&file, &mut stored, Finder::new(span, timed, only))?;
    drop(shown);
    if told.summary.switches == 0 || told.summary.wakings == 0 {
        return Err(undecided(format!(
            "{}: no sched_switch or no sched_waking events, so no chain can be found; record with: backwall trace record",
            file.display()
        )));
    }
    let proposals = finder.proposals();
    if !timed && told.unit == Unit::Ns && args.output.printing.is_text() {
        console::complain(
            "the recording's clock is not mono, the clock of timers, so chains start at a wakeup instead of a timer",
        );
    }
    args.output
        .printing
        .show(|| chained::proposals_json(&proposals), || narrow(&chained::proposals(&proposals), columns()))?;
    Ok(Exit::Done)
}

fn threads_of(number: &str) -> anyhow::Result<BTreeSet<i32>> {
    let tasks = Path::new("/proc").join(number).join("task");
    let all: BTreeSet<i32> = threads::numbered(&tasks).map(|(id, _)| id).collect();
    if all.is_empty() { Err(usage(format!("there is no process {number}; ps -e lists them"))) } else { Ok(all) }
}
