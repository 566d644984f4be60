// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall watch APP` without root: how long the application's threads waited for a CPU, which every user can read in `/proc`.
use super::{Args, FOREVER};
use crate::exit::{Exit, unable};
use crate::follow::Target;
use backwall_os::Stop;
use backwall_os::console::{self, complain, print};
use backwall_os::threads::Thread;
use backwall_report::watch::run_delay::{self as words, RunDelay};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_millis(100);

pub(super) fn is_enough(args: &Args) -> bool {
    let Args { app, command, cyclictest, metrics, page, live, output, .. } = args;
    let needs_run = cyclictest.histogram.is_some()
        || metrics.metrics.is_some()
        || page.is_some()
        || *live
        || !output.requirements.require.is_empty();
    app.is_some() && command.is_empty() && !needs_run && output.printing.is_text()
}

/// Prints a report each `--every` until the time is over or the application has ended.
pub(super) fn run(args: &Args, command: &str) -> anyhow::Result<Exit> {
    let app = args.app.as_deref().unwrap_or_default();
    let target = Target::of(Some(app), &[])?;
    let stop = Stop::on_signals()?;
    let over = Instant::now() + args.duration.map_or(FOREVER, |length| Duration::from_nanos(length.0));
    let mut before = counts(&target).map_err(|error| unable(format!("{error}: sudo {command}")))?;
    if before.is_empty() {
        return Err(unable(format!("{app}: not running; start it first")));
    }
    complain(&words::possible(app));
    while !stop.asked() && !console::is_closed() && Instant::now() < over {
        let begun = Instant::now();
        let until = over.min(begun + Duration::from_nanos(args.every.0));
        while !stop.asked() && Instant::now() < until {
            std::thread::sleep(PATIENCE.min(until.saturating_duration_since(Instant::now())));
        }
        let now = counts(&target)?;
        if now.is_empty() {
            complain(&format!("{app}: it has ended"));
            break;
        }
        let at = Timestamp::now().strftime("%H:%M:%SZ").to_string();
        print(&(words::sentence(&at, app, &delays(&before, &now), begun.elapsed().as_secs_f64()) + "\n"))?;
        before = now;
    }
    print(&words::ending(command))?;
    Ok(Exit::Done)
}

/// For each thread of the application: its name, how long it waited, and how often it ran.
type Counts = BTreeMap<(i32, u64), (String, u64, u64)>;

fn counts(target: &Target) -> anyhow::Result<Counts> {
    let threads = target.find()?.attachees.into_iter().map(|attachee| attachee.thread);
    let counted = |thread: Thread| {
        let (waited_ns, turns) = parsed(&std::fs::read_to_string(thread.folder.join("schedstat")).ok()?)?;
        Some(((thread.id, thread.began), (format!("{}-{}", thread.name, thread.id), waited_ns, turns)))
    };
    Ok(threads.filter_map(counted).collect())
}

/// The second and third number of `schedstat`: nanoseconds of waiting on a runqueue, and the number of times the thread ran.
fn parsed(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_whitespace().skip(1).map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

fn delays(before: &Counts, now: &Counts) -> Vec<RunDelay> {
    let one = |(key, (thread, waited_ns, turns)): (&(i32, u64), &(String, u64, u64))| {
        let (waited_before, turns_before) = before.get(key).map_or((0, 0), |(_, waited, turns)| (*waited, *turns));
        RunDelay {
            thread: thread.clone(),
            waited_ns: waited_ns.saturating_sub(waited_before),
            turns: turns.saturating_sub(turns_before),
        }
    };
    now.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_counts_of_a_thread_is_read() {
        assert_eq!(parsed("123456 789 42\n"), Some((789, 42)));
        assert_eq!((parsed(""), parsed("1 x 3"), parsed("1 2")), (None, None, None));
    }
}
