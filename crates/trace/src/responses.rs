// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responses of one thread: samples joined with wake-ups, and the worst with their evidence.
use super::evidence::Evidence;
use super::processor::Processor;
use super::stages::{Joiner, Sample, StampedSample};
use super::wakeup::WakeUp;
use super::worst::WorstWakeups;

#[derive(Clone, Debug, Default)]
pub(super) struct Responses {
    pub(super) joiner: Joiner,
    pub(super) worst: WorstWakeups,
    pub(super) kept: Vec<StampedSample>,
    keep: usize,
}

impl Responses {
    pub(super) fn keeping(keep: usize) -> Self {
        Self { keep, ..Self::default() }
    }

    pub(super) fn sample(&mut self, sample: Sample) {
        self.joiner.sample(sample);
    }

    /// Takes the next wake-up, which ended with the last event of `processor`.
    #[inline(always)]
    pub(super) fn wake_up(&mut self, wake_up: &WakeUp, processor: &Processor) {
        let sample = self.joiner.wake_up(wake_up);
        if self.worst.admits(wake_up, sample.as_ref()) {
            self.take_evidence(wake_up, sample.as_ref(), processor);
        }
        if let (Some(sample), true) = (sample, self.kept.len() < self.keep) {
            self.kept.push(StampedSample { sample, wake_up: *wake_up });
        }
    }

    #[cold]
    #[inline(never)]
    fn take_evidence(&mut self, wake_up: &WakeUp, response: Option<&Sample>, processor: &Processor) {
        let window = |from_ns, to_ns| processor.window(from_ns, to_ns);
        self.worst.push(Evidence::new(*wake_up, window), response);
    }

    pub(super) fn join(&mut self) {
        while let Some(matched) = self.joiner.next_match() {
            self.worst.answered(&matched);
            if self.kept.len() < self.keep {
                self.kept.push(matched);
            }
        }
    }
}
