// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two readings, each one pass over a recorded stretch.
use super::{CUT, Counts, LOST, Polarity, Reading, Rule};
use crate::scope::edges::Line;
use crate::scope::tick::Tick;

/// Gathers the readings of all stretches of a capture.
pub(super) struct Reader<'a> {
    response: &'a Line,
    rule: &'a Rule,
    in_order: Reading,
    nearest: Reading,
    early: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(response: &'a Line, rule: &'a Rule, stimuli: usize) -> Self {
        let empty = || Reading { counts: Counts::default(), outcomes: Vec::with_capacity(stimuli) };
        Reader { response, rule, in_order: empty(), nearest: empty(), early: 0 }
    }

    /// One stretch, recorded up to `end`.
    pub(super) fn read(&mut self, stimuli: &[Tick], responses: &[Tick], end: Tick) {
        let first = stimuli.first().copied().unwrap_or(Tick::MAX);
        let early = responses.partition_point(|at| *at < first);
        let responses = &responses[early..];
        self.early += early as u64;
        let stretch = Stretch { response: self.response, rule: self.rule, stimuli, end };
        stretch.add(&mut self.in_order, in_order(stimuli, responses));
        stretch.add(&mut self.nearest, nearest(stimuli, responses));
    }

    pub(super) fn finish(self) -> (Reading, Reading, u64) {
        (self.in_order, self.nearest, self.early)
    }
}

/// Latency or LOST by stimulus, and the responses that answer none.
type Answers = (Vec<u64>, u64);

/// A response answers the oldest stimulus that has none yet. No response is before the first stimulus.
fn in_order(stimuli: &[Tick], responses: &[Tick]) -> Answers {
    let mut latencies = vec![LOST; stimuli.len()];
    let (mut oldest, mut duplicate) = (0, 0);
    for response in responses {
        if stimuli.get(oldest).is_some_and(|stimulus| stimulus <= response) {
            latencies[oldest] = response.0 - stimuli[oldest].0;
            oldest += 1;
        } else {
            duplicate += 1;
        }
    }
    (latencies, duplicate)
}

/// A response answers the newest stimulus, or the one before it. No response is before the first stimulus.
fn nearest(stimuli: &[Tick], responses: &[Tick]) -> Answers {
    let mut latencies = vec![LOST; stimuli.len()];
    let (mut newest, mut duplicate) = (0, 0);
    for response in responses {
        while stimuli.get(newest + 1).is_some_and(|stimulus| stimulus <= response) {
            newest += 1;
        }
        let unanswered = [Some(newest), newest.checked_sub(1)].into_iter().flatten().find(|n| latencies[*n] == LOST);
        match unanswered {
            Some(number) => latencies[number] = response.0 - stimuli[number].0,
            None => duplicate += 1,
        }
    }
    (latencies, duplicate)
}

struct Stretch<'a> {
    response: &'a Line,
    rule: &'a Rule,
    stimuli: &'a [Tick],
    end: Tick,
}

impl Stretch<'_> {
    fn add(&self, reading: &mut Reading, (mut latencies, duplicate): Answers) {
        let counts = &mut reading.counts;
        counts.duplicate += duplicate;
        if self.last_is_cut(&latencies) {
            counts.cut += 1;
            *latencies.last_mut().expect("a last stimulus") = CUT;
        }
        let mut busy_until = Tick(0); // the last answer so far, Tick::MAX while one is owed
        for (number, &latency) in latencies.iter().enumerate() {
            let at = self.stimuli[number];
            match latency {
                CUT => continue,
                LOST if busy_until > at || self.is_active_before(at) => counts.coalesced += 1,
                LOST => counts.missed += 1,
                _ => {
                    counts.done += 1;
                    counts.late += u64::from(latency > self.deadline(number).0);
                }
            }
            busy_until = if latency == LOST { Tick::MAX } else { Tick(at.0 + latency) };
        }
        counts.lost = counts.missed + counts.coalesced;
        counts.due = counts.done + counts.lost;
        reading.outcomes.append(&mut latencies);
    }

    /// Whether the stretch ended before the last stimulus could have been answered.
    fn last_is_cut(&self, latencies: &[u64]) -> bool {
        let last = self.stimuli.len().wrapping_sub(1);
        latencies.last() == Some(&LOST)
            && self.window(last).is_none_or(|window| self.end.since(self.stimuli[last]) < window)
    }

    /// From this stimulus to the next; for the last one the distance before it.
    fn window(&self, number: usize) -> Option<Tick> {
        let from = if number + 1 < self.stimuli.len() { number } else { number.checked_sub(1)? };
        Some(self.stimuli[from + 1].since(self.stimuli[from]))
    }

    fn deadline(&self, number: usize) -> Tick {
        self.rule.deadline.or_else(|| self.window(number)).unwrap_or(Tick::MAX)
    }

    fn is_active_before(&self, at: Tick) -> bool {
        self.response.level_before(at) == (self.rule.response == Polarity::Rise)
    }
}
