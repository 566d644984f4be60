// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flight recorder: tracing always on, in memory, the oldest overwritten.
//!
//! Nothing is read until a response crosses the limit. Then the ring is held, the trace around
//! that response is kept and its cause named, and the recorder goes on, or the measurement ends.
//! Samples come some time after their responses: what was read for one may hold the next one too.
//! The event of the sleep's return is left out: it slows every system call of the machine.
use super::TraceError;
use super::blame_line::blame_line;
use super::buffer::{Buffer, Ring};
use super::decoder::Decoder;
use super::digest::{Digest, TraceConfig};
use super::event::Source;
use super::page::Page;
use super::stages::Sample;
use super::toggle::now_ns;
use crate::threads;
use std::path::{Path, PathBuf};

/// What is kept before the stimulus and after the response.
const BEFORE_NS: u64 = 20_000_000;
const AFTER_NS: u64 = 2_000_000;
/// Snapshots of one phase; more crossings are counted.
const SNAPSHOTS: usize = 10;

/// What to do about which response.
#[derive(Clone, Debug)]
pub struct FlightPlan {
    /// A response that takes longer crosses the limit.
    pub above_ns: u64,
    /// Whether the first crossing ends the measurement.
    pub ends: bool,
    /// Where the snapshots go: a folder each.
    pub folder: PathBuf,
    /// Which stretch of a resumed run it is, so that the snapshots of two have different names.
    pub stretch: usize,
}

/// What was kept around one response.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The response that crossed the limit.
    pub sample: Sample,
    /// Who used its time, in one sentence.
    pub blame: String,
    /// The name of its folder.
    pub name: String,
}

/// What came of a phase with the recorder on.
#[derive(Debug, Default)]
pub struct FlightReport {
    /// The crossings that were kept, in order of time.
    pub snapshots: Vec<Snapshot>,
    /// Crossings beyond those.
    pub more: u64,
    /// Crossings while the ring was held for an earlier one, of which nothing was recorded.
    pub while_held: u64,
    /// Events that the ring refused; what it overwrites unread is no loss here.
    pub events_lost: u64,
    /// Why a crossing has no snapshot.
    pub failure: Option<TraceError>,
}

/// What was read when the ring was held last.
#[derive(Debug, Default)]
struct Held {
    pages: Vec<Vec<u8>>,
    /// Nothing was recorded from here …
    from_ns: u64,
    /// … to here.
    to_ns: u64,
}

impl Held {
    /// The response is among what was read.
    fn has(&self, sample: &Sample) -> bool {
        sample.response_ns < self.from_ns
    }

    /// Some of the response was not recorded.
    fn cuts(&self, sample: &Sample) -> bool {
        !self.has(sample) && sample.stimulus_ns < self.to_ns
    }
}

/// A flight recorder that runs. The ring is closed before the buffer it belongs to.
pub struct Flight {
    ring: Ring,
    decoder: Decoder,
    config: TraceConfig,
    plan: FlightPlan,
    label: String,
    thread: Option<i32>,
    held: Held,
    report: FlightReport,
    buffer: Buffer,
}

impl Flight {
    /// Starts it; the names of its snapshots begin with `label`.
    pub fn start(config: TraceConfig, plan: FlightPlan, label: &str) -> Result<Self, TraceError> {
        let buffer = Buffer::new(&[config.cpu], |source: &Source| !source.slows_system_calls())?;
        let (ring, decoder) = (buffer.ring(config.cpu)?, buffer.decoder());
        buffer.record(true)?;
        let (label, held, report) = (label.to_string(), Held::default(), FlightReport::default());
        Ok(Self { ring, decoder, config, plan, label, thread: None, held, report, buffer })
    }

    /// Names the thread whose responses count.
    pub fn watch(&mut self, thread: i32) -> Result<(), TraceError> {
        self.thread = Some(thread);
        self.buffer.follow(thread)
    }

    /// Tells of a response, in order of time; nearly always this is one comparison. `true`: the measurement ends here.
    pub fn sample(&mut self, sample: Sample) -> bool {
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
        match self.keep(sample) {
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

    /// Ends it and removes its trace instance.
    pub fn finish(self) -> FlightReport {
        let events_lost = self.ring.refused();
        FlightReport { events_lost, ..self.report }
    }

    fn keep(&mut self, sample: Sample) -> Result<Snapshot, TraceError> {
        if !self.held.has(&sample) {
            self.hold()?;
        }
        let pages = &self.held.pages;
        let name = format!("{}-{}", self.label, sample.seq);
        let blame = self.blame(pages, sample);
        self.store(&name, &self.around(pages, sample), &blame)?;
        Ok(Snapshot { sample, blame, name })
    }

    /// Takes everything out of the ring, which records nothing meanwhile.
    fn hold(&mut self) -> Result<(), TraceError> {
        let from_ns = now_ns();
        self.buffer.record(false)?;
        let mut pages = Vec::new();
        while let Some(page) = self.ring.read()? {
            pages.push(page.to_vec());
        }
        if !self.plan.ends {
            self.buffer.record(true)?;
        }
        self.held = Held { pages, from_ns, to_ns: now_ns() };
        Ok(())
    }

    fn blame(&self, pages: &[Vec<u8>], sample: Sample) -> String {
        let mut digest = Digest::new(self.decoder.clone(), self.ring.layout, self.config);
        digest.watch(self.thread.unwrap_or(0));
        digest.ours(threads::of_this_tool());
        digest.sample(sample);
        pages.iter().for_each(|page| digest.page(page));
        let report = digest.finish(0, None);
        let line = report.blamed.first().map(|blamed| blame_line(&blamed.blame));
        line.or_else(|| report.worst.first()?.blame.clone()).unwrap_or_default()
    }

    /// The pages with the time from shortly before the stimulus to shortly after the response; a page lasts until the
    /// next begins.
    fn around<'a>(&self, pages: &'a [Vec<u8>], sample: Sample) -> Vec<&'a [u8]> {
        let begins = |page: &Vec<u8>| Page::new(page, &self.ring.layout).map_or(0, |page| page.first_ns());
        let ends = pages.iter().skip(1).map(begins).chain([u64::MAX]);
        let (from_ns, to_ns) = (sample.stimulus_ns.saturating_sub(BEFORE_NS), sample.response_ns + AFTER_NS);
        let inside = pages.iter().zip(ends).filter(|(page, end)| *end >= from_ns && begins(page) <= to_ns);
        inside.map(|(page, _)| page.as_slice()).collect()
    }

    /// A folder that is whole or not there: the pages, and what it takes to read them.
    fn store(&self, name: &str, pages: &[&[u8]], blame: &str) -> Result<(), TraceError> {
        let (folder, beside) = (self.plan.folder.join(name), self.plan.folder.join(format!("{name}.part")));
        let failed = |source| TraceError::File { action: "write", path: folder.clone(), source };
        let mut all = Vec::new();
        for page in pages {
            all.extend_from_slice(page);
            all.resize(all.len().next_multiple_of(self.ring.layout.bytes()), 0);
        }
        std::fs::create_dir_all(&self.plan.folder).and_then(|()| std::fs::create_dir(&beside)).map_err(failed)?;
        let write = |file: &str, bytes: &[u8]| std::fs::write(Path::new(&beside).join(file), bytes).map_err(failed);
        for (file, text) in self.buffer.layouts()? {
            write(&file, text.as_bytes())?;
        }
        write("blame.txt", format!("{blame}\n").as_bytes())?;
        write(&format!("cpu{}.pages", self.config.cpu), &all)?;
        std::fs::rename(&beside, &folder).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_has_the_responses_before_it_and_cuts_those_that_reach_into_it() {
        let held = Held { pages: Vec::new(), from_ns: 1_000, to_ns: 2_000 };
        let cases = [(800, 999), (900, 1_000), (900, 2_500), (1_500, 1_600), (1_999, 2_500), (2_000, 2_500)];
        let told = cases.map(|(stimulus_ns, response_ns)| {
            let sample = Sample { seq: 0, stimulus_ns, response_ns };
            (held.has(&sample), held.cuts(&sample))
        });
        let (has, cut, later) = ((true, false), (false, true), (false, false));
        assert_eq!(told, [has, cut, cut, cut, cut, later]);
        let sample = Sample { seq: 0, stimulus_ns: 5, response_ns: 9 };
        assert!(!Held::default().has(&sample) && !Held::default().cuts(&sample));
    }
}
