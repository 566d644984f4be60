// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two assignments, each one pass over a recorded stretch.
use super::{Assignment, CUT, Counts, LOST, PairingRule};
use crate::scope::edges::{Edge, Line};
use crate::scope::tick::Tick;

/// Gathers the assignments of all stretches of a capture.
pub(super) struct Reader<'a> {
    response: &'a Line,
    rule: &'a PairingRule,
    in_order: Assignment,
    nearest: Assignment,
    early: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(response: &'a Line, rule: &'a PairingRule, stimuli: usize) -> Self {
        let empty = || Assignment { counts: Counts::default(), fates: Vec::with_capacity(stimuli) };
        Reader { response, rule, in_order: empty(), nearest: empty(), early: 0 }
    }

    /// One stretch, recorded up to `end`: its stimuli, and the edges of the response line.
    pub(super) fn read(&mut self, stimuli: &[Tick], edges: &[Edge], end: Tick) {
        let first = stimuli.first().copied().unwrap_or(Tick::MAX);
        let (before, asked) = edges.split_at(edges.partition_point(|edge| edge.at() < first));
        self.early += responses(before, self.rule).count() as u64;
        let stretch = Stretch { response: self.response, rule: self.rule, stimuli, end };
        stretch.add(&mut self.in_order, |latencies| in_order(stimuli, responses(asked, self.rule), latencies));
        stretch.add(&mut self.nearest, |latencies| nearest(stimuli, responses(asked, self.rule), latencies));
    }

    pub(super) fn finish(self) -> (Assignment, Assignment, u64) {
        (self.in_order, self.nearest, self.early)
    }
}

fn responses<'a>(edges: &'a [Edge], rule: &'a PairingRule) -> impl Iterator<Item = Tick> + use<'a> {
    edges.iter().filter(|edge| rule.answers(**edge)).map(|edge| edge.at())
}

/// A response answers the oldest stimulus that has none yet.
///
/// Puts each latency into the place of its stimulus, where LOST stands before; gives the number of responses that
/// answer none. No response is before the first stimulus.
fn in_order(stimuli: &[Tick], responses: impl Iterator<Item = Tick>, latencies: &mut [u64]) -> u64 {
    let (mut oldest, mut duplicate) = (0, 0);
    for response in responses {
        if stimuli.get(oldest).is_some_and(|stimulus| *stimulus <= response) {
            latencies[oldest] = response.0 - stimuli[oldest].0;
            oldest += 1;
        } else {
            duplicate += 1;
        }
    }
    duplicate
}

/// A response answers the newest stimulus, or the one before it; else like [`in_order`].
fn nearest(stimuli: &[Tick], responses: impl Iterator<Item = Tick>, latencies: &mut [u64]) -> u64 {
    let (mut newest, mut duplicate) = (0, 0);
    for response in responses {
        while stimuli.get(newest + 1).is_some_and(|stimulus| *stimulus <= response) {
            newest += 1;
        }
        if latencies[newest] == LOST {
            latencies[newest] = response.0 - stimuli[newest].0;
        } else if newest > 0 && latencies[newest - 1] == LOST {
            latencies[newest - 1] = response.0 - stimuli[newest - 1].0;
        } else {
            duplicate += 1;
        }
    }
    duplicate
}

/// From this stimulus to the next; for the last one the distance before it.
pub(super) fn window(stimuli: &[Tick], number: usize) -> Option<Tick> {
    let from = if number + 1 < stimuli.len() { number } else { number.checked_sub(1)? };
    Some(stimuli[from + 1].since(stimuli[from]))
}

struct Stretch<'a> {
    response: &'a Line,
    rule: &'a PairingRule,
    stimuli: &'a [Tick],
    end: Tick,
}

impl Stretch<'_> {
    /// Lets `read` fill in the latencies of this stretch, and counts them.
    fn add(&self, assignment: &mut Assignment, read: impl Fn(&mut [u64]) -> u64) {
        let from = assignment.fates.len();
        assignment.fates.resize(from + self.stimuli.len(), LOST);
        let latencies = &mut assignment.fates[from..];
        assignment.counts.duplicate += read(latencies);
        if self.last_is_cut(latencies) {
            *latencies.last_mut().expect("a last stimulus") = CUT;
        }
        self.count(latencies, &mut assignment.counts);
    }

    fn count(&self, latencies: &[u64], counts: &mut Counts) {
        let mut busy_until = Tick(0); // the last answer so far, Tick::MAX while one is owed
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
            busy_until = if latency < CUT { Tick(at.0 + latency) } else { Tick::MAX };
        }
        counts.lost = counts.missed + counts.coalesced;
        counts.due = counts.done + counts.lost;
    }

    /// Whether the stretch ended before the last stimulus could have been answered.
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
