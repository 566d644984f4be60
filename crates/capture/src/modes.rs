// SPDX-License-Identifier: MIT OR Apache-2.0
//! The CPU modes in which a response's instructions ran: user, kernel, or none while the CPU waited.
use super::pairing::{Fate, Pairing};
use super::tick::Tick;
use backwall_model::{Blame, Divided, Division, Series};

/// The instructions counted up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModeCounts {
    /// The instant.
    pub at: Tick,
    /// Instructions in user mode.
    pub user: u64,
    /// Time in which the CPU executed no instruction.
    pub waited: u64,
}

/// The counts of a recording in order of time; empty if the instrument did not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modes(pub Vec<ModeCounts>);

impl Modes {
    /// The counts up to the last edge at or before `at`.
    fn until(&self, at: Tick) -> Option<&ModeCounts> {
        self.0.get(self.0.partition_point(|counted| counted.at <= at).checked_sub(1)?)
    }

    /// The counts between two edges; `None` if counting began later than `from`.
    pub fn division(&self, from: Tick, to: Tick) -> Option<Division> {
        let (before, after) = (self.until(from)?, self.until(to)?);
        let (user, waited) = (after.user - before.user, after.waited - before.waited);
        let kernel = to.since(from).0.checked_sub(user)?.checked_sub(waited)?;
        Some(Division { user, kernel, waited })
    }

    /// Divides every measured latency of a line by mode. Stores the division of each of the largest latencies in `series`. `None`
    /// without counts or answers.
    pub fn divide(&self, pairing: &Pairing, series: &mut Series) -> Option<Divided> {
        let mut all = Division::default();
        let measured = pairing.measured();
        for (number, fate) in pairing.nearest.fates().enumerate().skip(measured.start) {
            let Fate::Answered(latency) = fate else { continue };
            let Division { user, kernel, waited } = self.of(pairing, number, latency)?;
            (all.user, all.kernel, all.waited) = (all.user + user, all.kernel + kernel, all.waited + waited);
        }
        for worst in &mut series.worst {
            let division = self.of(pairing, worst.seq as usize, Tick(worst.value))?;
            worst.blame = Some(Blame::Modes(division));
        }
        let first = series.worst.first()?;
        let worst = self.of(pairing, first.seq as usize, Tick(first.value))?;
        Some(Divided { all, worst })
    }

    fn of(&self, pairing: &Pairing, number: usize, latency: Tick) -> Option<Division> {
        let from = *pairing.stimuli.get(number)?;
        self.division(from, Tick(from.0 + latency.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges, Line};
    use crate::latency::{SeriesName, series};
    use crate::pairing::{PairingRule, pair_lines};
    use crate::tick::TickRate;
    use proptest::prelude::*;

    fn line(name: &str, rises: &[u64]) -> Line {
        let pulse = |at: &u64| [Edge::new(Tick(*at), true), Edge::new(Tick(at + 1), false)];
        Line { name: name.into(), edges: rises.iter().flat_map(pulse).collect(), warmup: 0 }
    }

    #[test]
    fn counts_hold_until_they_are_told_anew() {
        let counted = |at, user, waited| ModeCounts { at: Tick(at), user, waited };
        let modes = Modes(vec![counted(100, 0, 900), counted(160, 40, 900), counted(1_000, 40, 1_700)]);
        let division = |from, to| modes.division(Tick(from), Tick(to));
        assert_eq!(division(100, 160), Some(Division { user: 40, kernel: 20, waited: 0 }));
        assert_eq!(division(160, 170), Some(Division { user: 0, kernel: 10, waited: 0 }));
        assert_eq!(division(170, 1_000), Some(Division { user: 0, kernel: 30, waited: 800 }));
        assert_eq!((division(99, 160), Modes::default().division(Tick(1), Tick(2))), (None, None));
    }

    proptest! {
        #[test]
        fn the_parts_of_every_latency_add_up(parts in prop::collection::vec((0u64..30, 1u64..30, 0u64..30), 2..60)) {
            let (mut counted, mut stimuli, mut answers) = (Vec::new(), Vec::new(), Vec::new());
            let (mut user, mut waited) = (7, 3);
            for (number, (in_user, in_kernel, in_wait)) in parts.iter().enumerate() {
                let at = 1_000 * (number as u64 + 1);
                counted.push(ModeCounts { at: Tick(at), user, waited });
                (user, waited) = (user + in_user, waited + in_wait);
                let answer = at + in_user + in_kernel + in_wait;
                counted.push(ModeCounts { at: Tick(answer), user, waited });
                stimuli.push(at);
                answers.push(answer);
            }
            let edges = Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(1 << 30), gaps: Vec::new() };
            let pairing = pair_lines(&edges, &line("stimulus_a", &stimuli), &line("app", &answers), &PairingRule::default());
            let named = SeriesName { name: "app", to: "app", from: "stimulus_a", load: "none", idle: "as-is" };
            let mut series = series(&pairing, edges.rate, named);
            let divided = Modes(counted).divide(&pairing, &mut series).unwrap();
            let sum = parts.iter().fold((0, 0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1, sum.2 + part.2));
            prop_assert_eq!((divided.all.user, divided.all.kernel, divided.all.waited), sum);
            prop_assert_eq!(divided.worst.whole(), series.max.unwrap());
            prop_assert_eq!(divided.all.whole() as f64 / parts.len() as f64, series.mean.unwrap());
            prop_assert!(series.worst.iter().all(|worst| worst.blame.is_some()));
        }
    }
}
