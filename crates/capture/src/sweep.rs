// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sweep: latency over the arrival instant, in steps of one instruction.
//!
//! While a CPU has interrupts disabled, a stimulus waits for the end of that section. A stimulus one instruction later waits one
//! instruction less, so latency falls with slope -1 through the section. The largest latency occurs at its first instruction, and
//! the largest minus the smallest latency (with interrupts enabled) is the longest irqs-off section. That is exact if every
//! instant of the span was tried; see [`Sweep::untried`].
use super::edges::{Interrupted, Line};
use super::pairing::{Fate, Pairing};
use super::tick::Tick;

/// One stimulus that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Arrival instant, from the start of the swept span.
    pub at: Tick,
    /// Time to the answer.
    pub latency: Tick,
    /// The interrupted code, if the instrument could read it.
    pub interrupted: Option<Interrupted>,
}

/// An irqs-off section: the latency falls by one per instruction, because interrupts are disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masked {
    /// First instant of the section.
    pub from: Tick,
    /// First instant with interrupts enabled again.
    pub to: Tick,
    /// Latency at the first instant.
    pub latency: Tick,
}

/// The arrivals of one sweep, in order of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    arrivals: Vec<Arrival>,
    lost: u64,
}

impl Sweep {
    /// Measures arrival instants from the last rise of the mark, a line that the guest raises at the start of the span.
    pub fn by_mark(pairing: &Pairing, mark: &Line, interrupted: &[Interrupted]) -> Sweep {
        let marks: Vec<Tick> = mark.rises().collect();
        Sweep::of(pairing, interrupted, |at| {
            let before = marks.partition_point(|mark| *mark <= at);
            before.checked_sub(1).map(|last| at.since(marks[last]))
        })
    }

    /// Counts arrivals by their phase within a `period` of something that repeats. The first stimulus has the phase `from`.
    pub fn by_phase(pairing: &Pairing, period: Tick, from: Tick, interrupted: &[Interrupted]) -> Sweep {
        let first = pairing.stimuli.first().copied().unwrap_or_default();
        Sweep::of(pairing, interrupted, |at| Some(Tick((at.since(first).0 + from.0) % period.0.max(1))))
    }

    fn of(pairing: &Pairing, interrupted: &[Interrupted], place: impl Fn(Tick) -> Option<Tick>) -> Sweep {
        let mut sweep = Sweep { arrivals: Vec::new(), lost: 0 };
        let measured = pairing.nearest.fates().enumerate().skip(pairing.warmup as usize);
        for (number, fate) in measured {
            let Some(at) = place(pairing.stimuli[number]) else { continue };
            match fate {
                Fate::Answered(latency) => {
                    let found = interrupted.binary_search_by_key(&(number as u32), |entry| entry.seq);
                    let interrupted = found.ok().map(|index| interrupted[index]);
                    sweep.arrivals.push(Arrival { at, latency, interrupted });
                }
                Fate::Lost => sweep.lost += 1,
                Fate::Cut => {}
            }
        }
        sweep.arrivals.sort_by_key(|arrival| (arrival.at, arrival.latency));
        sweep
    }

    /// Every answered arrival, sorted by instant and latency.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// Number of unanswered stimuli. Their instants count as untried.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The smallest latency, which occurs with interrupts enabled. `None` without arrivals.
    pub fn floor(&self) -> Option<Tick> {
        self.arrivals.iter().map(|arrival| arrival.latency).min()
    }

    /// The arrival with the largest latency, the earliest of several.
    pub fn worst(&self) -> Option<&Arrival> {
        self.arrivals.iter().max_by_key(|arrival| (arrival.latency, std::cmp::Reverse(arrival.at)))
    }

    /// The longest section with interrupts disabled: largest minus smallest latency.
    pub fn longest_masked(&self) -> Option<Tick> {
        Some(self.worst()?.latency.since(self.floor()?))
    }

    /// Number of instants between the first and last arrival without an answered stimulus.
    pub fn untried(&self) -> u64 {
        let between = |pair: &[Arrival]| pair[1].at.since(pair[0].at).0.saturating_sub(1);
        self.arrivals.windows(2).map(between).sum()
    }

    /// The sections with interrupts disabled, in order of time. An instant tried more than once counts with its largest latency.
    pub fn masked(&self) -> Vec<Masked> {
        let Some(floor) = self.floor() else { return Vec::new() };
        let mut stretches: Vec<Masked> = Vec::new();
        for instant in self.arrivals.chunk_by(|a, b| a.at == b.at) {
            let Arrival { at, latency, .. } = instant[instant.len() - 1];
            let to = Tick(at.0 + latency.since(floor).0);
            let inside = stretches.last().is_some_and(|last| at < last.to && to == last.to);
            if latency > floor && !inside {
                stretches.push(Masked { from: at, to, latency });
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges};
    use crate::pairing::{PairingRule, pair_lines};
    use crate::tick::TickRate;
    use proptest::prelude::*;

    const ENTRY: u64 = 12;
    const SPAN: u64 = 100;
    const DISTANCE: u64 = 10_000;

    fn line(name: &str, rises: impl Iterator<Item = u64>) -> Line {
        let pulse = |at| [Edge::new(Tick(at), true), Edge::new(Tick(at + 1), false)];
        Line { name: name.into(), edges: rises.flat_map(pulse).collect(), warmup: 0 }
    }

    // A guest that runs `SPAN` instructions after each mark with interrupts disabled in `masked`. It gets one pulse per mark,
    // each time one instruction later.
    fn sweep_of(masked: &[(u64, u64)], instants: impl Iterator<Item = u64> + Clone) -> Sweep {
        let mark = |n: usize| (n as u64 + 1) * DISTANCE;
        let end = |at: u64| masked.iter().find(|(from, to)| (*from..*to).contains(&at)).map_or(at, |(_, to)| *to);
        let numbered = instants.clone().enumerate();
        let stimulus = line("stimulus_a", numbered.clone().map(|(n, at)| mark(n) + at));
        let response = line("isr", numbered.clone().map(|(n, at)| mark(n) + end(at) + ENTRY));
        let marks = line("mark", numbered.clone().map(|(n, _)| mark(n)));
        let entry =
            |(n, at): (usize, u64)| Interrupted { seq: n as u32, address: 0x1000 + at, interrupts_on: end(at) == at };
        let interrupted: Vec<Interrupted> = numbered.map(entry).collect();
        let edges = Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick(u64::MAX >> 2), gaps: vec![] };
        let pairing = pair_lines(&edges, &stimulus, &response, &PairingRule::default());
        Sweep::by_mark(&pairing, &marks, &interrupted)
    }

    #[test]
    fn a_masked_stretch_is_found_to_the_instruction() {
        let sweep = sweep_of(&[(20, 50)], 0..SPAN);
        let worst = sweep.worst().unwrap();
        assert_eq!((sweep.floor(), worst.latency, worst.at), (Some(Tick(ENTRY)), Tick(42), Tick(20)));
        assert_eq!(sweep.longest_masked(), Some(Tick(30)));
        assert_eq!(sweep.masked(), [Masked { from: Tick(20), to: Tick(50), latency: Tick(42) }]);
        assert_eq!((sweep.arrivals().len(), sweep.untried(), sweep.lost()), (100, 0, 0));
        let interrupted = worst.interrupted.unwrap();
        assert_eq!((interrupted.address, interrupted.interrupts_on), (0x1014, false));
    }

    #[test]
    fn instants_that_were_not_tried_are_counted() {
        let sweep = sweep_of(&[(20, 50)], (0..20).chain(23..SPAN));
        assert_eq!(sweep.untried(), 3);
        assert_eq!(sweep.longest_masked(), Some(Tick(27)), "less than the truth, and untried() says why");
    }

    #[test]
    fn the_phase_against_a_period_orders_a_vernier() {
        let stimulus = line("stimulus_a", (0..10).map(|n| 5_000 + n * 1_007));
        let response = line("ist", (0..10).map(|n| 5_000 + n * 1_007 + 40 - n));
        let edges = Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick(900_000), gaps: vec![] };
        let pairing = pair_lines(&edges, &stimulus, &response, &PairingRule::default());
        let sweep = Sweep::by_phase(&pairing, Tick(1_000), Tick(0), &[]);
        assert_eq!(
            sweep.arrivals().iter().map(|arrival| arrival.at.0).collect::<Vec<_>>(),
            [0, 7, 14, 21, 28, 35, 42, 49, 56, 63]
        );
        assert_eq!(sweep.worst().unwrap().at, Tick(0));
    }

    #[test]
    fn a_sweep_without_answers_has_no_figures() {
        let sweep = sweep_of(&[], 0..0);
        assert_eq!((sweep.floor(), sweep.longest_masked(), sweep.masked()), (None, None, vec![]));
    }

    proptest! {
        #[test]
        fn every_masked_stretch_is_found_and_no_other(cuts in prop::collection::btree_set(0u64..300, 0..16)) {
            let cuts: Vec<u64> = cuts.into_iter().collect();
            let masked: Vec<(u64, u64)> = cuts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let sweep = sweep_of(&masked, 0..320);
            let found: Vec<(u64, u64)> = sweep.masked().iter().map(|stretch| (stretch.from.0, stretch.to.0)).collect();
            prop_assert_eq!(&found, &masked);
            let longest = masked.iter().map(|(from, to)| to - from).max().unwrap_or(0);
            prop_assert_eq!(sweep.longest_masked(), Some(Tick(longest)));
        }
    }
}
