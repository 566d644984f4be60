// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a pairing to a series of the run.
use super::pairing::{Fate, Pairing};
use super::tick::TickRate;
use backwall_model::{Key, Series, Span};
use backwall_stats::{Block, SeriesBuilder};

/// Name and conditions of a series, with the names of [`Series`].
#[derive(Clone, Copy, Debug)]
pub struct SeriesName<'a> {
    /// The series.
    pub name: &'a str,
    /// The response line.
    pub to: &'a str,
    /// The stimulus line.
    pub from: &'a str,
    /// The load of the phase, or `none`.
    pub load: &'a str,
    /// `as-is` or `off`.
    pub idle: &'a str,
}

/// The series from the nearest assignment. Warmup stimuli are counted as done or lost but appear in no figure.
pub fn series(pairing: &Pairing, rate: TickRate, named: SeriesName) -> Series {
    of_fates(pairing, pairing.nearest.fates(), pairing.nearest.counts.late, rate, named)
}

/// A series from the fate of each stimulus. `late`: number of answers after the deadline.
pub(super) fn of_fates(
    pairing: &Pairing,
    fates: impl Iterator<Item = Fate>,
    late: u64,
    rate: TickRate,
    named: SeriesName,
) -> Series {
    let mut builder =
        SeriesBuilder::new(Key::new(named.name, named.load, named.idle), Span::new(named.from, named.to, rate.unit()));
    let mut columns = Columns { late, ..Columns::default() };
    let first = pairing.stimuli.first().copied().unwrap_or_default();
    for ((number, stimulus), fate) in (0..).zip(pairing.stimuli.iter()).zip(fates) {
        let at = rate.value_of(stimulus.since(first));
        match fate {
            Fate::Answered(_) if number < pairing.warmup => builder.warmup(1),
            Fate::Answered(latency) => columns.push(number, at, rate.value_of(latency)),
            Fate::Lost => builder.missed(at, 1),
            Fate::Cut => {}
        }
        if columns.filled == BLOCK {
            columns.hand_to(&mut builder);
        }
    }
    columns.hand_to(&mut builder);
    builder.build()
}

/// Number of answers to process at once; they fit into the CPU's L1 cache.
const BLOCK: usize = 1024;

struct Columns {
    seq: [u64; BLOCK],
    at: [u64; BLOCK],
    value: [u64; BLOCK],
    filled: usize,
    late: u64,
}

impl Default for Columns {
    fn default() -> Self {
        Self { seq: [0; BLOCK], at: [0; BLOCK], value: [0; BLOCK], filled: 0, late: 0 }
    }
}

impl Columns {
    fn push(&mut self, seq: u64, at: u64, value: u64) {
        self.seq[self.filled] = seq;
        self.at[self.filled] = at;
        self.value[self.filled] = value;
        self.filled += 1;
    }

    fn hand_to(&mut self, builder: &mut SeriesBuilder) {
        let [seq, at, value] = [&self.seq, &self.at, &self.value].map(|column| &column[..self.filled]);
        builder.samples(Block { seq, at, value, late: self.late });
        (self.filled, self.late) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges, Line};
    use crate::pairing::{PairingRule, pair_lines};
    use crate::tick::Tick;
    use backwall_model::units::Unit;

    fn line(name: &str, rises: impl Iterator<Item = u64>) -> Line {
        let pulse = |at| [Edge::new(Tick(at), true), Edge::new(Tick(at + 1), false)];
        Line { name: name.into(), edges: rises.flat_map(pulse).collect(), warmup: 0 }
    }

    #[test]
    fn warm_up_is_counted_and_kept_out_of_the_figures() {
        let mut stimulus = line("stimulus_a", (1..=10_000).map(|n| n * 100));
        stimulus.warmup = 3;
        let latency = |n: u64| if n == 2 { 90 } else { 5 + n % 7 };
        let response = line("ist", (1..=10_000).filter(|n| *n != 9_000).map(|n| n * 100 + latency(n)));
        let edges =
            Edges { rate: TickRate::Instructions, lines: Vec::new(), end_at: Tick(2_000_000), gaps: Vec::new() };
        let pairing = pair_lines(&edges, &stimulus, &response, &PairingRule::default());
        let named = SeriesName { name: "ist", to: "ist", from: "stimulus_a", load: "none", idle: "as-is" };
        let series = series(&pairing, edges.rate, named);
        assert_eq!((series.due, series.done, series.missed, series.warmup), (Some(10_000), 9_999, Some(1), 3));
        assert_eq!((series.min, series.max, series.jitter), (Some(5), Some(11), Some(6)));
        assert_eq!(series.unit, Unit::Instructions);
        assert_eq!((series.worst[0].seq, series.worst[0].at), (5, Some(500)));
        assert_eq!(series.over_time.iter().map(|slice| slice.missed).sum::<u64>(), 1);
    }
}
