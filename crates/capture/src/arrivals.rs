// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency over the arrival instant, combined into columns. Each section with disabled interrupts gives one tooth of a sawtooth.
use super::sweep::Sweep;
use super::tick::{Tick, TickRate};
use super::timebase::DIVISIONS;
use backwall_model::picture::{Arrivals, COLUMNS, Owner};
use backwall_model::units::step;

const OWNERS: usize = 12;

/// Facts about a sweep in addition to its arrivals.
pub struct Swept<'a> {
    /// The measured setup, in a few words.
    pub title: &'a str,
    /// The guest.
    pub guest: &'a str,
    /// The response line.
    pub line: &'a str,
    /// Length of a tick.
    pub rate: TickRate,
    /// What was interrupted, largest latency first.
    pub owners: &'a [Owner],
}

/// The arrivals in the form in which a run stores them.
pub fn arrivals(sweep: &Sweep, of: &Swept) -> Arrivals {
    let value = |tick| of.rate.value_of(tick);
    let (start, per_division) = span(sweep);
    let (columns, bounds): (Vec<u16>, Vec<(u64, u64)>) = columns(sweep, start, per_division).into_iter().unzip();
    Arrivals {
        title: of.title.to_string(),
        guest: of.guest.to_string(),
        line: of.line.to_string(),
        unit: of.rate.unit(),
        arrivals: sweep.arrivals().len() as u64,
        missed: sweep.lost(),
        untried: sweep.untried(),
        floor: sweep.floor().map(value),
        worst: sweep.worst().map(|worst| value(worst.latency)),
        worst_at: sweep.worst().map(|worst| value(worst.at)),
        start: value(Tick(start)),
        per_division: value(Tick(per_division)),
        smallest: bounds.iter().map(|(smallest, _)| value(Tick(*smallest))).collect(),
        largest: bounds.iter().map(|(_, largest)| value(Tick(*largest))).collect(),
        columns,
        owners: of.owners.iter().take(OWNERS).cloned().collect(),
        other_owners: of.owners.len().saturating_sub(OWNERS) as u64,
    }
}

/// Start of the first column, rounded down to a whole division, and the length of a division, in ticks.
fn span(sweep: &Sweep) -> (u64, u64) {
    let bounds = sweep.arrivals().first().zip(sweep.arrivals().last()).map(|(a, b)| (a.at.0, b.at.0));
    let (first, last) = bounds.unwrap_or((0, 0));
    let mut division = step::at_least((last - first + 1).div_ceil(DIVISIONS));
    while last >= (first / division * division).saturating_add(DIVISIONS.saturating_mul(division)) {
        division = step::at_least(division + 1);
    }
    (first / division * division, division)
}

fn columns(sweep: &Sweep, start: u64, division: u64) -> Vec<(u16, (u64, u64))> {
    let column = |at: u64| ((at - start) as u128 * COLUMNS as u128 / (DIVISIONS as u128 * division as u128)) as usize;
    let mut columns = vec![(u64::MAX, 0); COLUMNS];
    for arrival in sweep.arrivals() {
        let from = column(arrival.at.0);
        let to = column(arrival.at.0 + 1).max(from + 1).min(COLUMNS);
        for (smallest, largest) in &mut columns[from..to] {
            *smallest = arrival.latency.0.min(*smallest);
            *largest = arrival.latency.0.max(*largest);
        }
    }
    let numbered = columns.into_iter().enumerate().filter(|(_, (smallest, largest))| smallest <= largest);
    numbered.map(|(number, bounds)| (number as u16, bounds)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::{Edge, Edges, Line};
    use crate::pairing::{PairingRule, pair_lines};

    fn line(name: &str, rises: impl Iterator<Item = u64>) -> Line {
        let pulse = |at| [Edge::new(Tick(at), true), Edge::new(Tick(at + 1), false)];
        Line { name: name.into(), edges: rises.flat_map(pulse).collect(), warmup: 0 }
    }

    fn edges() -> Edges {
        Edges { rate: TickRate::Instructions, lines: vec![], end_at: Tick::MAX, gaps: vec![] }
    }

    fn of(sweep: &Sweep) -> Arrivals {
        let of = Swept { title: "a call", guest: "bare", line: "isr", rate: TickRate::Instructions, owners: &[] };
        arrivals(sweep, &of)
    }

    #[test]
    fn the_columns_hold_one_tooth_for_each_masked_stretch() {
        let masked = [(100, 142), (300, 416), (600, 609)];
        let end = |at: u64| masked.iter().find(|(from, to)| (*from..*to).contains(&at)).map_or(at, |(_, to)| *to);
        let mark = |at: u64| (at + 1) * 10_000;
        let stimulus = line("stimulus_a", (10..700).map(|at| mark(at) + at));
        let response = line("isr", (10..700).map(|at| mark(at) + end(at) + 25));
        let pairing = pair_lines(&edges(), &stimulus, &response, &PairingRule::default());
        let found = of(&Sweep::by_mark(&pairing, &line("mark", (10..700).map(mark)), &[]));
        assert_eq!((found.arrivals, found.untried, found.missed), (690, 0, 0));
        assert_eq!((found.floor, found.worst, found.worst_at), (Some(25), Some(141), Some(300)));
        assert_eq!((found.start, found.per_division), (0, 100));
        let largest_at = |at: u64| {
            let place = found.columns.iter().position(|column| u64::from(*column) == at * 600 / 1_000).unwrap();
            found.largest[place]
        };
        assert!(largest_at(300) > largest_at(350) && largest_at(350) > largest_at(410), "the tooth falls");
        assert_eq!((largest_at(50), largest_at(550), largest_at(300)), (25, 25, 141));
        assert!(found.smallest.iter().zip(&found.largest).all(|(smallest, largest)| smallest <= largest));
    }

    #[test]
    fn a_sweep_without_answers_or_at_the_end_of_time_has_its_columns() {
        let place = |at| line("stimulus_a", [at].into_iter());
        let far = pair_lines(&edges(), &place(Tick::MAX.0 - 9), &place(Tick::MAX.0 - 5), &PairingRule::default());
        let found = of(&Sweep::by_mark(&far, &place(1), &[]));
        assert_eq!((found.floor, found.worst), (Some(4), Some(4)));
        assert_eq!(found.columns.len(), COLUMNS / DIVISIONS as usize, "one instant is a division wide");
        let none = pair_lines(&edges(), &place(100), &line("isr", [].into_iter()), &PairingRule::default());
        let found = of(&Sweep::by_phase(&none, Tick(10), Tick(0), &[]));
        assert_eq!((found.arrivals, found.floor, found.columns.len()), (0, None, 0));
    }
}
