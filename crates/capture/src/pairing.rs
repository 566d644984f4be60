// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decides which response answers which stimulus. Where a capture is ambiguous, this module makes three assignments.
//!
//! Edges carry no names. A response after the next stimulus may be a late answer to the first stimulus or a prompt answer to the
//! second; a device that coalesces stimuli makes both cases look alike. So every capture is read in these three ways, and the
//! assignments are compared:
//!
//! - *in order*: nothing is lost, everything may be late. A response answers the oldest stimulus without
//!   an answer. Right for a device that queues stimuli.
//! - *nearest*: nothing is later than one stimulus. A response answers the newest stimulus before it;
//!   if that has an answer, the previous stimulus; otherwise it is a duplicate. Right for a device that
//!   remembers one pending stimulus, as an interrupt latch and an auto-reset event do.
//! - *at once*: nothing is answered after the next stimulus. A response answers the newest stimulus before it,
//!   or is a duplicate. Right for a device that misses some stimuli and answers others twice.
mod assignments;
#[cfg(test)]
mod tests;

use super::edges::{Edge, Edges, Line};
use super::tick::{Tick, TickRate};
use assignments::Stretch;
use backwall_model::units::grouped;
use backwall_model::{Slope, Warning};
use std::borrow::Cow;
use std::sync::Arc;

/// Which change of level counts as an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Polarity {
    /// Low to high
    #[default]
    Rise,
    /// High to low
    Fall,
}

impl From<Slope> for Polarity {
    fn from(slope: Slope) -> Self {
        match slope {
            Slope::Rise => Self::Rise,
            Slope::Fall => Self::Fall,
        }
    }
}

impl From<Polarity> for Slope {
    fn from(polarity: Polarity) -> Self {
        match polarity {
            Polarity::Rise => Self::Rise,
            Polarity::Fall => Self::Fall,
        }
    }
}

impl Polarity {
    #[inline]
    fn begins(self, edge: Edge) -> bool {
        edge.level() == self.active()
    }

    fn active(self) -> bool {
        self == Polarity::Rise
    }
}

/// How stimuli and responses are found in their lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairingRule {
    /// The edge that counts as a stimulus.
    pub stimulus: Polarity,
    /// The edge that begins a response's pulse.
    pub response: Polarity,
    /// Shorter response pulses are glitches: they are counted, but are not responses. With 0 every pulse is a response.
    pub shortest_pulse: Tick,
    /// An answer after this time is late. With `None`, an answer after the next stimulus is late.
    pub deadline: Option<Tick>,
}

impl PairingRule {
    #[inline]
    fn answers(&self, edge: Edge) -> bool {
        self.response.begins(edge)
    }
}

/// What happened to one stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The stimulus was answered after this time.
    Answered(Tick),
    /// Not answered.
    Lost,
    /// The recording ended or paused before the stimulus could be answered, so it was not due.
    Cut,
}

/// The counts of one assignment: `due = done + missed + unseen` and `lost = missed + coalesced`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Stimuli whose whole time for an answer was recorded.
    pub due: u64,
    /// Answered stimuli.
    pub done: u64,
    /// Stimuli without an answer.
    pub lost: u64,
    /// Lost although the device had answered every earlier stimulus, and the response line was inactive.
    pub missed: u64,
    /// Lost while the device was busy: an earlier stimulus had no answer yet, or the response line was still active.
    pub coalesced: u64,
    /// Answers after the deadline.
    pub late: u64,
    /// Responses that belong to no stimulus.
    pub duplicate: u64,
    /// Stimuli that were not due, because the capture ended or paused before they could be answered.
    pub cut: u64,
}

/// One interpretation of the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Numbers of answered, missed and other stimuli.
    pub counts: Counts,
    fates: Arc<Vec<u64>>, // for each stimulus its latency, LOST or CUT
}

const LOST: u64 = u64::MAX;
const CUT: u64 = u64::MAX - 1;

impl Assignment {
    /// The fate of each stimulus, in order.
    pub fn fates(&self) -> impl ExactSizeIterator<Item = Fate> + '_ {
        self.fates.iter().map(|fate| match *fate {
            LOST => Fate::Lost,
            CUT => Fate::Cut,
            latency => Fate::Answered(Tick(latency)),
        })
    }

    /// Whether the stimulus with this number was answered.
    pub fn is_answered(&self, number: usize) -> bool {
        self.fates.get(number).is_some_and(|fate| *fate < CUT)
    }

    /// The latencies of the answered stimuli in this range of numbers, in order.
    pub fn latencies(&self, numbers: std::ops::Range<usize>) -> impl Iterator<Item = Tick> + '_ {
        let fates = self.fates.get(numbers).unwrap_or_default();
        fates.iter().filter(|fate| **fate < CUT).map(|latency| Tick(*latency))
    }

    /// Number of stimuli of the same capture whose fate differs in `other`.
    fn differing(&self, other: &Assignment) -> u64 {
        let same = Arc::ptr_eq(&self.fates, &other.fates);
        let differing = || self.fates.iter().zip(&*other.fates).filter(|(a, b)| a != b).count() as u64;
        if same { 0 } else { differing() }
    }
}

/// A response line and its stimuli.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Times of the stimuli while the recording ran. The response lines share them.
    pub stimuli: Arc<Vec<Tick>>,
    /// How many of the first stimuli are warmup.
    pub warmup: u64,
    /// Each response answers the oldest unanswered stimulus.
    pub in_order: Assignment,
    /// Each response answers the newest stimulus before it, or the previous one if that is already answered.
    pub nearest: Assignment,
    /// Each response answers the newest stimulus before it, never an earlier one.
    pub at_once: Assignment,
    /// Stimuli whose fate differs between the assignments.
    pub ambiguous: u64,
    /// Responses before the first stimulus, or before the first one after a gap.
    pub early: u64,
    /// Response pulses too short to count.
    pub glitches: u64,
}

impl Pairing {
    /// Numbers of the stimuli after the warmup.
    pub fn measured(&self) -> std::ops::Range<usize> {
        self.stimuli.len().min(self.warmup as usize)..self.stimuli.len()
    }

    /// Each answered stimulus with the time of its answer, from the nearest assignment.
    pub fn answered(&self) -> impl Iterator<Item = (Tick, Tick)> + '_ {
        self.stimuli.iter().zip(self.nearest.fates()).filter_map(|(from, fate)| match fate {
            Fate::Answered(latency) => Some((*from, Tick(from.0 + latency.0))),
            Fate::Lost | Fate::Cut => None,
        })
    }

    /// Time after which an answer to this stimulus is late: the rule's deadline, or the time to the next stimulus.
    pub(super) fn deadline(&self, number: usize, rule: &PairingRule) -> Tick {
        rule.deadline.or_else(|| assignments::window(&self.stimuli, number)).unwrap_or(Tick::MAX)
    }

    /// A warning if the assignments differ.
    pub fn ambiguity(&self, line: &str, rate: TickRate) -> Option<Warning> {
        let account = |assignment: &Assignment| {
            let Counts { due, done, lost, late, duplicate, .. } = assignment.counts;
            let [due, done, lost, late, duplicate] = [due, done, lost, late, duplicate].map(grouped);
            let largest = assignment.latencies(self.measured()).max().map_or("none".into(), |max| rate.shown(max));
            format!(
                "{done} of {due} answered, {lost} unanswered, {late} late, {duplicate} duplicate, largest {largest}"
            )
        };
        (self.ambiguous > 0).then(|| {
            let said = format!(
                "late and missing responses cannot be told apart for {} of {} stimuli, so backwall pairs them in three ways. \
                 Nearest: {}. In order: {}. Nothing after the next stimulus: {}. The figures are those of the nearest pairing",
                grouped(self.ambiguous),
                grouped(self.stimuli.len() as u64),
                account(&self.nearest),
                account(&self.in_order),
                account(&self.at_once)
            );
            Warning::new("ambiguous", said).of(line)
        })
    }
}

/// Times of the stimuli while the recording ran.
pub fn stimuli(edges: &Edges, stimulus: &Line, polarity: Polarity) -> Arc<Vec<Tick>> {
    let mut stimuli = Vec::with_capacity(stimulus.edges.len() / 2 + 1);
    for stretch in stretches(edges) {
        let starts = within(&stimulus.edges, stretch, Edge::at).iter().filter(|edge| polarity.begins(**edge));
        stimuli.extend(starts.map(|edge| edge.at()));
    }
    stimuli.into()
}

/// Pairs a line's responses with the stimuli, separately for each part between gaps. The first `warmup` stimuli are warmup.
pub fn pair(edges: &Edges, stimuli: &Arc<Vec<Tick>>, warmup: u64, response: &Line, rule: &PairingRule) -> Pairing {
    let (response, glitches) = without_glitches(response, rule);
    let (mut early, mut recorded) = (0, Vec::new());
    for stretch in stretches(edges) {
        let asking = within(stimuli, stretch, |at| at);
        let first = asking.first().copied().unwrap_or(Tick::MAX);
        let responses = within(&response.edges, stretch, Edge::at);
        let (before, asked) = responses.split_at(responses.partition_point(|edge| edge.at() < first));
        early += assignments::responses(before, rule).count() as u64;
        recorded.push(Stretch { response: &response, rule, stimuli: asking, asked, end: stretch.1 });
    }
    let (in_order, nearest) = assignments::both(&recorded);
    let at_once = assignments::at_once(&recorded, &nearest);
    let ambiguous = in_order.differing(&nearest).max(at_once.differing(&nearest));
    Pairing { stimuli: stimuli.clone(), warmup, in_order, nearest, at_once, ambiguous, early, glitches }
}

#[cfg(test)]
pub(super) fn pair_lines(edges: &Edges, stimulus: &Line, response: &Line, rule: &PairingRule) -> Pairing {
    pair(edges, &stimuli(edges, stimulus, rule.stimulus), stimulus.warmup, response, rule)
}

/// Start and end of each recorded part. An edge at the moment when recording resumes only shows the current level.
fn stretches(edges: &Edges) -> Vec<(Tick, Tick)> {
    let firsts = [Tick(0)].into_iter().chain(edges.gaps.iter().map(|gap| Tick(gap.to.0 + 1)));
    let lasts = edges.gaps.iter().map(|gap| Tick(gap.from.0.saturating_sub(1))).chain([edges.end_at]);
    firsts.zip(lasts).collect()
}

/// The elements of a sequence in order of time that lie within a recorded part.
fn within<T: Copy>(sequence: &[T], (first, last): (Tick, Tick), at: impl Fn(T) -> Tick) -> &[T] {
    let from = sequence.partition_point(|item| at(*item) < first);
    let length = sequence[from..].partition_point(|item| at(*item) <= last);
    &sequence[from..from + length]
}

/// The line without the pulses that are too short, and the number of those pulses. A pulse without an end is kept.
pub(super) fn without_glitches<'a>(line: &'a Line, rule: &PairingRule) -> (Cow<'a, Line>, u64) {
    if rule.shortest_pulse.0 == 0 {
        return (Cow::Borrowed(line), 0);
    }
    let mut kept: Vec<Edge> = Vec::with_capacity(line.edges.len());
    let mut glitches = 0;
    for edge in &line.edges {
        match kept.last() {
            Some(start) if rule.response.begins(*start) && edge.at().since(start.at()) < rule.shortest_pulse => {
                kept.pop();
                glitches += 1;
            }
            _ => kept.push(*edge),
        }
    }
    (Cow::Owned(Line { edges: kept, ..line.clone() }), glitches)
}
