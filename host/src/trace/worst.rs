// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps what is needed to blame the worst wake-ups, however many there are.
use super::blame::{Blame, Evidence};
use super::wakeup::WakeUp;
use std::collections::BTreeMap;

/// Wake-ups for which blame is kept.
const KEPT: usize = 100;

/// The wake-ups with the largest latencies by the kernel's stamps.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// By latency, then expiry.
    kept: BTreeMap<(u64, u64), Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    evidence: Evidence,
    answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    seq: u64,
    response_ns: u64,
}

impl Worst {
    /// Whether a wake-up is worth its evidence; nearly always no.
    pub fn admits(&self, wake_up: &WakeUp) -> bool {
        self.kept.len() < KEPT || self.kept.first_key_value().is_some_and(|(least, _)| key(wake_up) > *least)
    }

    /// Takes the evidence of a wake-up.
    pub fn push(&mut self, evidence: Evidence) {
        self.kept.insert(key(evidence.wake_up()), Kept { evidence, answer: None });
        if self.kept.len() > KEPT {
            self.kept.pop_first();
        }
    }

    /// The response to a wake-up is known. One before the switch to the thread means that the clocks disagree: no blame.
    pub fn answered(&mut self, wake_up: &WakeUp, seq: u64, response_ns: u64) {
        if let Some(kept) = self.kept.get_mut(&key(wake_up)) {
            kept.answer = (response_ns >= wake_up.switch_in_at).then_some(Answer { seq, response_ns });
        }
    }

    /// The blame of each kept response, by its number.
    pub fn blames(&self) -> BTreeMap<u64, Blame> {
        let answered = self.kept.values().filter_map(|kept| Some((&kept.evidence, kept.answer?)));
        answered.map(|(evidence, answer)| (answer.seq, evidence.blame(answer.response_ns))).collect()
    }
}

fn key(wake_up: &WakeUp) -> (u64, u64) {
    (wake_up.kernel_end().saturating_sub(wake_up.expiry_at), wake_up.expiry_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::event::Name;
    use crate::trace::processor::{Holder, Stretch};

    fn wake_up(expiry_at: u64, latency: u64) -> WakeUp {
        WakeUp {
            expiry_at,
            isr_at: expiry_at,
            isr_end_at: None,
            waking_at: expiry_at,
            switch_in_at: expiry_at + latency,
            sleep_end_at: None,
            thread: None,
            interrupted: None,
            line: Name::default(),
        }
    }

    fn push(worst: &mut Worst, wake_up: WakeUp) {
        if worst.admits(&wake_up) {
            let whole = |from_ns, to_ns| vec![Stretch { from_ns, to_ns, holder: Holder::Idle }];
            worst.push(Evidence::new(wake_up, 0, whole));
        }
    }

    #[test]
    fn the_largest_are_kept_in_whatever_order_they_come() {
        let mut worst = Worst::default();
        for index in 0..1_000 {
            let wake_up = wake_up(index * 10_000, index * 7_919 % 1_000);
            push(&mut worst, wake_up);
            worst.answered(&wake_up, index, wake_up.switch_in_at + 5);
        }
        let totals: Vec<u64> = worst.blames().values().map(Blame::total).collect();
        assert_eq!(totals.len(), KEPT);
        assert!(totals.iter().all(|total| *total >= 900 + 5));
    }

    #[test]
    fn a_response_before_the_switch_is_not_blamed() {
        let mut worst = Worst::default();
        let wake_up = wake_up(1_000, 500);
        push(&mut worst, wake_up);
        worst.answered(&wake_up, 0, 1_499);
        assert!(worst.blames().is_empty());
    }
}
