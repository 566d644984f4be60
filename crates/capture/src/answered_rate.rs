// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the frequencies at which a line answers every stimulus, from one recording in which the stimulus frequency changes.
//!
//! The period of a stimulus is the time since the previous one, because a stimulus that comes too soon is lost. Periods that
//! differ by less than 1/[`NARROWNESS`] form one step. A step passes if none of its stimuli was lost.
use super::pairing::{Fate, Pairing};
use super::tick::Tick;

/// Relative width of a step of periods, as in the search of `lab saturate`.
pub const NARROWNESS: u64 = 64;

/// The highest frequency at which a line answers every stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsweredRate {
    /// The line answered every stimulus at this period and at every longer one; `None` if a stimulus was lost even at the longest
    /// period.
    pub period: Option<Tick>,
    /// The longest period with a lost stimulus; `None` if none was lost.
    pub fails_at: Option<Tick>,
    /// The longest period that occurred in the recording.
    pub longest: Tick,
}

/// The result for one line; `None` if it has fewer than two measured stimuli.
pub fn borne(pairing: &Pairing) -> Option<AnsweredRate> {
    let mut seen = periods(pairing);
    seen.sort_unstable();
    let longest = seen.last()?.0;
    let fails_at = seen.iter().rev().find(|(_, lost)| *lost).map(|(period, _)| *period);
    // A step that contains a lost stimulus does not pass, even if its other stimuli were answered.
    let above = |period: Tick| fails_at.is_none_or(|fails| period.0 > fails.0 + fails.0 / NARROWNESS);
    let period = seen.iter().map(|(period, _)| *period).find(|period| above(*period));
    Some(AnsweredRate { period, fails_at, longest })
}

/// For every measured stimulus except the first: its period, and whether it was missed.
fn periods(pairing: &Pairing) -> Vec<(Tick, bool)> {
    let measured = pairing.measured();
    let stimuli = &pairing.stimuli[measured.clone()];
    let fates = pairing.nearest.fates().skip(measured.start + 1);
    stimuli.windows(2).zip(fates).map(|(pair, fate)| (pair[1].since(pair[0]), fate == Fate::Lost)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges, Line};
    use crate::pairing::{PairingRule, pair_lines};
    use crate::tick::TickRate;

    // Ten stimuli per period, for a device that is busy for 300 after each answer and ignores stimuli meanwhile.
    fn of(periods: &[u64], busy: u64) -> AnsweredRate {
        let (mut stimulus, mut response) = (Line::new("a"), Line::new("app"));
        let pulse =
            |line: &mut Line, at: u64| line.edges.extend([Edge::new(Tick(at), true), Edge::new(Tick(at + 2), false)]);
        let (mut at, mut free) = (1_000, 0);
        for period in periods.iter().flat_map(|period| [*period; 10]) {
            pulse(&mut stimulus, at);
            if at >= free {
                pulse(&mut response, at + 40);
                free = at + busy;
            }
            at += period;
        }
        let edges =
            Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(at + 9_000), gaps: Vec::new() };
        borne(&pair_lines(&edges, &stimulus, &response, &PairingRule::default())).unwrap()
    }

    #[test]
    fn a_rising_frequency_shows_where_the_first_stimulus_is_lost() {
        let rising = of(&[1_000, 700, 500, 400, 310, 290, 200], 300);
        assert_eq!((rising.period, rising.fails_at, rising.longest), (Some(Tick(310)), Some(Tick(290)), Tick(1_000)));
    }

    #[test]
    fn a_line_that_loses_nothing_and_one_that_always_does() {
        assert_eq!(of(&[500, 400], 300).fails_at, None);
        assert_eq!(of(&[200, 200], 300).period, None);
    }
}
