// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responses of one thread: samples joined with wakeups, and the worst ones with their evidence.
use crate::blame::evidence::Evidence;
use crate::blame::worst::WorstWakeups;
use crate::processor::Processor;
use crate::stages::{Joiner, Sample, StampedSample};
use crate::thread::wakeup::WakeUp;

#[derive(Clone, Debug, Default)]
pub(crate) struct Responses {
    pub(crate) joiner: Joiner,
    pub(crate) worst: WorstWakeups,
    pub(crate) kept: Vec<StampedSample>,
    keep: usize,
}

impl Responses {
    pub(crate) fn keeping(keep: usize) -> Self {
        Self { keep, ..Self::default() }
    }

    pub(crate) fn sample(&mut self, sample: Sample) {
        self.joiner.sample(sample);
    }

    /// Takes the next wakeup, which ended with the last event of `processor`.
    #[inline(always)]
    pub(crate) fn wake_up(&mut self, wake_up: &WakeUp, processor: &Processor) {
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

    pub(crate) fn join(&mut self) {
        while let Some(matched) = self.joiner.next_match() {
            self.worst.answered(&matched);
            if self.kept.len() < self.keep {
                self.kept.push(matched);
            }
        }
    }
}
