// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the activations of other programs' threads, on every CPU, while they run.
//!
//! Every CPU has its own ring; backwall puts the events of all rings in order of time. The kernel may still be writing an event
//! into one ring when backwall reads it, so the youngest events wait for the next read.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
mod intake;
mod reader;
mod reports;
mod result;

use super::TraceError;
use crate::buffer::Buffer;
use crate::late_stacks::LateStacks;
use crate::lately::{Form, Memory};
use crate::request::Answering;
use crate::toggle::now_ns;
use backwall_model::units::grouped;
use backwall_model::{AS_FOUND, IDLE_AS_IS, Key, Series, Stages, Warning};
use backwall_trace::account::analysis::Analysis;
use backwall_trace::chain::{ChainSoFar, Chains, Spec};
use backwall_trace::event::Source;
use intake::Intake;
use reader::Reader;
use reports::{Reports, reports};
use result::AttachedResult;
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

pub const ATTACHED: &str = "attached";
pub const THREAD: &str = "thread";
pub const FROM: &str = "timer or waking";
pub const RECENT: usize = 100;
/// If more than one in this many events is lost, the others do not represent the run.
const LOST_ONE_IN: u64 = 1_000;

pub fn key() -> Key {
    Key::new(ATTACHED, AS_FOUND, IDLE_AS_IS)
}

fn key_of(thread: &AttachedThread, several: bool) -> Key {
    let variant = several.then(|| (THREAD.to_string(), thread.label()));
    Key { variant: variant.into_iter().collect(), ..key() }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedThread {
    pub id: i32,
    pub name: String,
    /// backwall holds the thread until the recording runs. The wakeup that ends this hold does not count.
    pub held: bool,
    pub quota: Option<String>,
}

impl AttachedThread {
    /// The thread's name in a series, such as `audio-1234`, in letters that need no quoting.
    pub fn label(&self) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "_.-".contains(letter) { letter } else { '_' };
        format!("{}-{}", self.name.chars().map(plain).collect::<String>(), self.id)
    }
}

pub fn keys(threads: &[AttachedThread]) -> Vec<Key> {
    threads.iter().map(|thread| key_of(thread, threads.len() > 1)).collect()
}

#[derive(Clone, Debug, Default)]
pub struct AttachReport {
    pub series: Vec<Series>,
    pub stages: Vec<Stages>,
    /// Number of wakeups without a recorded switch to the woken thread. backwall saw their end only at the thread's next event.
    pub unrecorded: u64,
    pub events: u64,
    pub events_lost: u64,
    /// A BPF program took the stacks, not a trigger.
    pub by_program: bool,
    /// The longest responses of each thread since the last report, longest first.
    pub recent: Vec<Recent>,
    pub warnings: Vec<Warning>,
    /// The chains that were followed with the threads.
    pub chains: Vec<ChainSoFar>,
}

/// A response that was among its thread's longest since the last report.
#[derive(Clone, Debug)]
pub struct Recent {
    pub thread: String,
    pub ns: u64,
    pub blame: backwall_model::Blame,
    /// Start of the response, on the clock of the kernel's trace (CLOCK_MONOTONIC).
    began_ns: u64,
}

impl Recent {
    /// Start of the response, on the wall clock.
    pub fn began(&self) -> SystemTime {
        SystemTime::now() - Duration::from_nanos(now_ns().saturating_sub(self.began_ns))
    }
}

impl AttachReport {
    /// Why the run is invalid, if too many events were lost: nobody knows how many wakeups were among them.
    pub fn doubt(&self) -> Option<String> {
        let all = self.events.saturating_add(self.events_lost);
        let too_many = self.events_lost > all / LOST_ONE_IN;
        too_many.then(|| format!("the kernel's trace lost {} of {} events", grouped(self.events_lost), grouped(all)))
    }

    pub fn due(&self) -> u64 {
        self.series.iter().filter_map(|series| series.due).sum()
    }
}

/// How to follow the threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttachPlan<'a> {
    pub deadline_ns: Option<u64>,
    pub chains: &'a [Spec],
    /// Size of the kernel's rings of all CPUs together.
    pub buffer_mib: Option<u32>,
}

struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An active recording. Rust drops the fields in this order, so that the reader ends before the buffer that it reads.
pub struct Attached {
    ends: Ends,
    worst_ns: Arc<AtomicU64>,
    reports: Reports<Receiver<AttachReport>>,
    reader: JoinHandle<Result<AttachReport, TraceError>>,
    buffer: Buffer,
}

impl Attached {
    /// Begins to follow threads on these CPUs, which must include every CPU from which somebody may wake them. The kernel records
    /// the wakeups and timers of all threads, because a waker may have been late itself. Chains are followed through the same
    /// events, except those that need system calls. `answering` gives the latest events to anyone who asks.
    pub fn start(
        threads: &[AttachedThread],
        cpus: &[u32],
        plan: AttachPlan<'_>,
        answering: Option<Answering>,
    ) -> Result<Self, TraceError> {
        let AttachPlan { deadline_ns, chains, buffer_mib } = plan;
        let stacks = LateStacks::begin().ok();
        let by_trigger = stacks.is_none();
        let wanted = |source: &Source| match source {
            source if source.is_of_faults() => true,
            source => source.is_of_responses() && (by_trigger || !source.is_of_stacks()),
        };
        let has_packets = chains.iter().any(|chain| chain.packets() != (false, false));
        let buffer = Buffer::with_packets(cpus, wanted, has_packets, buffer_mib)?;
        let chains = (!chains.is_empty()).then(|| Analysis::new(Chains::new(chains.to_vec(), true)));
        let ids: Vec<i32> = threads.iter().map(|thread| thread.id).collect();
        buffer.follow_only(&ids, Source::is_of_faults)?;
        let rings = cpus
            .iter()
            .map(|cpu| Ok((Intake::of(*cpu), buffer.ring(*cpu)?)))
            .collect::<Result<Vec<_>, TraceError>>()?;
        let asked = |answering| Ok((answering, Form::of(&buffer, buffer.layout()?)?, Memory::default()));
        let lately = answering.map(asked).transpose()?;
        let (ends, worst_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let found = AttachedResult::new(threads, deadline_ns, worst_ns.clone());
        let decoder = buffer.decoder();
        let told = ends.clone();
        let (reports, heard) = reports();
        let reader = std::thread::Builder::new().name(backwall_model::RECORDER_THREAD.into());
        let reader = reader.spawn(move || {
            Reader { rings, decoder, stacks, waiting: Vec::new(), given_ns: 0, found, chains, reports, lately }
                .read_until(&told)
        });
        let reader = reader.map_err(|error| TraceError::Cut { reason: error.to_string() })?;
        buffer.record(true)?;
        Ok(Self { ends: Ends(ends), worst_ns, reports: heard, reader, buffer })
    }

    /// The result so far. The first call requests it, and a later one returns it.
    pub fn so_far(&self) -> Option<AttachReport> {
        self.reports.so_far()
    }

    pub fn worst_ns(&self) -> u64 {
        self.worst_ns.load(Ordering::Relaxed)
    }

    pub fn finish(self) -> Result<AttachReport, TraceError> {
        self.buffer.record(false)?;
        drop(self.ends);
        self.reader.thread().unpark();
        let last = self
            .reader
            .join()
            .unwrap_or_else(|_| Err(TraceError::Cut { reason: "its reader thread stopped".into() }))?;
        Ok(last.with_untaken(self.reports.untaken()))
    }
}

impl AttachReport {
    /// A report has only the longest responses since the previous report. If nobody took the previous report, this one gets its
    /// responses too.
    fn with_untaken(mut self, untaken: Option<Self>) -> Self {
        for (chain, before) in self.chains.iter_mut().zip(untaken.iter().flat_map(|report| &report.chains)) {
            chain.tally.was_slow(before.tally.recent.as_ref());
        }
        self.recent.extend(untaken.into_iter().flat_map(|report| report.recent));
        self.recent.sort_by_key(|recent| Reverse(recent.ns));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_a_report_that_nobody_took_are_in_the_last() {
        let recent = |ns| Recent { thread: "loop-1".into(), ns, blame: backwall_model::Blame::Unfitting, began_ns: 0 };
        let report = |lengths: &[u64]| AttachReport {
            recent: lengths.iter().copied().map(recent).collect(),
            ..AttachReport::default()
        };
        let lengths = |report: &AttachReport| report.recent.iter().map(|recent| recent.ns).collect::<Vec<_>>();
        let last = report(&[7, 5]);
        assert_eq!(lengths(&last.clone().with_untaken(Some(report(&[9, 6])))), [9, 7, 6, 5]);
        assert_eq!(lengths(&last.with_untaken(None)), [7, 5]);
    }
}
