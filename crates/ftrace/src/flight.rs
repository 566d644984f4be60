// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flight recorder: the kernel always records, in memory, and overwrites the oldest events.
//!
//! With [`Limit::Worst`] it names the cause of the longest response of each measured thread. Whenever a response is the longest
//! so far, the recorder reads the events around that response; recording continues, and nothing is written.
//!
//! With [`Limit::Above`] it reads nothing until a response is longer than the limit. Then it stops the rings, stores the trace
//! around that response and names its cause. After that the recording continues, or the measurement ends. Samples come some time
//! after their responses, so the events that it read for one response may include the next response.
//!
//! With several measured threads, all their CPUs are recorded, and all rings are stopped and read at once. The event for a
//! sleep's return is left out, because it slows every system call of the machine.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::elsewhere::{self, Elsewhere, Listening, Others};
use crate::lately::{Form, Memory, within};
use crate::read_page::read_page;
use crate::recording_file::FILE;
use crate::request::Answering;
use crate::toggle::{Switch, now_ns};
use backwall_model::Warning;
use backwall_os::folder::Folder;
use backwall_os::threads;
use backwall_trace::digest::{Digest, TraceConfig};
use backwall_trace::event::Source;
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::{Page, PageLayout};
use backwall_trace::stages::Sample;
use std::collections::{BTreeMap, VecDeque};
use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

const BEFORE_NS: u64 = 20_000_000;
const AFTER_NS: u64 = 2_000_000;
const FOLDER_MODE: u32 = 0o755;
/// Recorded time that is needed before a response, to know which thread ran. The digest also gets the responses in this time,
/// because a wakeup without its response has no known length and could count among the longest.
const HISTORY_NS: u64 = 300_000_000;
/// How long to wait before examining a thread's worst response: a longer one may follow it.
const SETTLED_NS: u64 = 50_000_000;
const SNAPSHOTS: usize = 10;

/// Makes the text for the cause of a response of this length.
pub type Words = fn(&backwall_model::Blame, u64) -> String;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Above(u64),
    /// Name the cause of each measured thread's longest response so far; keep no trace.
    Worst,
}

#[derive(Clone, Debug)]
pub struct FlightPlan {
    pub limit: Limit,
    pub ends: bool,
    pub folder: PathBuf,
    /// The number of the session of a resumed run, so that snapshots of two sessions have different names.
    pub stretch: usize,
    /// Makes the text in a snapshot's folder: who used the time of a response of this length.
    pub words: Words,
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    pub sample: Sample,
    pub cpu: u32,
    pub blame: backwall_model::Blame,
    pub told: String,
    pub name: String,
}

#[derive(Debug, Default)]
pub struct FlightReport {
    pub snapshots: Vec<Snapshot>,
    /// Responses that were the longest so far when examined, in order of time; their traces are not kept.
    pub worst: Vec<Snapshot>,
    pub more: u64,
    /// Responses above the limit without a recording, because the rings were stopped for an earlier one.
    pub while_held: u64,
    /// Number of events that the rings refused. Events that the rings overwrote unread do not count here.
    pub events_lost: u64,
    pub failure: Option<TraceError>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Default)]
struct RingContents {
    pages: BTreeMap<u32, Vec<Vec<u8>>>,
    others: Others,
    /// Events from before this time were read and dropped.
    since_ns: u64,
    from_ns: u64,
    to_ns: u64,
}

impl RingContents {
    fn has(&self, sample: &Sample) -> bool {
        sample.response_ns < self.from_ns && sample.stimulus_ns >= self.since_ns
    }

    fn cuts(&self, sample: &Sample) -> bool {
        !self.has(sample) && sample.stimulus_ns < self.to_ns
    }
}

#[derive(Clone, Debug)]
struct MeasuredThread {
    /// Number of the thread; 0 while it is unknown.
    thread: i32,
    cpu: u32,
    worst_ns: u64,
    pending: Option<Sample>,
    /// The latest responses, in order of time.
    recent: VecDeque<Sample>,
}

/// At most this many responses of a thread are remembered: at 10 kHz they last longer than `HISTORY_NS`.
const RECENT: usize = 8_192;

impl MeasuredThread {
    fn on(cpu: u32) -> Self {
        Self { thread: 0, cpu, worst_ns: 0, pending: None, recent: VecDeque::new() }
    }

    fn remember(&mut self, sample: Sample) {
        let is_old = |old: &Sample| old.response_ns.saturating_add(HISTORY_NS) < sample.stimulus_ns;
        while self.recent.len() >= RECENT || self.recent.front().is_some_and(is_old) {
            self.recent.pop_front();
        }
        self.recent.push_back(sample);
    }
}

/// An active flight recorder. Rust drops the fields in this order, so that the rings close before the buffer that they belong to.
pub struct Flight {
    rings: BTreeMap<u32, Ring>,
    decoder: Decoder,
    config: TraceConfig,
    plan: FlightPlan,
    label: String,
    measured: Vec<MeasuredThread>,
    held: RingContents,
    /// Gives the latest events to anyone who asks.
    asked: Option<Answering>,
    form: Form,
    given: Memory,
    /// Events of the other CPUs, as far back as the events kept for a worst response.
    heard: Others,
    report: FlightReport,
    news: Vec<(u64, backwall_model::Blame)>,
    /// Reads the events of all CPUs without a measured thread.
    others: Option<Listening>,
    elsewhere: Option<Elsewhere>,
    buffer: Buffer,
}

impl Flight {
    /// Starts a flight recorder for threads on these CPUs; ignores the CPU in `config`. Its snapshots' names begin with `label`.
    pub fn start(config: TraceConfig, cpus: &[u32], plan: FlightPlan, label: &str) -> Result<Self, TraceError> {
        let mut distinct = cpus.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let wanted = |source: &Source| !source.slows_system_calls();
        let buffer = Buffer::new(&distinct, wanted)?;
        let rings = distinct
            .iter()
            .map(|cpu| Ok((*cpu, buffer.ring(*cpu)?)))
            .collect::<Result<BTreeMap<u32, Ring>, TraceError>>()?;
        let decoder = buffer.decoder();
        buffer.record(true)?;
        let measured = cpus.iter().map(|cpu| MeasuredThread::on(*cpu)).collect();
        let (label, held, mut report) = (label.to_string(), RingContents::default(), FlightReport::default());
        let (elsewhere, others) = match Elsewhere::start(&distinct) {
            Ok(started) => started.unzip(),
            Err(error) => {
                report.warnings.push(elsewhere::untold(error));
                (None, None)
            }
        };
        let layout = rings.values().next().map_or_else(|| buffer.layout(), |ring: &Ring| Ok(ring.layout))?;
        let form = Form::of(&buffer, layout)?;
        Ok(Self {
            rings,
            decoder,
            config,
            plan,
            label,
            measured,
            held,
            asked: None,
            form,
            given: Memory::default(),
            heard: Others::default(),
            report,
            news: Vec::new(),
            others,
            elsewhere,
            buffer,
        })
    }

    pub fn answering(self, answering: Answering) -> Result<Self, TraceError> {
        Ok(Self { asked: Some(answering), ..self })
    }

    /// Gives the contents of the rings to anyone who has asked; nearly always nobody has. The recording continues, and a later
    /// snapshot still has these events.
    pub fn answer(&mut self) {
        let Some(answering) = self.asked.take_if(|answering| answering.is_asked()) else { return };
        let read = self.read_on();
        answering.answer(read.map(|()| self.form.lately(&self.lately(), self.rings.values())));
        self.asked = Some(answering);
    }

    /// What the rings held at the last snapshot, and what was read since. Between the two is a gap, which the first later
    /// sub-buffer of each CPU states.
    fn lately(&self) -> Memory {
        let (mut memory, layout) = (Memory::default(), self.layout());
        for (cpu, pages) in &self.held.pages {
            pages.iter().for_each(|page| memory.add(*cpu, page, &layout));
        }
        memory.append(&self.given, &layout);
        memory
    }

    fn read_on(&mut self) -> Result<(), TraceError> {
        for (cpu, ring) in &mut self.rings {
            let (layout, until_ns) = (ring.layout, now_ns());
            while let Some(page) = ring.read()? {
                let begun_ns = Page::new(page, &layout).map_or(0, |page| page.first_ns());
                self.given.add(*cpu, page, &layout);
                if begun_ns >= until_ns {
                    break;
                }
            }
        }
        Ok(())
    }

    pub fn watch(&mut self, threads: &[i32]) -> Result<(), TraceError> {
        self.measured.iter_mut().zip(threads).for_each(|(measured, thread)| measured.thread = *thread);
        self.elsewhere.iter().try_for_each(|elsewhere| elsewhere.follow(threads))?;
        self.buffer.follow(threads)
    }

    pub fn switches(&self) -> Vec<Switch> {
        self.buffer.switches()
    }

    /// Takes a response of the measured thread at index `place`, in order of time for each thread; nearly always this is one
    /// comparison. Returns `true` if the measurement ends here.
    pub fn sample(&mut self, place: usize, sample: Sample) -> bool {
        self.measured.get_mut(place).into_iter().for_each(|measured| measured.remember(sample));
        let above_ns = match self.plan.limit {
            Limit::Above(above_ns) => above_ns,
            Limit::Worst => {
                self.follow_worst(place, sample);
                return false;
            }
        };
        if sample.latency() <= above_ns || self.has_ended() {
            return false;
        }
        if self.report.snapshots.len() == SNAPSHOTS {
            self.report.more += 1;
            return false;
        }
        if self.held.cuts(&sample) {
            self.report.while_held += 1;
            return false;
        }
        match self.keep(place, sample) {
            Ok(snapshot) => {
                self.news.push((sample.latency(), snapshot.blame.clone()));
                self.report.snapshots.push(snapshot);
            }
            Err(error) => self.report.failure = self.report.failure.take().or(Some(error)),
        }
        self.plan.ends
    }

    /// The responses that were examined since the last call, with length and cause.
    pub fn news(&mut self) -> Vec<(u64, backwall_model::Blame)> {
        std::mem::take(&mut self.news)
    }

    /// Notes a response that is its thread's longest so far; first examines earlier such responses that waited long enough.
    fn follow_worst(&mut self, place: usize, sample: Sample) {
        let settled = |pending: Sample| sample.response_ns > pending.response_ns.saturating_add(SETTLED_NS);
        if self.measured.iter().any(|measured| measured.pending.is_some_and(settled)) {
            self.look_into_worst(sample.stimulus_ns);
        }
        let Some(measured) = self.measured.get_mut(place) else { return };
        if sample.latency() > measured.worst_ns {
            (measured.worst_ns, measured.pending) = (sample.latency(), Some(sample));
        }
    }

    /// Names the causes of the worst responses that were not examined yet, while the recording continues. Keeps events from
    /// `HISTORY_NS` before `until_ns` on, because samples may come late.
    fn look_into_worst(&mut self, until_ns: u64) {
        let read = self.read_on().and_then(|()| self.others.as_mut().map(Listening::read).transpose());
        match read {
            Ok(heard) => heard.into_iter().for_each(|heard| self.heard.add(heard)),
            Err(error) => self.report.failure = self.report.failure.take().or(Some(error)),
        }
        let layout = self.layout();
        for place in 0..self.measured.len() {
            let Some(sample) = self.measured[place].pending.take() else { continue };
            let measured = &self.measured[place];
            let recorded = self.given.since(sample.stimulus_ns.saturating_sub(HISTORY_NS), &layout);
            let pages = recorded.get(&measured.cpu).map_or(&[][..], Vec::as_slice);
            let pages: Vec<&Vec<u8>> = within(pages, 0..=after(sample), &layout).collect();
            let blame = self.blame(measured, &pages, &recorded, self.heard.clone(), sample);
            self.news.push((sample.latency(), blame.clone()));
            let (told, name) = (String::new(), String::new());
            let cpu = measured.cpu;
            self.report.worst.push(Snapshot { sample, cpu, blame, told, name });
        }
        let oldest_ns = until_ns.saturating_sub(HISTORY_NS);
        self.given.forget_before(oldest_ns, &layout);
        self.heard.forget_before(oldest_ns);
    }

    fn has_ended(&self) -> bool {
        self.plan.ends && !(self.report.snapshots.is_empty() && self.report.failure.is_none())
    }

    pub fn finish(mut self) -> FlightReport {
        if self.measured.iter().any(|measured| measured.pending.is_some()) {
            self.look_into_worst(u64::MAX);
        }
        let events_lost = self.rings.values().map(Ring::refused).sum();
        FlightReport { events_lost, ..self.report }
    }

    fn keep(&mut self, place: usize, sample: Sample) -> Result<Snapshot, TraceError> {
        if !self.held.has(&sample) {
            self.hold()?;
        }
        let measured = self.measured.get(place).cloned().unwrap_or(MeasuredThread::on(self.config.cpu));
        let pages = self.held.pages.get(&measured.cpu).map_or(&[][..], Vec::as_slice);
        let since_ns = sample.stimulus_ns.saturating_sub(HISTORY_NS);
        let pages: Vec<&Vec<u8>> = within(pages, since_ns..=after(sample), &self.layout()).collect();
        let name = format!("{}{}-{}", self.label, self.apart(place), sample.seq);
        let blame = self.blame(&measured, &pages, &self.held.pages, self.held.others.clone(), sample);
        let told = (self.plan.words)(&blame, sample.latency());
        self.store(&name, &self.around(sample), &told)?;
        Ok(Snapshot { sample, cpu: measured.cpu, blame, told, name })
    }

    fn apart(&self, place: usize) -> String {
        match self.measured.get(place) {
            Some(measured) if self.measured.len() > self.rings.len() => format!("-cpu{}-thread{place}", measured.cpu),
            Some(measured) if self.rings.len() > 1 => format!("-cpu{}", measured.cpu),
            _ => String::new(),
        }
    }

    fn hold(&mut self) -> Result<(), TraceError> {
        let (since_ns, from_ns) = (self.held.to_ns, now_ns());
        self.buffer.record(false)?;
        let mut pages = self.given.take();
        for (cpu, ring) in &mut self.rings {
            let of_one = pages.entry(*cpu).or_default();
            while let Some(page) = ring.read()? {
                of_one.push(page.to_vec());
            }
        }
        if !self.plan.ends {
            self.buffer.record(true)?;
        }
        // Read after the rings, so that these events reach as far as the events of the rings.
        let others = self.others.as_mut().map(Listening::read).transpose()?.unwrap_or_default();
        self.held = RingContents { pages, others, since_ns, from_ns, to_ns: now_ns() };
        Ok(())
    }

    /// Adds events of other measured CPUs: who woke, stopped or froze a thread, and changes of the machine.
    fn told_elsewhere(&self, cpu: u32, all: &BTreeMap<u32, Vec<Vec<u8>>>, mut others: Others) -> Others {
        let mut recorded = Vec::new();
        for (other, pages) in all.iter().filter(|(other, _)| **other != cpu) {
            for page in pages {
                read_page(page, &self.layout(), &self.decoder, |_, stamped| {
                    recorded.extend(elsewhere::is_told(&stamped).then_some((*other, stamped)));
                });
            }
        }
        others.add_recorded(recorded);
        others
    }

    fn layout(&self) -> PageLayout {
        self.rings.values().next().expect("at least one processor is measured").layout
    }

    /// The cause of a response, from the recording of its CPU and the events of the other CPUs.
    fn blame(
        &self,
        measured: &MeasuredThread,
        pages: &[&Vec<u8>],
        all: &BTreeMap<u32, Vec<Vec<u8>>>,
        others: Others,
        sample: Sample,
    ) -> backwall_model::Blame {
        let config = TraceConfig { cpu: measured.cpu, ..self.config };
        let mut digest = Digest::new(self.decoder.clone(), self.layout(), config);
        digest.watch(measured.thread);
        digest.ours(threads::of_this_tool());
        let is_remembered = measured.recent.iter().any(|recent| recent.seq == sample.seq);
        let alone = (!is_remembered).then_some(sample);
        alone.into_iter().chain(measured.recent.iter().copied()).for_each(|sample| digest.sample(sample));
        self.told_elsewhere(measured.cpu, all, others).give(&mut digest);
        pages.iter().for_each(|page| digest.page(page));
        elsewhere::name_unnamed(&mut digest);
        let report = digest.finish(0, None);
        let unseen = || report.worst.iter().find(|worst| worst.seq == sample.seq)?.blame.clone();
        report.blame(sample.seq).or_else(unseen).unwrap_or(backwall_model::Blame::Unfitting)
    }

    /// The events of all CPUs from shortly before the stimulus to shortly after the response.
    fn around(&self, sample: Sample) -> Memory {
        let layout = self.layout();
        let (from_ns, to_ns) = (sample.stimulus_ns.saturating_sub(BEFORE_NS), sample.response_ns + AFTER_NS);
        let mut around = Memory::default();
        for (cpu, pages) in &self.held.pages {
            within(pages, from_ns..=to_ns, &layout).for_each(|page| around.add(*cpu, page, &layout));
        }
        around
    }

    /// Writes a folder, complete or not at all: the recording, and its cause in words.
    fn store(&self, name: &str, recorded: &Memory, told: &str) -> Result<(), TraceError> {
        let (folder, beside) = (self.plan.folder.join(name), self.plan.folder.join(format!("{name}.part")));
        let failed = |source| TraceError::File { action: "write", path: folder.clone(), source };
        let recording = self.form.lately(recorded, self.rings.values()).into_recording()?;
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&self.plan.folder);
        made.and_then(|()| DirBuilder::new().mode(FOLDER_MODE).create(&beside)).map_err(failed)?;
        let open = Folder::open(&beside).map_err(failed)?;
        let write = |file: &str, bytes: &[u8]| open.create_file(file)?.write_all(bytes);
        write("blame.txt", format!("{told}\n").as_bytes()).map_err(failed)?;
        write(FILE, &recording).map_err(failed)?;
        std::fs::rename(&beside, &folder).map_err(failed)
    }
}

/// The time up to which to read events for a response. Later wakeups may have no response yet, if their samples come late.
fn after(sample: Sample) -> u64 {
    sample.response_ns.saturating_add(BEFORE_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_has_the_responses_before_it_and_cuts_those_that_reach_into_it() {
        let held = RingContents { since_ns: 500, from_ns: 1_000, to_ns: 2_000, ..RingContents::default() };
        let cases =
            [(499, 800), (500, 999), (900, 1_000), (900, 2_500), (1_500, 1_600), (1_999, 2_500), (2_000, 2_500)];
        let told = cases.map(|(stimulus_ns, response_ns)| {
            let sample = Sample { seq: 0, stimulus_ns, response_ns };
            (held.has(&sample), held.cuts(&sample))
        });
        let (has, cut, later) = ((true, false), (false, true), (false, false));
        assert_eq!(told, [cut, has, cut, cut, cut, cut, later]);
        let sample = Sample { seq: 0, stimulus_ns: 5, response_ns: 9 };
        assert!(!RingContents::default().has(&sample) && !RingContents::default().cuts(&sample));
    }
}
