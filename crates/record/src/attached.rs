// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records the activations of threads of somebody else's, on every processor, while they go about their work.
//!
//! Every processor has a ring of its own; what was read of all of them is put in order of time. An event may still be on
//! its way into its ring when that is read, so the youngest wait for the next read.
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::late_stacks::LateStacks;
use crate::read_page::read_page;
use crate::toggle::now_ns;
use run::{self, IDLE_AS_IS, Key, Series, Span, Stages, Warning};
use stats::SeriesBuilder;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};
use trace::activation::{Activations, Late, Told};
use trace::causes::totals;
use trace::decoder::Decoder;
use trace::departures::Departures;
use trace::event::{Source, Stamped};
use trace::largest::Largest;
use trace::spread::Spread;
use trace::stages::Sample;
use trace::worst::Blamed;
use units::{Shown, Unit};

/// Events that are looked at before others may have the processor: who is watched may be an ordinary thread on the reader's own, and a
/// reader that went on to its end would be what it is late for.
const AT_ONCE: usize = 64;
/// Where more have come since the last read the machine is busy: who yields there waits for everybody, and falls behind for good.
const POLITE: usize = 2_048;
/// The same of a ring's sub-buffers, of some hundred events each.
const POLITE_PAGES: usize = 16;
/// Between two reads.
const READ_EVERY: Duration = Duration::from_millis(50);
/// What is younger than this at a read waits for the next.
const ON_ITS_WAY_NS: u64 = 5_000_000;

/// What began later than this before the end and had not ended by then is not counted.
const CUT_NS: u64 = 10_000_000;

/// The series' name, and the load under which the thread was found.
pub const ATTACHED: &str = "attached";
/// What tells the series of several threads apart.
pub const THREAD: &str = "thread";
/// Where a response begins.
pub const FROM: &str = "timer or waking";
/// Of each thread the responses of which the causes are kept.
const KEPT: usize = 100;
/// The same of those since the last report.
pub const RECENT: usize = 100;
/// Nobody put a load on the machine.
pub const AS_FOUND: &str = "as-found";

/// The series that comes of one thread.
pub fn key() -> Key {
    Key::new(ATTACHED, AS_FOUND, IDLE_AS_IS)
}

/// Of one of several threads.
fn key_of(thread: &Followed, several: bool) -> Key {
    let variant = several.then(|| (THREAD.to_string(), thread.label()));
    Key { variant: variant.into_iter().collect(), ..key() }
}

/// A thread that is to be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Its number.
    pub id: i32,
    /// Its name.
    pub name: String,
}

impl Followed {
    /// What tells it from others in a series' name: `audio-1234`, of letters that need no quoting.
    pub fn label(&self) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "_.-".contains(letter) { letter } else { '_' };
        format!("{}-{}", self.name.chars().map(plain).collect::<String>(), self.id)
    }
}

/// The keys of the series that come of following these threads.
pub fn keys(threads: &[Followed]) -> Vec<Key> {
    threads.iter().map(|thread| key_of(thread, threads.len() > 1)).collect()
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct AttachReport {
    /// Of each thread, from its timer or its waking to the processor.
    pub series: Vec<Series>,
    /// Of each thread who used the time of the worst.
    pub stages: Vec<Stages>,
    /// Wake-ups that the kernel showed only at the thread's next event, since it recorded no switch from who had the processor.
    pub unrecorded: u64,
    /// Stacks were taken by a program of ours in the kernel, and not by a trigger.
    pub by_program: bool,
    /// The longest responses of each thread since the last report that was told, the longest first.
    pub recent: Vec<Recent>,
    /// What the user has to know.
    pub warnings: Vec<Warning>,
}

/// A response that was among the longest of its thread's since the last report.
#[derive(Clone, Debug)]
pub struct Recent {
    /// The thread's name and number.
    pub thread: String,
    /// How long it took, in nanoseconds.
    pub ns: u64,
    /// Who used that time.
    pub blame: run::Blame,
    /// By the clock of the kernel's trace, CLOCK_MONOTONIC.
    began_ns: u64,
}

impl Recent {
    /// When it began, by the clock on the wall.
    pub fn began(&self) -> SystemTime {
        SystemTime::now() - Duration::from_nanos(now_ns().saturating_sub(self.began_ns))
    }
}

impl AttachReport {
    /// Wake-ups of all threads.
    pub fn due(&self) -> u64 {
        self.series.iter().filter_map(|series| series.due).sum()
    }
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
    /// Begins to follow threads on these processors, which are all that anybody might wake them from. Wakings and timers of
    /// all threads are recorded: a waker may have been late itself.
    pub fn start(threads: &[Followed], cpus: &[u32], deadline_ns: Option<u64>) -> Result<Self, TraceError> {
        let stacks = LateStacks::begin().ok();
        let by_trigger = stacks.is_none();
        let wanted = |source: &Source| match source {
            source if source.is_of_faults() => true,
            source => source.is_of_responses() && (by_trigger || !source.is_of_stacks()),
        };
        let buffer = Buffer::new(cpus, wanted)?;
        let ids: Vec<i32> = threads.iter().map(|thread| thread.id).collect();
        buffer.follow_only(&ids, Source::is_of_faults)?;
        let rings = cpus.iter().map(|cpu| Ok((*cpu, buffer.ring(*cpu)?))).collect::<Result<Vec<_>, TraceError>>()?;
        let (ends, worst_ns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let found = Found::new(threads, deadline_ns, worst_ns.clone());
        let decoder = buffer.decoder();
        let told = ends.clone();
        let (tell, heard) = sync_channel(1);
        let asked = Arc::new(AtomicBool::new(false));
        let reports = Reports { asked: asked.clone(), side: tell };
        let reader = std::thread::Builder::new().name(run::RECORDER_THREAD.into());
        let reader = reader
            .spawn(move || Reader { rings, decoder, stacks, waiting: Vec::new(), found, reports }.read_until(&told));
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
    /// Where the kernel takes the program that asks for them.
    stacks: Option<LateStacks>,
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
            let (found, polite) = (&mut self.found, count <= POLITE);
            for (number, (at_ns, cpu, item)) in self.waiting.drain(..count).enumerate() {
                found.take(at_ns, cpu, item);
                if polite && number % AT_ONCE == AT_ONCE - 1 {
                    std::thread::yield_now();
                }
            }
            if ending {
                return Ok(self.report());
            }
            self.tell();
            std::thread::park_timeout(READ_EVERY);
        }
    }

    /// What was found so far, if it was asked for. Where the last one was not fetched, that one is told.
    fn tell(&mut self) {
        let told =
            self.reports.asked.swap(false, Ordering::Relaxed) && self.reports.side.try_send(self.report()).is_ok();
        if told {
            self.found.threads.values_mut().for_each(|of| of.recent = Largest::default());
        }
    }

    fn report(&self) -> AttachReport {
        AttachReport { by_program: self.stacks.is_some(), ..self.found.clone().finish(lost(&self.rings)) }
    }

    fn read(&mut self) -> Result<(), TraceError> {
        let waiting = &mut self.waiting;
        if let Some(stacks) = &mut self.stacks {
            stacks.read(|cpu, stamped| waiting.push((stamped.at_ns, cpu, Item::Event(stamped))));
        }
        for (cpu, ring) in &mut self.rings {
            let (layout, mut pages) = (ring.layout, 0);
            while let Some(bytes) = ring.read()? {
                let gap_at = read_page(bytes, &layout, &self.decoder, |at_ns, stamped| {
                    self.waiting.push((at_ns, *cpu, Item::Event(stamped)));
                });
                self.waiting.extend(gap_at.map(|at_ns| (at_ns, *cpu, Item::Gap)));
                pages += 1;
                if pages <= POLITE_PAGES {
                    std::thread::yield_now();
                }
            }
        }
        Ok(())
    }
}

/// Events that the kernel dropped.
fn lost(rings: &[(u32, Ring)]) -> u64 {
    rings.iter().map(|(_, ring)| ring.lost()).sum()
}

/// What was found so far.
#[derive(Clone)]
struct Found {
    activations: Activations,
    threads: BTreeMap<i32, Of>,
    first_ns: Option<u64>,
    last_ns: u64,
    worst_ns: Arc<AtomicU64>,
}

/// Of one thread.
#[derive(Clone)]
struct Of {
    thread: Followed,
    key: Key,
    builder: SeriesBuilder,
    spread: Spread,
    worst: Largest<KEPT, (u64, Reverse<u64>), Blamed>,
    /// Since the last report.
    recent: Largest<RECENT, (u64, Reverse<u64>), Blamed>,
    deadline_ns: Option<u64>,
    seq: u64,
    inferred: u64,
    of_worst: u64,
    processors: BTreeMap<u32, u64>,
    /// From whom no switch was recorded when the thread came.
    unrecorded: Departures,
}

impl Found {
    fn new(threads: &[Followed], deadline_ns: Option<u64>, worst_ns: Arc<AtomicU64>) -> Self {
        let of = |thread: &Followed| {
            let key = key_of(thread, threads.len() > 1);
            (thread.id, Of::new(thread.clone(), key, deadline_ns))
        };
        Self {
            activations: Activations::new(threads.iter().map(|thread| thread.id).collect()),
            threads: threads.iter().map(of).collect(),
            first_ns: None,
            last_ns: 0,
            worst_ns,
        }
    }

    fn take(&mut self, at_ns: u64, cpu: u32, item: Item) {
        self.last_ns = self.last_ns.max(at_ns);
        let told = match item {
            Item::Event(stamped) => self.activations.push(cpu, &stamped),
            Item::Gap => self.activations.forget(cpu, at_ns),
        };
        told.into_iter().for_each(|told| self.told(told));
    }

    fn told(&mut self, told: Told) {
        let (thread, since) = match &told {
            Told::Came { response, .. } => (response.thread.id, response.at_ns),
            Told::Unseen { thread, ready_at } => (*thread, ready_at.unwrap_or(self.last_ns)),
        };
        let at = since.saturating_sub(*self.first_ns.get_or_insert(since));
        if let Some(of) = self.threads.get_mut(&thread) {
            of.take(told, at);
            self.worst_ns.fetch_max(of.of_worst, Ordering::Relaxed);
        }
    }

    fn finish(mut self, events_lost: u64) -> AttachReport {
        let several = self.threads.len() > 1;
        let waits: Vec<(i32, u64)> = self.wait_at_the_end();
        let lost = (events_lost > 0).then(|| Warning::trace_lost(events_lost));
        let mut report = AttachReport { warnings: lost.into_iter().collect(), ..AttachReport::default() };
        for (id, of) in self.threads {
            let waited = waits.iter().find(|(waiting, _)| *waiting == id).map(|(_, waited)| *waited);
            let who = if several { of.thread.label() } else { "the thread".to_string() };
            report.unrecorded += of.unrecorded.count();
            report.recent.extend(of.recents());
            report.warnings.extend(of.warnings(&who, waited));
            let (series, stages) = of.finish(self.first_ns.unwrap_or(0), events_lost);
            report.series.push(series);
            report.stages.push(stages);
        }
        report.recent.sort_by_key(|recent| Reverse(recent.ns));
        report
    }

    /// A thread that was made ready shortly before the end had not the time to come; one that waits long is lost.
    fn wait_at_the_end(&mut self) -> Vec<(i32, u64)> {
        let ids: Vec<i32> = self.threads.keys().copied().collect();
        let mut waits = Vec::new();
        for thread in ids {
            let Some(ready_at) = self.activations.ready_at(thread) else { continue };
            let waited = self.last_ns.saturating_sub(ready_at);
            if waited >= CUT_NS {
                self.told(Told::Unseen { thread, ready_at: Some(ready_at) });
                waits.push((thread, waited));
            }
        }
        waits
    }
}

impl Of {
    fn new(thread: Followed, key: Key, deadline_ns: Option<u64>) -> Self {
        let span = Span::new(FROM, "running", Unit::Ns);
        Self {
            thread,
            builder: SeriesBuilder::new(key.clone(), span),
            key,
            spread: Spread::default(),
            worst: Largest::default(),
            recent: Largest::default(),
            deadline_ns,
            seq: 0,
            inferred: 0,
            of_worst: 0,
            processors: BTreeMap::new(),
            unrecorded: Departures::default(),
        }
    }

    fn take(&mut self, told: Told, at: u64) {
        let seq = self.seq;
        self.seq += 1;
        let Told::Came { response, inferred, behind, .. } = told else { return self.builder.lost(at, 1) };
        let Late { cpu, at_ns, latency_ns, blame, .. } = response;
        let late = self.deadline_ns.is_some_and(|deadline| latency_ns > deadline);
        self.builder.sample(seq, at, latency_ns, late);
        self.spread.record(latency_ns);
        self.inferred += u64::from(inferred);
        behind.into_iter().for_each(|thread| self.unrecorded.add(thread));
        *self.processors.entry(cpu).or_default() += 1;
        self.of_worst = self.of_worst.max(latency_ns);
        let key = (latency_ns, Reverse(seq));
        let sample = Sample { seq, stimulus_ns: at_ns, response_ns: at_ns + latency_ns };
        if self.recent.admits(&key) {
            self.recent.push(key, Blamed { sample, blame: blame.clone() });
        }
        if self.worst.admits(&key) {
            self.worst.push(key, Blamed { sample, blame });
        }
    }

    fn recents(&self) -> impl Iterator<Item = Recent> {
        self.recent.values().map(|Blamed { sample, blame }| Recent {
            thread: self.thread.label(),
            ns: blame.total(),
            blame: blame.told(),
            began_ns: sample.stimulus_ns,
        })
    }

    /// What the figures of the thread, which is called so, do not tell; `waited`: how long it was ready at the end, where it was.
    fn warnings(&self, who: &str, waited: Option<u64>) -> Vec<Warning> {
        let (due, done, unrecorded) = (self.seq, self.spread.count(), self.unrecorded.count());
        let waits = waited.map(|waited| {
            let said = format!("{who} was ready at the end and had waited for {} until then", Shown(waited, Unit::Ns));
            Warning::new("waits-at-end", said)
        });
        let unseen = (due > done).then(|| {
            let said = format!(
                "{} of {due} wake-ups of {who} were not seen up to the switch to it: events were lost, or it waited at the end",
                due - done
            );
            Warning::new("wakes-unseen", said)
        });
        let next = (unrecorded > 0).then(|| {
            let ends = &self.unrecorded;
            let said = format!("{unrecorded} of {due} wake-ups of {who} end with its next event, at the latest{ends}");
            Warning::new("switch-unrecorded", said)
        });
        let several = (self.processors.len() > 1)
            .then(|| Warning::new("ran-on", format!("{who} ran on {}", places(&self.processors))));
        let never = (due == 0).then(|| {
            let said = format!(
                "{who} was not woken once: it waited, or ran on, all the time (in another process-number namespace \
                 than ours, its number is another one)"
            );
            Warning::new("never-woken", said)
        });
        [waits, unseen, next, several, never].into_iter().flatten().collect()
    }

    fn finish(self, first_ns: u64, events_lost: u64) -> (Series, Stages) {
        let blamed: Vec<Blamed> = self.worst.values().cloned().collect();
        let (seen, inferred, key) = (self.spread.count(), self.inferred, self.key);
        let mut series = self.builder.build();
        for worst in &mut series.worst {
            let of = blamed.iter().find(|blamed| blamed.sample.seq == worst.seq);
            worst.blame = of.map(|blamed| blamed.blame.told());
        }
        let row = |blamed: &Blamed| run::Worst {
            seq: blamed.sample.seq,
            at: Some(blamed.sample.stimulus_ns.saturating_sub(first_ns)),
            value: blamed.blame.total(),
            blame: Some(blamed.blame.told()),
        };
        let stages = Stages {
            key,
            matched: seen,
            inferred,
            unmatched: series.known_lost(),
            events_lost,
            tracing_cost: None,
            stage: if seen > 0 { vec![self.spread.row(&format!("{FROM} to running"))] } else { Vec::new() },
            of_worst: if seen > 0 { vec![self.of_worst] } else { Vec::new() },
            worst: blamed.iter().map(row).collect(),
            blamed: blamed.len() as u64,
            causes: totals(&blamed),
        };
        (series, stages)
    }
}

/// `CPU 0 (120 times), CPU 1 (3 times)`.
fn places(processors: &BTreeMap<u32, u64>) -> String {
    let each: Vec<String> = processors.iter().map(|(cpu, times)| format!("CPU {cpu} ({times} times)")).collect();
    each.join(", ")
}
