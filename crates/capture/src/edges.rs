// SPDX-License-Identifier: MIT OR Apache-2.0
//! The times at which each line of a capture changed its level.
use super::tick::{Tick, TickRate};
use crate::connector::PORTS;

/// One change of level. Time and level share eight bytes, because captures have hundreds of millions of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge(u64);

impl Edge {
    /// An edge at `at` (at most [`Tick::MAX`]) to `level`.
    pub fn new(at: Tick, level: bool) -> Self {
        debug_assert!(at <= Tick::MAX);
        Edge(at.0 << 1 | level as u64)
    }

    /// When the level changes.
    pub fn at(self) -> Tick {
        Tick(self.0 >> 1)
    }

    /// The level after the edge.
    pub fn level(self) -> bool {
        self.0 & 1 == 1
    }
}

/// One line: its edges in order of time, with alternating levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Name of the line, without blanks.
    pub name: String,
    /// The edges, in order of time.
    pub edges: Vec<Edge>,
    /// Number of rises at the beginning of the line that belong to the warmup.
    pub warmup: u64,
}

impl Line {
    /// A line without edges.
    pub fn new(name: impl Into<String>) -> Self {
        Line { name: name.into(), ..Line::default() }
    }

    /// Times of the line's rising edges.
    pub fn rises(&self) -> impl Iterator<Item = Tick> + '_ {
        self.edges.iter().filter(|edge| edge.level()).map(|edge| edge.at())
    }

    /// The level just before `at`. Before the first edge it is the opposite of that edge's level.
    pub fn level_before(&self, at: Tick) -> bool {
        match self.edges.partition_point(|edge| edge.at() < at) {
            0 => self.edges.first().is_some_and(|edge| !edge.level()),
            after => self.edges[after - 1].level(),
        }
    }
}

/// A time without recording. Nothing in it counts as missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// First instant that is not recorded.
    pub from: Tick,
    /// First instant that is recorded again.
    pub to: Tick,
}

impl Gap {
    /// Sorts gaps by time and merges those that touch.
    pub(super) fn join(gaps: &mut Vec<Gap>) {
        gaps.sort_by_key(|gap| gap.from);
        gaps.dedup_by(|next, kept| {
            let joined = next.from <= kept.to;
            kept.to = if joined { kept.to.max(next.to) } else { kept.to };
            joined
        });
    }
}

/// What the guest executed when a pulse arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Number of the pulse, from 0.
    pub seq: u32,
    /// Address of the guest's next instruction.
    pub address: u64,
    /// Whether interrupts were enabled.
    pub interrupts_on: bool,
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edges {
    /// Length of a tick.
    pub rate: TickRate,
    /// The lines, each with its edges.
    pub lines: Vec<Line>,
    /// The last instant of the capture.
    pub end_at: Tick,
    /// Times without recording, in order.
    pub gaps: Vec<Gap>,
}

impl Edges {
    /// The line called `name`.
    pub fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// The stimulus lines of the generators that sent pulses.
    pub fn stimuli(&self) -> impl Iterator<Item = &Line> {
        PORTS.iter().filter_map(|port| self.line(port.stimulus))
    }

    /// Number of edges on all lines.
    pub fn count(&self) -> usize {
        self.lines.iter().map(|line| line.edges.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_keeps_the_last_instant_and_its_level() {
        for level in [false, true] {
            let edge = Edge::new(Tick::MAX, level);
            assert_eq!((edge.at(), edge.level()), (Tick::MAX, level));
        }
    }

    #[test]
    fn the_level_before_the_first_edge_is_the_other_one() {
        let mut line = Line::new("isr");
        line.edges = vec![Edge::new(Tick(10), false), Edge::new(Tick(20), true)];
        assert!(line.level_before(Tick(10)));
        assert!(!line.level_before(Tick(11)));
        assert!(!line.level_before(Tick(20)));
        assert!(line.level_before(Tick(21)));
        assert_eq!(line.rises().collect::<Vec<_>>(), [Tick(20)]);
    }
}
