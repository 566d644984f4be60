// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flight recorder: tracing always on, in memory, the oldest overwritten.
//!
//! Nothing is read until a response crosses the limit. Then the ring is held, the trace around
//! that response is kept and its cause named, and the recorder goes on, or the measurement ends.
//! Samples come some time after their responses: what was read for one may hold the next one too. Of several measured
//! threads all processors are recorded, and all rings are held and read at once.
//! The event of the sleep's return is left out: it slows every system call of the machine.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::TraceError;
use crate::buffer::{Buffer, Ring};
use crate::elsewhere::{self, Elsewhere, Listening, Others};
use crate::lately::{Form, Memory};
use crate::read_page::read_page;
use crate::request::Answering;
use crate::toggle::{Switch, now_ns};
use backwall_model::Warning;
use backwall_os::folder::Folder;
use backwall_os::threads;
use backwall_trace::decoder::Decoder;
use backwall_trace::digest::{Digest, TraceConfig};
use backwall_trace::event::Source;
use backwall_trace::page::{Page, PageLayout};
use backwall_trace::stages::Sample;
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// What is kept before the stimulus and after the response.
const BEFORE_NS: u64 = 20_000_000;
const AFTER_NS: u64 = 2_000_000;
const FOLDER_MODE: u32 = 0o755;
const SNAPSHOTS: usize = 10;

/// Words for who used the time of a response that took so many nanoseconds: those who draw have them.
pub type Words = fn(&backwall_model::Blame, u64) -> String;

#[derive(Clone, Debug)]
pub struct FlightPlan {
    pub above_ns: u64,
    /// Whether the first crossing ends the measurement.
    pub ends: bool,
    /// Where the snapshots go: a folder each.
    pub folder: PathBuf,
    /// Which stretch of a resumed run it is, so that the snapshots of two have different names.
    pub stretch: usize,
    /// The words for who used the time of a response that took so long, for the snapshot's folder.
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
    /// The crossings that were kept, in order of time.
    pub snapshots: Vec<Snapshot>,
    pub more: u64,
    /// Crossings while the ring was held for an earlier one, of which nothing was recorded.
    pub while_held: u64,
    /// Events that the ring refused; what it overwrites unread is no loss here.
    pub events_lost: u64,
    /// Why a crossing has no snapshot.
    pub failure: Option<TraceError>,
    pub warnings: Vec<Warning>,
}

/// What was read when the rings were held last.
#[derive(Debug, Default)]
struct RingContents {
    pages: BTreeMap<u32, Vec<Vec<u8>>>,
    others: Others,
    /// What came before was read and dropped.
    since_ns: u64,
    /// Nothing was recorded from here …
    from_ns: u64,
    to_ns: u64,
}

impl RingContents {
    fn has(&self, sample: &Sample) -> bool {
        sample.response_ns < self.from_ns && sample.stimulus_ns >= self.since_ns
    }

    /// Some of the response was not recorded, or is no longer there.
    fn cuts(&self, sample: &Sample) -> bool {
        !self.has(sample) && sample.stimulus_ns < self.to_ns
    }
}

#[derive(Clone, Copy, Debug)]
struct MeasuredThread {
    /// 0 as long as it is not known.
    thread: i32,
    cpu: u32,
}

/// A flight recorder that runs. The rings are closed before the buffer they belong to.
pub struct Flight {
    rings: BTreeMap<u32, Ring>,
    decoder: Decoder,
    config: TraceConfig,
    plan: FlightPlan,
    label: String,
    measured: Vec<MeasuredThread>,
    held: RingContents,
    /// Who may ask for what is recorded in the middle, and what was read out of the rings for them.
    asked: Option<(Answering, Form)>,
    given: Memory,
    report: FlightReport,
    /// Of all processors where nobody is measured; it is read before what it belongs to ends.
    others: Option<Listening>,
    elsewhere: Option<Elsewhere>,
    buffer: Buffer,
}

impl Flight {
    /// Starts it for measured threads on these processors, instead of the one of `config`; the names of its snapshots begin
    /// with `label`.
    pub fn start(config: TraceConfig, cpus: &[u32], plan: FlightPlan, label: &str) -> Result<Self, TraceError> {
        let mut distinct = cpus.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let wanted = |source: &Source| !source.slows_system_calls();
        let buffer = Buffer::new(&distinct, wanted)?;
        let rings = distinct.iter().map(|cpu| Ok((*cpu, buffer.ring(*cpu)?))).collect::<Result<_, TraceError>>()?;
        let decoder = buffer.decoder();
        buffer.record(true)?;
        let measured = cpus.iter().map(|cpu| MeasuredThread { thread: 0, cpu: *cpu }).collect();
        let (label, held, mut report) = (label.to_string(), RingContents::default(), FlightReport::default());
        let (elsewhere, others) = match Elsewhere::start(&distinct) {
            Ok(started) => started.unzip(),
            Err(error) => {
                report.warnings.push(elsewhere::untold(error));
                (None, None)
            }
        };
        let (asked, given) = (None, Memory::default());
        Ok(Self {
            rings,
            decoder,
            config,
            plan,
            label,
            measured,
            held,
            asked,
            given,
            report,
            others,
            elsewhere,
            buffer,
        })
    }

    /// From now on what is recorded is given to anyone who asks here.
    pub fn answering(self, answering: Answering) -> Result<Self, TraceError> {
        let form = Form::of(&self.buffer, self.layout())?;
        Ok(Self { asked: Some((answering, form)), ..self })
    }

    /// Gives what the rings hold to anyone who has asked since; nearly always nobody has. They go on meanwhile, and what is read stays in
    /// memory: a snapshot that comes later has it.
    pub fn answer(&mut self) {
        let Some((answering, form)) = self.asked.take_if(|(answering, _)| answering.is_asked()) else { return };
        let read = self.read_on();
        answering.answer(read.map(|()| form.lately(&self.lately(), self.rings.values())));
        self.asked = Some((answering, form));
    }

    /// What a snapshot took out of the rings, and what came since. Nothing was recorded between the two, as the first sub-buffer behind the
    /// snapshot says of each processor.
    fn lately(&self) -> Memory {
        let (mut memory, layout) = (Memory::default(), self.layout());
        for (cpu, pages) in &self.held.pages {
            pages.iter().for_each(|page| memory.add(*cpu, page, &layout));
        }
        memory.append(&self.given, &layout);
        memory
    }

    /// Reads what the rings hold now, and not what comes meanwhile.
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

    /// Names the threads whose responses count, in the order of their processors.
    pub fn watch(&mut self, threads: &[i32]) -> Result<(), TraceError> {
        self.measured.iter_mut().zip(threads).for_each(|(measured, thread)| measured.thread = *thread);
        self.elsewhere.iter().try_for_each(|elsewhere| elsewhere.follow(threads))?;
        self.buffer.follow(threads)
    }

    pub fn switches(&self) -> Vec<Switch> {
        self.buffer.switches()
    }

    /// Tells of a response of the thread with that place, in order of time among its own; nearly always this is one
    /// comparison. `true`: the measurement ends here.
    pub fn sample(&mut self, place: usize, sample: Sample) -> bool {
        if sample.latency() <= self.plan.above_ns || self.has_ended() {
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
            Ok(snapshot) => self.report.snapshots.push(snapshot),
            Err(error) => self.report.failure = self.report.failure.take().or(Some(error)),
        }
        self.plan.ends
    }

    /// What was kept last.
    pub fn latest(&self) -> Option<&Snapshot> {
        self.report.snapshots.last()
    }

    fn has_ended(&self) -> bool {
        self.plan.ends && !(self.report.snapshots.is_empty() && self.report.failure.is_none())
    }

    pub fn finish(self) -> FlightReport {
        let events_lost = self.rings.values().map(Ring::refused).sum();
        FlightReport { events_lost, ..self.report }
    }

    fn keep(&mut self, place: usize, sample: Sample) -> Result<Snapshot, TraceError> {
        if !self.held.has(&sample) {
            self.hold()?;
        }
        let measured = self.measured.get(place).copied().unwrap_or(MeasuredThread { thread: 0, cpu: self.config.cpu });
        let pages = self.held.pages.get(&measured.cpu).map_or(&[][..], Vec::as_slice);
        let name = format!("{}{}-{}", self.label, self.apart(place), sample.seq);
        let blame = self.blame(measured, pages, sample);
        let told = (self.plan.words)(&blame, sample.latency());
        self.store(&name, measured.cpu, &self.around(pages, sample), &told)?;
        Ok(Snapshot { sample, cpu: measured.cpu, blame, told, name })
    }

    /// What tells the snapshots of a thread from those of the others.
    fn apart(&self, place: usize) -> String {
        match self.measured.get(place) {
            Some(measured) if self.measured.len() > self.rings.len() => format!("-cpu{}-thread{place}", measured.cpu),
            Some(measured) if self.rings.len() > 1 => format!("-cpu{}", measured.cpu),
            _ => String::new(),
        }
    }

    /// Takes everything out of the rings, which record nothing meanwhile.
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
        // Behind the rings, so that it reaches as far as they do.
        let others = self.others.as_mut().map(Listening::read).transpose()?.unwrap_or_default();
        self.held = RingContents { pages, others, since_ns, from_ns, to_ns: now_ns() };
        Ok(())
    }

    /// What processors other than this one told of who keeps its thread from its work; those that are measured, too.
    fn told_elsewhere(&self, cpu: u32) -> Others {
        let mut recorded = Vec::new();
        for (other, pages) in self.held.pages.iter().filter(|(other, _)| **other != cpu) {
            for page in pages {
                read_page(page, &self.layout(), &self.decoder, |_, stamped| {
                    recorded.extend(elsewhere::is_told(&stamped).then_some((*other, stamped)));
                });
            }
        }
        let mut others = self.held.others.clone();
        others.add_recorded(recorded);
        others
    }

    fn layout(&self) -> PageLayout {
        self.rings.values().next().expect("at least one processor is measured").layout
    }

    fn blame(&self, measured: MeasuredThread, pages: &[Vec<u8>], sample: Sample) -> backwall_model::Blame {
        let config = TraceConfig { cpu: measured.cpu, ..self.config };
        let mut digest = Digest::new(self.decoder.clone(), self.layout(), config);
        digest.watch(measured.thread);
        digest.ours(threads::of_this_tool());
        digest.sample(sample);
        self.told_elsewhere(measured.cpu).give(&mut digest);
        pages.iter().for_each(|page| digest.page(page));
        elsewhere::name_unnamed(&mut digest);
        let report = digest.finish(0, None);
        let known = report.blamed.first().map(|blamed| blamed.blame.told());
        known.or_else(|| report.worst.first()?.blame.clone()).unwrap_or(backwall_model::Blame::Unfitting)
    }

    /// The pages with the time from shortly before the stimulus to shortly after the response; a page lasts until the
    /// next begins.
    fn around<'a>(&self, pages: &'a [Vec<u8>], sample: Sample) -> Vec<&'a [u8]> {
        let layout = self.layout();
        let begins = |page: &Vec<u8>| Page::new(page, &layout).map_or(0, |page| page.first_ns());
        let ends = pages.iter().skip(1).map(begins).chain([u64::MAX]);
        let (from_ns, to_ns) = (sample.stimulus_ns.saturating_sub(BEFORE_NS), sample.response_ns + AFTER_NS);
        let inside = pages.iter().zip(ends).filter(|(page, end)| *end >= from_ns && begins(page) <= to_ns);
        inside.map(|(page, _)| page.as_slice()).collect()
    }

    /// A folder that is whole or not there: the pages, and what it takes to read them.
    fn store(&self, name: &str, cpu: u32, pages: &[&[u8]], told: &str) -> Result<(), TraceError> {
        let (folder, beside) = (self.plan.folder.join(name), self.plan.folder.join(format!("{name}.part")));
        let failed = |source| TraceError::File { action: "write", path: folder.clone(), source };
        let mut all = Vec::new();
        for page in pages {
            all.extend_from_slice(page);
            all.resize(all.len().next_multiple_of(self.layout().bytes()), 0);
        }
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&self.plan.folder);
        made.and_then(|()| DirBuilder::new().mode(FOLDER_MODE).create(&beside)).map_err(failed)?;
        let open = Folder::open(&beside).map_err(failed)?;
        let write = |file: &str, bytes: &[u8]| open.create_file(file)?.write_all(bytes);
        let write = |file: &str, bytes: &[u8]| write(file, bytes).map_err(failed);
        for (file, text) in self.buffer.layouts()? {
            write(&file, text.as_bytes())?;
        }
        write("blame.txt", format!("{told}\n").as_bytes())?;
        write(&format!("cpu{cpu}.pages"), &all)?;
        std::fs::rename(&beside, &folder).map_err(failed)
    }
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
