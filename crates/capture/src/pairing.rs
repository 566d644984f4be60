// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which response answers which stimulus: three assignments, where a capture allows several.
//!
//! Edges carry no names. A response that comes after the next stimulus may be the late answer to the
//! first or the prompt answer to the second; a device that coalesces makes both look alike. So every
//! capture is read in these ways, and the assignments are compared:
//!
//! - *in order*: nothing is lost, everything may be late. A response answers the oldest stimulus that
//!   has none yet. Right for a device that queues.
//! - *nearest*: nothing is later than one stimulus. A response answers the newest stimulus before it;
//!   if that has one, the stimulus before that one; else it is a duplicate. Right for a device that
//!   remembers one pending stimulus, as an interrupt latch and an auto-reset event do.
//! - *at once*: nothing is answered after the next stimulus. A response answers the newest stimulus before it, or is a duplicate.
//!   Right for a device that misses some and answers others twice.
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

/// Which change of level counts.
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
    /// The edge that is a stimulus.
    pub stimulus: Polarity,
    /// The edge that begins a response's pulse.
    pub response: Polarity,
    /// Response pulses shorter than this are glitches: counted, no responses. 0 takes all.
    pub shortest_pulse: Tick,
    /// An answer after this time is late; `None`: one after the next stimulus.
    pub deadline: Option<Tick>,
}

impl PairingRule {
    #[inline]
    fn answers(&self, edge: Edge) -> bool {
        self.response.begins(edge)
    }
}

/// The result of one stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Answered after this distance.
    Answered(Tick),
    /// Not answered.
    Lost,
    /// Its time to be answered was not recorded to the end: not due.
    Cut,
}

/// The counts of one assignment: `due = done + missed + unseen` and `lost = missed + coalesced`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Stimuli with their whole answer time recorded.
    pub due: u64,
    /// Answered stimuli.
    pub done: u64,
    /// Stimuli that were not.
    pub lost: u64,
    /// Lost although the device had answered everything before and its line was at rest.
    pub missed: u64,
    /// Lost while the device was busy: an earlier stimulus had no answer yet, or the response line was still active.
    pub coalesced: u64,
    /// Answers after their deadline.
    pub late: u64,
    /// Responses without a stimulus.
    pub duplicate: u64,
    /// Stimuli that are not due, because the capture ended or paused before they could be answered.
    pub cut: u64,
}

/// One way to see the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Its counts.
    pub counts: Counts,
    fates: Arc<Vec<u64>>, // by stimulus: the latency, LOST or CUT
}

const LOST: u64 = u64::MAX;
const CUT: u64 = u64::MAX - 1;

impl Assignment {
    /// The result of each stimulus, in order.
    pub fn fates(&self) -> impl ExactSizeIterator<Item = Fate> + '_ {
        self.fates.iter().map(|fate| match *fate {
            LOST => Fate::Lost,
            CUT => Fate::Cut,
            latency => Fate::Answered(Tick(latency)),
        })
    }

    /// Whether stimulus `number` was answered.
    pub fn is_answered(&self, number: usize) -> bool {
        self.fates.get(number).is_some_and(|fate| *fate < CUT)
    }

    /// The latencies of the answered stimuli in this range of numbers, in order.
    pub fn latencies(&self, numbers: std::ops::Range<usize>) -> impl Iterator<Item = Tick> + '_ {
        let fates = self.fates.get(numbers).unwrap_or_default();
        fates.iter().filter(|fate| **fate < CUT).map(|latency| Tick(*latency))
    }

    /// How many stimuli of the same capture have another fate in `other`.
    fn differing(&self, other: &Assignment) -> u64 {
        let same = Arc::ptr_eq(&self.fates, &other.fates);
        let differing = || self.fates.iter().zip(&*other.fates).filter(|(a, b)| a != b).count() as u64;
        if same { 0 } else { differing() }
    }
}

/// One response line and the stimuli.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Instants of the stimuli in recorded stretches, shared by the lines.
    pub stimuli: Arc<Vec<Tick>>,
    /// How many of the first stimuli are warm-up.
    pub warmup: u64,
    /// Every response the oldest unanswered stimulus.
    pub in_order: Assignment,
    /// Every response the newest stimulus before it.
    pub nearest: Assignment,
    /// Every response the newest stimulus before it, and none an earlier one.
    pub at_once: Assignment,
    /// Stimuli that the assignments answer differently.
    pub ambiguous: u64,
    /// Responses before the first stimulus of a recorded stretch.
    pub early: u64,
    /// Response pulses too short to count.
    pub glitches: u64,
}

impl Pairing {
    /// Numbers of the stimuli that are not warm-up.
    pub fn measured(&self) -> std::ops::Range<usize> {
        self.stimuli.len().min(self.warmup as usize)..self.stimuli.len()
    }

    /// Each answered stimulus and the time of its answer, by the nearest assignment.
    pub fn answered(&self) -> impl Iterator<Item = (Tick, Tick)> + '_ {
        self.stimuli.iter().zip(self.nearest.fates()).filter_map(|(from, fate)| match fate {
            Fate::Answered(latency) => Some((*from, Tick(from.0 + latency.0))),
            Fate::Lost | Fate::Cut => None,
        })
    }

    /// Latest time for an answer to this stimulus, by the nearest assignment and the rule.
    pub(super) fn deadline(&self, number: usize, rule: &PairingRule) -> Tick {
        rule.deadline.or_else(|| assignments::window(&self.stimuli, number)).unwrap_or(Tick::MAX)
    }

    /// One sentence when the assignments differ, for the user.
    pub fn ambiguity(&self, line: &str, rate: TickRate) -> Option<Warning> {
        let account = |assignment: &Assignment| {
            let Counts { due, done, lost, late, duplicate, .. } = assignment.counts;
            let [due, done, lost, late, duplicate] = [due, done, lost, late, duplicate].map(grouped);
            let largest = assignment.latencies(self.measured()).max().map_or("none".into(), |max| rate.shown(max));
            format!("{done} of {due} answered, {lost} lost, {late} late, {duplicate} duplicate, largest {largest}")
        };
        (self.ambiguous > 0).then(|| {
            let said = format!(
                "late and lost responses cannot be told apart for {} of {} stimuli. Nearest: {}. In order: {}. \
                 Nothing after the next stimulus: {}. The figures are those of the nearest assignment",
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

/// Instants of the stimuli in recorded stretches.
pub fn stimuli(edges: &Edges, stimulus: &Line, polarity: Polarity) -> Arc<Vec<Tick>> {
    let mut stimuli = Vec::with_capacity(stimulus.edges.len() / 2 + 1);
    for stretch in stretches(edges) {
        let starts = within(&stimulus.edges, stretch, Edge::at).iter().filter(|edge| polarity.begins(**edge));
        stimuli.extend(starts.map(|edge| edge.at()));
    }
    stimuli.into()
}

/// Pairs a line's responses with the stimuli, separately between gaps. The first stimuli are warm-up.
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

/// Start and end of each recorded stretch. An edge at the resumption only shows the level.
fn stretches(edges: &Edges) -> Vec<(Tick, Tick)> {
    let firsts = [Tick(0)].into_iter().chain(edges.gaps.iter().map(|gap| Tick(gap.to.0 + 1)));
    let lasts = edges.gaps.iter().map(|gap| Tick(gap.from.0.saturating_sub(1))).chain([edges.end_at]);
    firsts.zip(lasts).collect()
}

/// The part of a sequence in order of time that lies in a stretch.
fn within<T: Copy>(sequence: &[T], (first, last): (Tick, Tick), at: impl Fn(T) -> Tick) -> &[T] {
    let from = sequence.partition_point(|item| at(*item) < first);
    let length = sequence[from..].partition_point(|item| at(*item) <= last);
    &sequence[from..from + length]
}

/// The line without pulses that are too short, and their number. A pulse without end is kept.
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
