// SPDX-License-Identifier: MIT OR Apache-2.0
//! From pages to stages: decodes, follows the thread, joins its samples, counts what was lost.
use super::blame::Evidence;
use super::blame_line::blame_line;
use super::causes::totals;
use super::event::Decoder;
use super::page::{Page, PageLayout};
use super::processor::Processor;
use super::stages::{Joiner, Matched, Sample};
use super::wakeup::{Follower, WakeUp};
use super::worst::{Blamed, Worst};
use crate::run::{self, SelfCheck, Stages};
use std::collections::VecDeque;

/// Pages that wait for the thread's name: 0.1 s of the busiest processor, far longer than the name takes to come.
const PUT_ASIDE: usize = 512;
/// Of the worst responses, how many are stored in the run with their blame.
const STORED: usize = 20;

/// What a recording says of one phase.
#[derive(Clone, Debug)]
pub struct TraceReport {
    /// The stages of all matched responses; the caller names the phase.
    pub stages: Stages,
    /// Our reading against the kernel's.
    pub self_check: Option<SelfCheck>,
    /// Who used the time of the worst responses, the largest first.
    pub blamed: Vec<Blamed>,
    /// The first matched wake-ups, as many as were to be kept.
    pub kept: Vec<Matched>,
    /// Events that were recorded and read.
    pub events: u64,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

impl TraceReport {
    /// Who used the time of that response, in one sentence, if it was among the worst.
    pub fn blame_line(&self, seq: u64) -> Option<String> {
        self.blamed.iter().find(|blamed| blamed.sample.seq == seq).map(|blamed| blame_line(&blamed.blame))
    }
}

/// Digests one processor's pages.
#[derive(Clone, Debug)]
pub struct Digest {
    decoder: Decoder,
    layout: PageLayout,
    processor: Processor,
    follower: Option<Follower>,
    /// Pages from before the thread was named.
    before: VecDeque<Box<[u8]>>,
    joiner: Joiner,
    worst: Worst,
    /// The first stimulus.
    first_ns: Option<u64>,
    keep: usize,
    kept: Vec<Matched>,
    events: u64,
    undecoded: u64,
    bad_pages: u64,
    first_bad: Option<String>,
}

impl Digest {
    /// Keeps the first `keep` matched wake-ups one by one.
    pub fn new(decoder: Decoder, layout: PageLayout, keep: usize) -> Self {
        Self {
            decoder,
            layout,
            processor: Processor::default(),
            follower: None,
            before: VecDeque::new(),
            joiner: Joiner::default(),
            worst: Worst::default(),
            first_ns: None,
            keep,
            kept: Vec::new(),
            events: 0,
            undecoded: 0,
            bad_pages: 0,
            first_bad: None,
        }
    }

    /// Names the thread whose wake-ups are wanted.
    pub fn watch(&mut self, thread: i32) {
        self.follower = Some(Follower::new(thread));
        for page in std::mem::take(&mut self.before) {
            self.page(&page);
        }
    }

    /// Whether a thread was named.
    pub fn watches(&self) -> bool {
        self.follower.is_some()
    }

    /// Takes the next response.
    pub fn sample(&mut self, sample: Sample) {
        self.first_ns.get_or_insert(sample.stimulus_ns);
        self.joiner.sample(sample);
    }

    /// Takes the next page. Until a thread is named the last few wait.
    pub fn page(&mut self, bytes: &[u8]) {
        if self.follower.is_none() {
            return self.put_aside(bytes);
        }
        if let Err(error) = self.walk(bytes) {
            self.bad_pages += 1;
            self.first_bad.get_or_insert_with(|| error.to_string());
            self.forget();
        }
        self.take_matches();
    }

    fn put_aside(&mut self, bytes: &[u8]) {
        if self.before.len() == PUT_ASIDE {
            self.before.pop_front();
        }
        self.before.push_back(bytes.into());
    }

    /// Everything that was found; `overwritten` is what the ring itself counted as lost.
    pub fn finish(mut self, overwritten: u64) -> TraceReport {
        if let Some(last) = self.follower.as_mut().and_then(Follower::finish) {
            self.wake_up(last, last.kernel_end());
        }
        self.take_matches();
        let warnings_of_reading = self.warnings();
        let (stages, self_check) = self.joiner.finish(overwritten + self.undecoded);
        let warnings = warnings_of_reading.into_iter().chain(warning_of_stages(&stages)).collect();
        let blamed = self.worst.blamed();
        let worst = worst_of(&blamed, self.first_ns.unwrap_or(0));
        let stages = Stages { worst, blamed: blamed.len() as u64, causes: totals(&blamed), ..stages };
        TraceReport { stages, self_check, blamed, kept: self.kept, events: self.events, warnings }
    }

    fn take_matches(&mut self) {
        while let Some(matched) = self.joiner.next_match() {
            self.worst.answered(&matched);
            if self.kept.len() < self.keep {
                self.kept.push(matched);
            }
        }
    }

    fn warnings(&self) -> Option<String> {
        let error = self.first_bad.as_ref()?;
        Some(format!("{} sub-buffers of the kernel's trace could not be read to their end: {error}", self.bad_pages))
    }

    fn walk(&mut self, bytes: &[u8]) -> Result<(), super::page::PageError> {
        let page = Page::new(bytes, &self.layout)?;
        if page.missed().is_some() {
            self.forget();
        }
        for record in page.records() {
            let record = record?;
            let Some(stamped) = self.decoder.decode(record.at_ns, record.data) else {
                self.undecoded += 1;
                continue;
            };
            self.events += 1;
            self.processor.push(&stamped);
            let follower = self.follower.as_mut();
            if let Some(wake_up) = follower.and_then(|follower| follower.push(&stamped, &self.processor)) {
                self.wake_up(wake_up, stamped.at_ns);
            }
        }
        Ok(())
    }

    /// `until_ns`: the event that completed it, up to which the processor's holders are known.
    fn wake_up(&mut self, wake_up: WakeUp, until_ns: u64) {
        if self.worst.admits(&wake_up) {
            let window = |from_ns, to_ns| self.processor.window(from_ns, to_ns);
            self.worst.push(Evidence::new(wake_up, until_ns, window));
        }
        self.joiner.wake_up(wake_up);
    }

    fn forget(&mut self) {
        self.processor.forget();
        if let Some(follower) = &mut self.follower {
            follower.forget();
        }
    }
}

/// The worst few as they stand in a run.
fn worst_of(blamed: &[Blamed], first_ns: u64) -> Vec<run::Worst> {
    let row = |blamed: &Blamed| run::Worst {
        seq: blamed.sample.seq,
        at: blamed.sample.stimulus_ns.saturating_sub(first_ns),
        value: blamed.blame.total(),
        blame: Some(blame_line(&blamed.blame)),
    };
    blamed.iter().take(STORED).map(row).collect()
}

fn warning_of_stages(stages: &Stages) -> Option<String> {
    if stages.events_lost > 0 {
        let Stages { events_lost, unmatched, .. } = stages;
        return Some(format!("the kernel's trace lost {events_lost} events; {unmatched} responses have no stages"));
    }
    let nothing = stages.matched == 0 && stages.unmatched > 0;
    nothing.then(|| "the kernel's trace shows no timed wake-up of the probe on its processor: no stages".to_string())
}
