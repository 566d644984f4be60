// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the activations of a thread of somebody else's, on every processor, while it goes about its work.
//!
//! Every processor has a ring of its own; what was read of all of them is put in order of time. An event may still be on
//! its way into its ring when that is read, so the youngest wait for the next read.
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::toggle::now_ns;
use run::{self, IDLE_AS_IS, Key, Series, Span, Stages};
use stats::SeriesBuilder;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use trace::activation::{Activation, Activations, Unseen};
use trace::blame_line::{blame_line, time};
use trace::causes::totals;
use trace::decoder::Decoder;
use trace::departures::Departures;
use trace::event::{Source, Stamped};
use trace::page::{Page, PageLayout};
use trace::spread::Spread;
use trace::stages::Sample;
use trace::worst::{Blamed, Worst};
use units::Unit;

/// Between two reads.
const READ_EVERY: Duration = Duration::from_millis(50);
/// What is younger than this at a read waits for the next.
const ON_ITS_WAY_NS: u64 = 5_000_000;

/// What began later than this before the end and had not ended by then is not counted.
const CUT_NS: u64 = 10_000_000;

/// The series' name, and the load under which the thread was found.
pub const ATTACHED: &str = "attached";
/// Nobody put a load on the machine.
pub const AS_FOUND: &str = "as-found";

/// The one series that comes of it.
pub fn key() -> Key {
    Key::new(ATTACHED, AS_FOUND, IDLE_AS_IS)
}

/// What was found.
#[derive(Clone, Debug)]
pub struct AttachReport {
    /// From the waking to the processor.
    pub series: Series,
    /// Who used the time of the worst.
    pub stages: Stages,
    /// Wake-ups that were not seen because the kernel recorded no switch from who had the processor.
    pub unrecorded: u64,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// Tells the reader to end when it is dropped.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A recording that runs. The order of the fields is that of their end: the reader ends before the buffer that it reads.
pub struct Attached {
    ends: Ends,
    worst_ns: Arc<AtomicU64>,
    reports: Reports<Receiver<AttachReport>>,
    reader: JoinHandle<Result<AttachReport, TraceError>>,
    buffer: Buffer,
}

/// One side of what is told between the start and the end, when it is asked for.
struct Reports<Side> {
    asked: Arc<AtomicBool>,
    side: Side,
}

impl Attached {
    /// Begins to follow a thread on these processors, which are all that anybody might wake it from.
    pub fn start(thread: i32, cpus: &[u32], deadline_ns: Option<u64>) -> Result<Self, TraceError> {
        let buffer = Buffer::new(cpus, Source::is_of_processors)?;
        let rings = cpus.iter().map(|cpu| Ok((*cpu, buffer.ring(*cpu)?))).collect::<Result<Vec<_>, TraceError>>()?;
        buffer.follow(&[thread])?;
        let (ends, worst_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let found = Found::new(thread, deadline_ns, worst_ns.clone());
        let decoder = buffer.decoder();
        let told = ends.clone();
        let (tell, heard) = sync_channel(1);
        let asked = Arc::new(AtomicBool::new(false));
        let reports = Reports { asked: asked.clone(), side: tell };
        let reader = std::thread::Builder::new().name("backwall-trace".into());
        let reader =
            reader.spawn(move || Reader { rings, decoder, waiting: Vec::new(), found, reports }.read_until(&told));
        let reader = reader.map_err(|error| TraceError::Cut { reason: error.to_string() })?;
        buffer.record(true)?;
        Ok(Self { ends: Ends(ends), worst_ns, reports: Reports { asked, side: heard }, reader, buffer })
    }

    /// What was found so far. The first call asks for it, a later one has it.
    pub fn so_far(&self) -> Option<AttachReport> {
        let told = self.reports.side.try_recv().ok();
        if told.is_none() {
            self.reports.asked.store(true, Ordering::Relaxed);
        }
        told
    }

    /// The largest latency so far.
    pub fn worst_ns(&self) -> u64 {
        self.worst_ns.load(Ordering::Relaxed)
    }

    /// Ends the recording and removes the instance.
    pub fn finish(self) -> Result<AttachReport, TraceError> {
        self.buffer.record(false)?;
        drop(self.ends);
        self.reader.thread().unpark();
        self.reader.join().unwrap_or_else(|_| Err(TraceError::Cut { reason: "its reader died".into() }))
    }
}

/// An event, or a place where events are missing.
#[derive(Clone, Copy, Debug)]
enum Item {
    Event(Stamped),
    Gap,
}

struct Reader {
    rings: Vec<(u32, Ring)>,
    decoder: Decoder,
    /// By time and processor; what is not yet old enough to be put in order.
    waiting: Vec<(u64, u32, Item)>,
    found: Found,
    reports: Reports<SyncSender<AttachReport>>,
}

impl Reader {
    fn read_until(mut self, ends: &AtomicBool) -> Result<AttachReport, TraceError> {
        loop {
            let ending = ends.load(Ordering::Relaxed);
            let settled_ns = if ending { u64::MAX } else { now_ns().saturating_sub(ON_ITS_WAY_NS) };
            self.read()?;
            self.waiting.sort_by_key(|(at_ns, ..)| *at_ns);
            let count = self.waiting.partition_point(|(at_ns, ..)| *at_ns < settled_ns);
            let found = &mut self.found;
            self.waiting.drain(..count).for_each(|(at_ns, cpu, item)| found.take(at_ns, cpu, item));
            if ending {
                return Ok(self.found.finish(lost(&self.rings)));
            }
            self.tell();
            std::thread::park_timeout(READ_EVERY);
        }
    }

    /// What was found so far, if it was asked for. Where the last one was not fetched, that one is told.
    fn tell(&self) {
        if self.reports.asked.swap(false, Ordering::Relaxed) {
            let _ = self.reports.side.try_send(self.found.clone().finish(lost(&self.rings)));
        }
    }

    fn read(&mut self) -> Result<(), TraceError> {
        for (cpu, ring) in &mut self.rings {
            let layout = ring.layout;
            while let Some(bytes) = ring.read()? {
                let gap_at = take_page(bytes, &layout, &self.decoder, |at_ns, stamped| {
                    self.waiting.push((at_ns, *cpu, Item::Event(stamped)));
                });
                self.waiting.extend(gap_at.map(|at_ns| (at_ns, *cpu, Item::Gap)));
            }
        }
        Ok(())
    }
}

/// Events that the kernel dropped.
fn lost(rings: &[(u32, Ring)]) -> u64 {
    rings.iter().map(|(_, ring)| ring.lost()).sum()
}

/// Gives every event of a page; where some before it or in it are missing, since when.
fn take_page(bytes: &[u8], layout: &PageLayout, decoder: &Decoder, mut give: impl FnMut(u64, Stamped)) -> Option<u64> {
    let Ok(page) = Page::new(bytes, layout) else { return Some(0) };
    let mut gap_at = page.missed().map(|_| page.first_ns());
    let mut last_ns = page.first_ns();
    for record in page.records() {
        let Ok(record) = record else {
            gap_at.get_or_insert(last_ns);
            break;
        };
        last_ns = record.at_ns;
        if let Some(stamped) = decoder.decode(record.at_ns, record.data) {
            give(record.at_ns, stamped);
        }
    }
    gap_at
}

/// What was found so far.
#[derive(Clone)]
struct Found {
    activations: Activations,
    builder: SeriesBuilder,
    spread: Spread,
    worst: Worst,
    deadline_ns: Option<u64>,
    first_ns: Option<u64>,
    last_ns: u64,
    seq: u64,
    inferred: u64,
    gaps: u64,
    worst_ns: Arc<AtomicU64>,
    of_worst: u64,
    processors: BTreeMap<u32, u64>,
    /// From whom no switch was recorded when the thread came.
    unrecorded: Departures,
}

impl Found {
    fn new(thread: i32, deadline_ns: Option<u64>, worst_ns: Arc<AtomicU64>) -> Self {
        Self {
            activations: Activations::new(thread),
            builder: SeriesBuilder::new(key(), Span::new("waking", "running", Unit::Ns)),
            spread: Spread::default(),
            worst: Worst::default(),
            deadline_ns,
            first_ns: None,
            last_ns: 0,
            seq: 0,
            inferred: 0,
            gaps: 0,
            worst_ns,
            of_worst: 0,
            processors: BTreeMap::new(),
            unrecorded: Departures::default(),
        }
    }

    fn take(&mut self, at_ns: u64, cpu: u32, item: Item) {
        self.last_ns = self.last_ns.max(at_ns);
        let told = match item {
            Item::Event(stamped) => self.activations.push(cpu, &stamped),
            Item::Gap => {
                self.gaps += 1;
                self.activations.forget(cpu)
            }
        };
        told.into_iter().for_each(|told| self.activation(told));
    }

    fn activation(&mut self, told: Activation) {
        let seq = self.seq;
        self.seq += 1;
        match told {
            Activation::Unseen(Unseen { ready_at, behind }) => {
                if let Some(thread) = behind {
                    self.unrecorded.add(thread);
                }
                let at = self.since_first(ready_at);
                self.builder.lost(at, 1);
            }
            Activation::Came { wake_up, evidence, cpu } => {
                let sample = Sample { seq, stimulus_ns: wake_up.waking_at, response_ns: wake_up.switch_in_at };
                let latency = sample.latency();
                let late = self.deadline_ns.is_some_and(|deadline| latency > deadline);
                let at = self.since_first(wake_up.waking_at);
                self.builder.sample(seq, at, latency, late);
                self.spread.record(latency);
                self.inferred += u64::from(wake_up.inferred);
                *self.processors.entry(cpu).or_default() += 1;
                self.of_worst = self.of_worst.max(latency);
                self.worst_ns.store(self.of_worst, Ordering::Relaxed);
                if self.worst.admits(&wake_up, Some(&sample)) {
                    self.worst.push(*evidence, Some(&sample));
                }
            }
        }
    }

    fn since_first(&mut self, at_ns: u64) -> u64 {
        at_ns.saturating_sub(*self.first_ns.get_or_insert(at_ns))
    }

    fn finish(mut self, events_lost: u64) -> AttachReport {
        let waits = self.waits_at_the_end();
        let blamed = self.worst.blamed();
        let mut series = self.builder.build();
        for worst in &mut series.worst {
            let of = blamed.iter().find(|blamed| blamed.sample.seq == worst.seq);
            worst.blame = of.map(|blamed| blame_line(&blamed.blame));
        }
        let lost = (events_lost > 0).then(|| format!("the kernel's trace lost {events_lost} events"));
        let (unseen_count, due) = (series.known_lost(), series.due.unwrap_or(0));
        let unseen = (unseen_count > 0).then(|| {
            format!("{unseen_count} of {due} wake-ups were not seen up to the switch to the thread{}", self.unrecorded)
        });
        let several = (self.processors.len() > 1).then(|| format!("the thread ran on {}", places(&self.processors)));
        let never = (due == 0).then(|| {
            "the thread was not woken once: it waited, or ran on, all the time (in another process-number namespace \
             than ours, its number is another one)"
                .to_string()
        });
        let warnings = [waits, unseen, lost, several, never].into_iter().flatten().collect();
        let stages = self.stages(&blamed, events_lost, unseen_count);
        AttachReport { series, stages, unrecorded: self.unrecorded.count(), warnings }
    }

    /// A thread that was made ready shortly before the end had not the time to come; one that waits long is lost.
    fn waits_at_the_end(&mut self) -> Option<String> {
        let ready_at = self.activations.ready_at()?;
        let waited = self.last_ns.saturating_sub(ready_at);
        if waited < CUT_NS {
            return None;
        }
        self.activation(Activation::Unseen(Unseen { ready_at, behind: None }));
        Some(format!("the thread was ready at the end and had waited for {} until then", time(waited)))
    }

    fn stages(&self, blamed: &[Blamed], events_lost: u64, unmatched: u64) -> Stages {
        let first_ns = self.first_ns.unwrap_or(0);
        let row = |blamed: &Blamed| run::Worst {
            seq: blamed.sample.seq,
            at: Some(blamed.sample.stimulus_ns - first_ns),
            value: blamed.blame.total(),
            blame: Some(blame_line(&blamed.blame)),
        };
        let seen = self.spread.count() > 0;
        Stages {
            key: key(),
            matched: self.spread.count(),
            inferred: self.inferred,
            unmatched,
            events_lost,
            tracing_cost: None,
            stage: if seen { vec![self.spread.row("waking to running")] } else { Vec::new() },
            of_worst: if seen { vec![self.of_worst] } else { Vec::new() },
            worst: blamed.iter().map(row).collect(),
            blamed: blamed.len() as u64,
            causes: totals(blamed),
        }
    }
}

/// `CPU 0 (120 times), CPU 1 (3 times)`.
fn places(processors: &BTreeMap<u32, u64>) -> String {
    let each: Vec<String> = processors.iter().map(|(cpu, times)| format!("CPU {cpu} ({times} times)")).collect();
    each.join(", ")
}
