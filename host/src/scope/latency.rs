// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a pairing to a series of the run.
use super::pairing::{Fate, Pairing};
use super::tick::TickRate;
use crate::run::{Key, Series, Span};
use crate::stats::{Block, SeriesBuilder};

/// How a series is called and where it was taken; the names are those of [`Series`].
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The series.
    pub name: &'a str,
    /// The response line.
    pub to: &'a str,
    /// The stimulus line.
    pub from: &'a str,
    /// The load of the phase; `none` without.
    pub load: &'a str,
    /// `as-is` or `off`.
    pub idle: &'a str,
}

/// The series of the nearest assignment. Warm-up stimuli are done or lost, and in no figure.
pub fn series(pairing: &Pairing, rate: TickRate, named: Named) -> Series {
    of_fates(pairing, pairing.nearest.fates(), pairing.nearest.counts.late, rate, named)
}

/// The same of what else became of each stimulus; `late` of them came after their deadline.
pub(super) fn of_fates(
    pairing: &Pairing,
    fates: impl Iterator<Item = Fate>,
    late: u64,
    rate: TickRate,
    named: Named,
) -> Series {
    let mut builder =
        SeriesBuilder::new(Key::new(named.name, named.load, named.idle), Span::new(named.from, named.to, rate.unit()));
    let mut columns = Columns { late, ..Columns::default() };
    let since_first = |number: usize| rate.value_of(pairing.stimuli[number].since(pairing.stimuli[0]));
    for (number, fate) in fates.enumerate() {
        match fate {
            Fate::Answered(_) if (number as u64) < pairing.warmup => builder.warmup(1),
            Fate::Answered(latency) => columns.push(number, since_first(number), rate.value_of(latency)),
            Fate::Lost => builder.lost(since_first(number), 1),
            Fate::Cut => {}
        }
        if columns.seq.len() == BLOCK {
            columns.hand_to(&mut builder);
        }
    }
    columns.hand_to(&mut builder);
    builder.build()
}

/// Answers handed over at once: few enough to stay in the processor's cache.
const BLOCK: usize = 4096;

#[derive(Default)]
struct Columns {
    seq: Vec<u64>,
    at: Vec<u64>,
    value: Vec<u64>,
    late: u64,
}

impl Columns {
    fn push(&mut self, number: usize, at: u64, value: u64) {
        self.seq.push(number as u64);
        self.at.push(at);
        self.value.push(value);
    }

    fn hand_to(&mut self, builder: &mut SeriesBuilder) {
        builder.samples(Block { seq: &self.seq, at: &self.at, value: &self.value, late: self.late });
        self.late = 0;
        for column in [&mut self.seq, &mut self.at, &mut self.value] {
            column.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::edges::{Edge, Edges, Line};
    use crate::scope::pairing::{PairingRule, pair_lines};
    use crate::scope::tick::Tick;
    use crate::units::Unit;

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
        let named = Named { name: "ist", to: "ist", from: "stimulus_a", load: "none", idle: "as-is" };
        let series = series(&pairing, edges.rate, named);
        assert_eq!((series.due, series.done, series.lost, series.warmup), (Some(10_000), 9_999, Some(1), 3));
        assert_eq!((series.min, series.max, series.jitter), (Some(5), Some(11), Some(6)));
        assert_eq!(series.unit, Unit::Instructions);
        assert_eq!((series.worst[0].seq, series.worst[0].at), (5, 500));
        assert_eq!(series.over_time.iter().map(|slice| slice.lost).sum::<u64>(), 1);
    }
}
