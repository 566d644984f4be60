// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes the assignments, each in one pass over a recorded part. If the answers come in the order of the stimuli, one pass
//! serves for two assignments.
use super::{Assignment, CUT, Counts, LOST, PairingRule};
use crate::edges::{Edge, Line};
use crate::tick::Tick;
use std::sync::Arc;

pub(super) struct Stretch<'a> {
    pub(super) response: &'a Line,
    pub(super) rule: &'a PairingRule,
    pub(super) stimuli: &'a [Tick],
    /// The edges of the response line after the first stimulus.
    pub(super) asked: &'a [Edge],
    pub(super) end: Tick,
}

/// The assignments *in order* and *nearest*.
///
/// They are the same if the first response answers the first stimulus, the second response the second, and so on.
pub(super) fn both(stretches: &[Stretch]) -> (Assignment, Assignment) {
    let (nearest, in_turn) = assign(stretches, |stretch, latencies| stretch.newest(latencies, true));
    let in_order =
        if in_turn { nearest.clone() } else { assign(stretches, |stretch, latencies| stretch.in_order(latencies)).0 };
    (in_order, nearest)
}

/// The assignment *at once*. It can differ from *nearest* only for a device that answers some stimuli late and some twice; for
/// any other device it would invent duplicates.
pub(super) fn at_once(stretches: &[Stretch], nearest: &Assignment) -> Assignment {
    if nearest.counts.late == 0 || nearest.counts.duplicate == 0 {
        return nearest.clone();
    }
    assign(stretches, |stretch, latencies| stretch.newest(latencies, false)).0
}

/// Assigns by one rule. `by` writes each latency to the place of its stimulus, which contained LOST before, and returns the
/// number of responses that answer no stimulus. Also returns whether the responses come in the order of the stimuli.
fn assign(stretches: &[Stretch], by: impl Fn(&Stretch, &mut [u64]) -> u64) -> (Assignment, bool) {
    let stimuli = stretches.iter().map(|stretch| stretch.stimuli.len()).sum();
    let (mut counts, mut fates, mut in_turn) = (Counts::default(), vec![LOST; stimuli], true);
    let mut rest = &mut fates[..];
    for stretch in stretches {
        let latencies;
        (latencies, rest) = rest.split_at_mut(stretch.stimuli.len());
        let duplicate = by(stretch, latencies);
        if stretch.last_is_cut(latencies) {
            *latencies.last_mut().expect("a last stimulus") = CUT;
        }
        in_turn &= stretch.count(latencies, &mut counts) && duplicate == 0;
        counts.duplicate += duplicate;
    }
    (Assignment { counts, fates: Arc::new(fates) }, in_turn)
}

pub(super) fn responses<'a>(edges: &'a [Edge], rule: &'a PairingRule) -> impl Iterator<Item = Tick> + use<'a> {
    edges.iter().filter(|edge| rule.answers(**edge)).map(|edge| edge.at())
}

/// Time from this stimulus to the next; for the last one the time since the previous stimulus.
pub(super) fn window(stimuli: &[Tick], number: usize) -> Option<Tick> {
    let from = if number + 1 < stimuli.len() { number } else { number.checked_sub(1)? };
    Some(stimuli[from + 1].since(stimuli[from]))
}

impl Stretch<'_> {
    /// A response answers the oldest stimulus that has no answer yet.
    fn in_order(&self, latencies: &mut [u64]) -> u64 {
        let (mut oldest, mut duplicate) = (0, 0);
        for response in responses(self.asked, self.rule) {
            if self.stimuli.get(oldest).is_some_and(|stimulus| *stimulus <= response) {
                latencies[oldest] = response.0 - self.stimuli[oldest].0;
                oldest += 1;
            } else {
                duplicate += 1;
            }
        }
        duplicate
    }

    // A response answers the newest stimulus or, with `or_before`, the one before it.
    fn newest(&self, latencies: &mut [u64], or_before: bool) -> u64 {
        let (mut newest, mut duplicate) = (0, 0);
        for response in responses(self.asked, self.rule) {
            while self.stimuli.get(newest + 1).is_some_and(|stimulus| *stimulus <= response) {
                newest += 1;
            }
            let is_free = |number: &usize| latencies[*number] == LOST;
            let before = || newest.checked_sub(1).filter(|_| or_before).filter(is_free);
            match Some(newest).filter(is_free).or_else(before) {
                Some(number) => latencies[number] = response.0 - self.stimuli[number].0,
                None => duplicate += 1,
            }
        }
        duplicate
    }

    /// Adds to the counts. Returns whether the answers came in the order of the stimuli and no stimulus before an answered one
    /// was left out.
    fn count(&self, latencies: &[u64], counts: &mut Counts) -> bool {
        let mut busy_until = Tick(0); // time of the last answer; Tick::MAX while an answer is still to come
        let mut in_turn = true;
        for (number, (&latency, &at)) in latencies.iter().zip(self.stimuli).enumerate() {
            match latency {
                CUT => counts.cut += 1,
                LOST if busy_until > at || self.is_active_before(at) => counts.coalesced += 1,
                LOST => counts.missed += 1,
                _ => {
                    counts.done += 1;
                    counts.late += u64::from(latency > self.deadline(number).0);
                }
            }
            let answer = if latency < CUT { Tick(at.0 + latency) } else { Tick::MAX };
            in_turn &= busy_until <= answer;
            busy_until = answer;
        }
        counts.lost = counts.missed + counts.coalesced;
        counts.due = counts.done + counts.lost;
        in_turn
    }

    /// Whether the recording ended before the last stimulus could have been answered.
    fn last_is_cut(&self, latencies: &[u64]) -> bool {
        let last = self.stimuli.len().wrapping_sub(1);
        latencies.last() == Some(&LOST)
            && self.window(last).is_none_or(|window| self.end.since(self.stimuli[last]) < window)
    }

    fn window(&self, number: usize) -> Option<Tick> {
        window(self.stimuli, number)
    }

    fn deadline(&self, number: usize) -> Tick {
        self.rule.deadline.or_else(|| self.window(number)).unwrap_or(Tick::MAX)
    }

    fn is_active_before(&self, at: Tick) -> bool {
        self.response.level_before(at) == self.rule.response.active()
    }
}
