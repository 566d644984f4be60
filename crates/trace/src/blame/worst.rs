// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps the evidence of the worst wakeups only, so that memory does not grow with their number.
use crate::blame::Blame;
use crate::blame::evidence::Evidence;
use crate::collection::largest::Largest;
use crate::stages::{Sample, StampedSample};
use crate::thread::wakeup::WakeUp;
use std::cmp::Reverse;

const KEPT: usize = 100;

/// The wakeups with the largest latencies; among equal ones the earliest. If the response is not known yet, the latency lasts
/// to the end of the wakeup, which is never before the response.
#[derive(Clone, Debug, Default)]
pub struct WorstWakeups {
    kept: Largest<KEPT, Key, Kept>,
}

/// Sorts by latency; equal latencies from the latest expiry to the earliest.
type Key = (u64, Reverse<u64>);

#[derive(Clone, Debug)]
struct Kept {
    evidence: Evidence,
    sample: Option<Sample>,
}

impl Kept {
    fn blamed(&self) -> Option<DividedResponse> {
        let sample = self.sample?;
        Some(DividedResponse { sample, blame: self.evidence.blame(sample.response_ns) })
    }
}

/// A response with its divided latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DividedResponse {
    /// When stimulus and response came.
    pub sample: Sample,
    /// Who used the time; the shares sum to the latency.
    pub blame: Blame,
}

impl WorstWakeups {
    /// Whether a wakeup is among the worst, so that its evidence must be kept; nearly always it is not.
    pub fn admits(&self, wake_up: &WakeUp, response: Option<&Sample>) -> bool {
        self.kept.admits(&key(wake_up, response))
    }

    /// Keeps the evidence of a wakeup, with its response if known.
    pub fn push(&mut self, evidence: Evidence, response: Option<&Sample>) {
        let (key, sample) =
            (key(evidence.wake_up(), response), response.and_then(|sample| sound(evidence.wake_up(), sample)));
        self.kept.push(key, Kept { evidence, sample });
    }

    /// Adds the response to a kept wakeup.
    pub fn answered(&mut self, matched: &StampedSample) {
        let StampedSample { sample, wake_up } = matched;
        let before = key(wake_up, None);
        if self.kept.least().is_some_and(|least| before >= *least)
            && let Some(kept) = self.kept.take(&before)
        {
            self.kept.push(key(wake_up, Some(sample)), Kept { sample: sound(wake_up, sample), ..kept });
        }
    }

    /// The largest known response longer than `above_ns`.
    pub fn largest(&self, above_ns: u64) -> Option<DividedResponse> {
        let largest = self.kept.values().filter(|kept| kept.sample.is_some_and(|sample| sample.latency() > above_ns));
        largest.min_by_key(|kept| Reverse(kept.sample.map(|sample| sample.latency()))).and_then(Kept::blamed)
    }

    /// The kept responses with their divided latencies, largest first.
    pub fn blamed(&self) -> Vec<DividedResponse> {
        let mut blamed: Vec<_> = self.kept.values().filter_map(Kept::blamed).collect();
        blamed.sort_by_key(|blamed| (Reverse(blamed.blame.total()), blamed.sample.stimulus_ns));
        blamed
    }
}

fn key(wake_up: &WakeUp, response: Option<&Sample>) -> Key {
    let until = || wake_up.kernel_end().max(wake_up.ended_at).saturating_sub(wake_up.expiry_at);
    (response.map_or_else(until, Sample::latency), Reverse(wake_up.expiry_at))
}

/// A response before the switch to the thread shows that the clocks disagree, so the wakeup gets no blame. A response before an
/// inferred switch is possible, but not one before the thread was made ready.
fn sound(wake_up: &WakeUp, sample: &Sample) -> Option<Sample> {
    let since_ns = if wake_up.inferred { wake_up.waking_at } else { wake_up.switch_in_at };
    (sample.response_ns >= since_ns).then_some(*sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processor::Stretch;

    fn wake_up(expiry_at: u64, latency: u64) -> WakeUp {
        let at = expiry_at;
        WakeUp { expiry_at, isr_at: at, waking_at: at, switch_in_at: at + latency, ..WakeUp::default() }
    }

    fn push(worst: &mut WorstWakeups, wake_up: WakeUp) {
        if worst.admits(&wake_up, None) {
            let whole = |from_ns, to_ns| vec![Stretch { from_ns, to_ns, ..Stretch::default() }];
            worst.push(Evidence::new(wake_up, whole), None);
        }
    }

    // `after_ns` is the time from the switch to the response.
    fn answered(seq: u64, wake_up: WakeUp, after_ns: i64) -> StampedSample {
        let response_ns = wake_up.switch_in_at.wrapping_add_signed(after_ns);
        StampedSample { sample: Sample { seq, stimulus_ns: wake_up.expiry_at, response_ns }, wake_up }
    }

    #[test]
    fn the_largest_are_kept_in_whatever_order_they_come() {
        let mut worst = WorstWakeups::default();
        for index in 0..1_000 {
            let wake_up = wake_up(index * 10_000, index * 7_919 % 1_000);
            push(&mut worst, wake_up);
            worst.answered(&answered(index, wake_up, 5));
        }
        let totals: Vec<u64> = worst.blamed().iter().map(|blamed| blamed.blame.total()).collect();
        assert!(totals.is_sorted_by(|a, b| a >= b));
        assert_eq!(totals.len(), KEPT);
        assert!(totals.iter().all(|total| *total >= 900 + 5));
    }

    #[test]
    fn what_comes_after_the_sleeps_return_counts_and_a_long_way_to_the_next_timer_does_not() {
        let mut worst = WorstWakeups::default();
        for index in 0..1_000 {
            let quick = wake_up(index * 10_000, 5);
            let long_way = WakeUp { ended_at: quick.switch_in_at + 9_000, ..quick };
            push(&mut worst, long_way);
            worst.answered(&answered(index, long_way, if index == 7 { 8_000 } else { index as i64 % 50 }));
        }
        let totals: Vec<u64> = worst.blamed().iter().map(|blamed| blamed.blame.total()).collect();
        assert_eq!((totals.len(), totals[0], totals[1]), (KEPT, 8_005, 54));
        assert!(totals.iter().all(|total| *total >= 45 + 5), "{totals:?}");
    }

    #[test]
    fn a_response_before_the_switch_is_not_blamed() {
        let mut worst = WorstWakeups::default();
        let wake_up = wake_up(1_000, 500);
        push(&mut worst, wake_up);
        worst.answered(&answered(0, wake_up, -1));
        assert!(worst.blamed().is_empty());
    }

    #[test]
    fn a_response_before_a_switch_that_is_inferred_is_blamed_up_to_itself() {
        let mut worst = WorstWakeups::default();
        let inferred = WakeUp { waking_at: 1_400, inferred: true, ..wake_up(1_000, 500) };
        push(&mut worst, inferred);
        worst.answered(&answered(0, inferred, -20));
        let totals: Vec<u64> = worst.blamed().iter().map(|blamed| blamed.blame.total()).collect();
        assert_eq!(totals, [480]);
        let early = WakeUp { waking_at: 3_400, inferred: true, ..wake_up(3_000, 500) };
        push(&mut worst, early);
        worst.answered(&answered(1, early, -101));
        assert_eq!(worst.blamed().len(), 1, "before it was made ready the clocks disagree");
    }
}
