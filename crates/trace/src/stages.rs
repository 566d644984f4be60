// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides each response into its stages, and checks the probe's clock readings against the kernel's stamps.
//!
//! Two streams in order of time are joined by their common stimulus: the probe's samples and the kernel's wakeups. The stages
//! of a response sum to its latency exactly. Memory is bounded: a sample or wakeup that waits too long for its other half
//! counts as unmatched.
use crate::collection::largest::Largest;
use crate::collection::spread::{Difference, Spread};
use crate::thread::wakeup::WakeUp;
use backwall_model::SelfCheck;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// The stages, in order of time.
pub const STAGES: [&str; 4] = ["expiry to ISR", "ISR to waking", "waking to switch-in", "switch-in to thread"];
/// At most this many wakeups, and as many samples, wait for the other stream: 200 s at 5 kHz.
const WAITING_MAX: usize = 1_000_000;
/// How many of the longest responses without a wakeup are kept.
const UNSEEN: usize = 20;

/// One response as the probe saw it, on the trace's clock (CLOCK_MONOTONIC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Number of the stimulus.
    pub seq: u64,
    /// The programmed expiry.
    pub stimulus_ns: u64,
    /// The probe's clock reading.
    pub response_ns: u64,
}

impl Sample {
    /// Time from the stimulus to the response.
    pub fn latency(&self) -> u64 {
        self.response_ns.saturating_sub(self.stimulus_ns)
    }
}

/// A sample with the kernel's stamps of the same wakeup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StampedSample {
    /// The probe's half.
    pub sample: Sample,
    /// The kernel's half.
    pub wake_up: WakeUp,
}

impl StampedSample {
    /// Durations of the stages, which sum to the latency. If an interrupt for another timer began before the expiry, the first
    /// stage is 0. A stamp after the response counts as a stamp at the response.
    pub fn stages(&self) -> [u64; 4] {
        stages(&self.sample, &self.wake_up)
    }
}

#[inline(always)]
fn stages(sample: &Sample, wake_up: &WakeUp) -> [u64; 4] {
    let WakeUp { isr_at, waking_at, switch_in_at, .. } = *wake_up;
    let response = sample.response_ns.max(sample.stimulus_ns);
    let mut before = sample.stimulus_ns;
    [isr_at, waking_at, switch_in_at, response].map(|at| {
        let at = at.clamp(before, response);
        let stage = at - before;
        before = at;
        stage
    })
}

/// The two streams, joined.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Samples with all stages seen.
    pub matched: u64,
    /// Of `matched`, the samples without a recorded switch to the thread; backwall inferred the switch.
    pub inferred: u64,
    /// Samples with an unseen stage.
    pub unmatched: u64,
    /// Stages of the matched samples, in order of time; empty without a match.
    pub stage: Vec<backwall_model::Stage>,
    /// Durations of the largest matched response's stages; empty without a match.
    pub of_worst: Vec<u64>,
    /// The probe's clock readings against the kernel's stamps; `None` without a match.
    pub self_check: Option<SelfCheck>,
}

/// Joins the two streams.
#[derive(Clone, Debug)]
pub struct Joiner {
    samples: VecDeque<Sample>,
    wake_ups: VecDeque<WakeUp>,
    matched: u64,
    inferred: u64,
    unmatched: u64,
    unseen: Largest<UNSEEN, (u64, u64), Sample>,
    stages: [Spread; 4],
    worst: Option<StampedSample>,
    returned: Difference,
    switched: Difference,
}

impl Default for Joiner {
    fn default() -> Self {
        Self {
            samples: VecDeque::new(),
            wake_ups: VecDeque::new(),
            matched: 0,
            inferred: 0,
            unmatched: 0,
            unseen: Largest::default(),
            stages: std::array::from_fn(|_| Spread::default()),
            worst: None,
            returned: Difference::default(),
            switched: Difference::default(),
        }
    }
}

impl Joiner {
    /// Takes the next sample, in order of time.
    pub fn sample(&mut self, sample: Sample) {
        if self.samples.len() == WAITING_MAX {
            self.samples.pop_front().into_iter().for_each(|sample| self.unmatched(sample));
        }
        self.samples.push_back(sample);
    }

    /// Takes the next wakeup, in order of time. Returns the sample of this wakeup, if that is the next sample.
    #[inline]
    pub fn wake_up(&mut self, wake_up: &WakeUp) -> Option<Sample> {
        while let Some(sample) = self.samples.front().copied().filter(|_| self.wake_ups.is_empty()) {
            match sample.stimulus_ns.cmp(&wake_up.expiry_at) {
                Ordering::Greater => return None,
                Ordering::Equal => {
                    self.samples.pop_front();
                    self.count(&sample, wake_up);
                    return Some(sample);
                }
                Ordering::Less => {
                    self.samples.pop_front();
                    self.unmatched(sample);
                }
            }
        }
        if self.wake_ups.len() == WAITING_MAX {
            self.wake_ups.pop_front();
        }
        self.wake_ups.push_back(*wake_up);
        None
    }

    /// The next sample and wakeup of the same stimulus.
    pub fn next_match(&mut self) -> Option<StampedSample> {
        while let (Some(sample), Some(wake_up)) = (self.samples.front(), self.wake_ups.front()) {
            let (sample, wake_up) = (*sample, *wake_up);
            if wake_up.expiry_at <= sample.stimulus_ns {
                self.wake_ups.pop_front();
            }
            if sample.stimulus_ns <= wake_up.expiry_at {
                self.samples.pop_front();
            }
            if sample.stimulus_ns == wake_up.expiry_at {
                self.count(&sample, &wake_up);
                return Some(StampedSample { sample, wake_up });
            }
            if sample.stimulus_ns < wake_up.expiry_at {
                self.unmatched(sample);
            }
        }
        None
    }

    fn unmatched(&mut self, sample: Sample) {
        self.unmatched += 1;
        let key = (sample.latency(), sample.seq);
        if self.unseen.admits(&key) {
            self.unseen.push(key, sample);
        }
    }

    /// No more events follow, so all that still wait are unmatched. Returns the longest unmatched samples, longest first.
    pub fn close(&mut self) -> Vec<Sample> {
        while self.next_match().is_some() {}
        while let Some(sample) = self.samples.pop_front() {
            self.unmatched(sample);
        }
        self.unseen.values().copied().collect()
    }

    /// The result of all samples.
    pub fn finish(mut self) -> Joined {
        self.close();
        let check =
            self.returned.self_check("the probe's clock reading minus the kernel's stamp of the sleep's return");
        let check = check.or_else(|| {
            self.switched.self_check("the probe's clock reading minus the kernel's stamp of the switch to the probe")
        });
        Joined {
            matched: self.matched,
            inferred: self.inferred,
            unmatched: self.unmatched,
            stage: self.rows(),
            of_worst: self.worst.map_or(Vec::new(), |worst| worst.stages().to_vec()),
            self_check: check,
        }
    }

    fn rows(&self) -> Vec<backwall_model::Stage> {
        if self.matched == 0 {
            return Vec::new();
        }
        STAGES.iter().zip(&self.stages).map(|(name, spread)| spread.row(name)).collect()
    }

    fn count(&mut self, sample: &Sample, wake_up: &WakeUp) {
        self.matched += 1;
        self.inferred += u64::from(wake_up.inferred);
        let stages = stages(sample, wake_up);
        self.stages.iter_mut().zip(stages).for_each(|(spread, stage)| spread.record(stage));
        if self.worst.as_ref().is_none_or(|worst| sample.latency() > worst.sample.latency()) {
            self.worst = Some(StampedSample { sample: *sample, wake_up: *wake_up });
        }
        let against = if wake_up.sleep_end_at.is_some() { &mut self.returned } else { &mut self.switched };
        against.record(sample.response_ns.wrapping_sub(wake_up.kernel_end()) as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wake_up(expiry_at: u64, isr: u64, waking: u64, switch_in: u64, sleep_end: Option<u64>) -> WakeUp {
        WakeUp {
            expiry_at,
            isr_at: expiry_at + isr,
            waking_at: expiry_at + waking,
            switch_in_at: expiry_at + switch_in,
            sleep_end_at: sleep_end.map(|after| expiry_at + after),
            ..WakeUp::default()
        }
    }

    fn sample(seq: u64, stimulus_ns: u64, latency: u64) -> Sample {
        Sample { seq, stimulus_ns, response_ns: stimulus_ns + latency }
    }

    fn joined(samples: &[Sample], wake_ups: &[WakeUp]) -> Joined {
        let [mut late, mut early] = [Joiner::default(), Joiner::default()];
        wake_ups.iter().for_each(|wake_up| assert!(late.wake_up(wake_up).is_none()));
        samples.iter().for_each(|sample| [&mut late, &mut early].into_iter().for_each(|joiner| joiner.sample(*sample)));
        for wake_up in wake_ups {
            let _ = early.wake_up(wake_up).or_else(|| early.next_match().map(|matched| matched.sample));
        }
        let (late, early) = (late.finish(), early.finish());
        assert_eq!(format!("{late:?}"), format!("{early:?}"));
        early
    }

    #[test]
    fn known_stages_come_out_as_they_went_in() {
        let stages = joined(
            &[sample(0, 1_000, 100), sample(1, 2_000, 200)],
            &[wake_up(1_000, 10, 30, 70, Some(90)), wake_up(2_000, 20, 30, 170, Some(195))],
        );
        assert_eq!((stages.matched, stages.unmatched), (2, 0));
        let rows: Vec<_> = stages.stage.iter().map(|row| (row.name.as_str(), row.min, row.mean, row.max)).collect();
        assert_eq!(
            rows,
            [
                ("expiry to ISR", 10, 15.0, 20),
                ("ISR to waking", 10, 15.0, 20),
                ("waking to switch-in", 40, 90.0, 140),
                ("switch-in to thread", 30, 30.0, 30),
            ]
        );
        assert_eq!(stages.of_worst, [20, 10, 140, 30]);
        let check = stages.self_check.unwrap();
        assert_eq!((check.compared, check.min_ns, check.p50_ns, check.max_ns), (2, 5, 5, 10));
    }

    #[test]
    fn an_interrupt_begun_before_the_expiry_makes_the_first_stage_nothing() {
        let mut early = wake_up(1_000, 0, 30, 70, None);
        early.isr_at = 990;
        let matched = StampedSample { sample: sample(0, 1_000, 100), wake_up: early };
        assert_eq!(matched.stages(), [0, 30, 40, 30]);
    }

    #[test]
    fn our_error_may_be_negative_and_without_the_sleeps_return_the_switch_is_compared() {
        let stages = joined(&[sample(0, 1_000, 65)], &[wake_up(1_000, 10, 30, 70, None)]);
        let check = stages.self_check.unwrap();
        assert_eq!((check.min_ns, check.p50_ns, check.p99_ns, check.max_ns), (-5, -5, -5, -5));
        assert!(check.what.contains("switch"));
    }

    #[test]
    fn samples_without_a_wake_up_are_counted_and_wake_ups_without_a_sample_are_not() {
        let wake_ups: Vec<_> = [0, 1_000, 3_000].map(|expiry| wake_up(expiry, 1, 2, 3, None)).into();
        let stages = joined(&[sample(0, 1_000, 9), sample(1, 2_000, 9), sample(2, 4_000, 9)], &wake_ups);
        assert_eq!((stages.matched, stages.unmatched), (1, 2));
    }

    #[test]
    fn nothing_matched_gives_no_rows() {
        let stages = joined(&[sample(0, 1_000, 9)], &[]);
        assert_eq!((stages.matched, stages.unmatched, stages.stage.len()), (0, 1, 0));
        assert!(stages.self_check.is_none());
    }

    proptest! {
        #[test]
        fn stages_sum_to_the_latency_whatever_the_stamps(stimulus in 0u64..1 << 40, latency in 0u64..1 << 30, stamps in proptest::array::uniform3(0u64..1 << 41)) {
            let [isr_at, waking_at, switch_in_at] = stamps;
            let wake_up = WakeUp { isr_at, waking_at, switch_in_at, ..wake_up(stimulus, 0, 0, 0, None) };
            let matched = StampedSample { sample: sample(0, stimulus, latency), wake_up };
            prop_assert_eq!(matched.stages().iter().sum::<u64>(), latency);
        }

        #[test]
        fn every_sample_is_matched_or_unmatched(samples in proptest::collection::btree_set(0u64..300, 0..99), wake_ups in proptest::collection::btree_set(0u64..300, 0..99)) {
            let both = samples.intersection(&wake_ups).count() as u64;
            let total = samples.len() as u64;
            let samples: Vec<_> = samples.iter().map(|at| sample(*at, *at, 5)).collect();
            let wake_ups: Vec<_> = wake_ups.iter().map(|at| wake_up(*at, 1, 2, 3, None)).collect();
            let stages = joined(&samples, &wake_ups);
            prop_assert_eq!((stages.matched, stages.matched + stages.unmatched), (both, total));
        }
    }
}
