// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts the counts of a timestamper for three lines (a Raspberry Pi Pico) to edges. `wire/PICO.md` describes every byte.
//!
//! The counts are raw, and edges that the device lost are gaps in their numbers. Only this module turns them into times and gaps.
#[cfg(test)]
mod tests;

use super::edges::{Edge, Edges, Gap, Line};
use super::tick::{Tick, TickRate};
use backwall_model::units::ClockRate;

/// Names of the timestamper's lines by pin. The first line is the generator's.
pub const LINES: [&str; 3] = ["GP2", "GP3", "GP4"];

const HEADER_BYTES: usize = 16 + 8 * LINES.len();
const COUNT_BYTES: usize = 4;
/// A block with this many edges of a line is full, so more may follow in the next block.
const FULL: u32 = 2_048;
const FLAG_RUNNING: u32 = 1;
const FLAG_SPOILT: u32 = 2;
/// Ticks between two looks at a line. The next two constants are the additional ticks that a rise and a fall take.
const STEP: u64 = 2;
const RISE: u64 = 2;
const FALL: u64 = 3;
const TURN: u64 = STEP << 32;
/// Seconds by which an edge may be newer than its block, because the device copies the counts before it answers.
const YOUNGER_S: u64 = 1;

/// Why a block is invalid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadStamps {
    /// The block is truncated, or longer than its header states.
    #[error("a block has {found} bytes, but its header announces {wanted}")]
    Length {
        /// Length of the block in bytes.
        found: usize,
        /// The length that the block's header states.
        wanted: u64,
    },
    /// The clock rate is invalid, or differs from that of earlier blocks.
    #[error("the clock changed to {0} Hz")]
    Rate(u32),
    /// The first edge number of a block is lower than expected, so an earlier block used it.
    #[error("edge {found} of {line}, expected {wanted}")]
    Number {
        /// The line.
        line: &'static str,
        /// The number in the block.
        found: u32,
        /// The number that was expected.
        wanted: u32,
    },
    /// An edge is before the previous edge of its line.
    #[error("edge {number} of {line} is earlier than the previous edge")]
    Order {
        /// The line.
        line: &'static str,
        /// The edge's number.
        number: u64,
    },
    /// The device could not count all edges.
    #[error("a line changed too fast to timestamp, and edges were lost; look for ringing on its wire")]
    Spoilt,
}

/// A line's edges so far, and the state needed to convert its next count.
#[derive(Clone, Debug, Default)]
struct Stamped {
    edges: Vec<Edge>,
    next: u32,
    lost: u64,
    hole: bool,
    /// Time up to which all edges of the line are known.
    known: u64,
    /// How often the counter wrapped around, in total and while the line was low.
    turns: u64,
    low_turns: u64,
}

/// The state of one capture, which arrives block by block.
#[derive(Clone, Debug)]
pub struct Stamps {
    lines: [Stamped; LINES.len()],
    gaps: Vec<Gap>,
    rate: Option<ClockRate>,
    age: u64,
    running: bool,
}

impl Default for Stamps {
    fn default() -> Self {
        let lines = Default::default();
        Self { lines, gaps: Vec::new(), rate: None, age: 0, running: true }
    }
}

impl Stamps {
    /// Takes a block. Returns the number of edges in it.
    pub fn take(&mut self, block: &[u8]) -> Result<u64, BadStamps> {
        let short = |wanted: u64| BadStamps::Length { found: block.len(), wanted };
        let word = |at: usize| u32::from_le_bytes(block[at..at + COUNT_BYTES].try_into().expect("four bytes"));
        if block.len() < HEADER_BYTES {
            return Err(short(HEADER_BYTES as u64));
        }
        let heads: [(u32, u32); LINES.len()] = std::array::from_fn(|line| (word(16 + 8 * line), word(20 + 8 * line)));
        let count: u64 = heads.iter().map(|(_, count)| u64::from(*count)).sum();
        let wanted = HEADER_BYTES as u64 + COUNT_BYTES as u64 * count;
        if block.len() as u64 != wanted {
            return Err(short(wanted));
        }
        if word(0) & FLAG_SPOILT != 0 {
            return Err(BadStamps::Spoilt);
        }
        let rate = self.clock(word(4))?;
        let age_us = u64::from(word(8)) | u64::from(word(12)) << 32;
        let age = ticks(age_us, rate);
        let mut counts = block[HEADER_BYTES..].chunks_exact(COUNT_BYTES);
        for (line, (first, count)) in heads.into_iter().enumerate() {
            let counts = counts.by_ref().take(count as usize);
            let counts = counts.map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")));
            self.take_line(line, first, counts, age.saturating_add(YOUNGER_S * rate.hz()))?;
            self.lines[line].settle(count, age);
        }
        self.running = word(0) & FLAG_RUNNING != 0;
        self.age = self.age.max(age);
        Ok(count)
    }

    fn clock(&mut self, hz: u32) -> Result<ClockRate, BadStamps> {
        let rate = ClockRate::new(u64::from(hz)).filter(|rate| self.rate.is_none_or(|known| known == *rate));
        self.rate = rate;
        rate.ok_or(BadStamps::Rate(hz))
    }

    fn take_line(
        &mut self,
        line: usize,
        first: u32,
        counts: impl Iterator<Item = u32>,
        latest: u64,
    ) -> Result<(), BadStamps> {
        let (name, stamped) = (LINES[line], &mut self.lines[line]);
        let lost = first.checked_sub(stamped.next);
        let lost = lost.ok_or(BadStamps::Number { line: name, found: first, wanted: stamped.next })?;
        stamped.next = first;
        stamped.lost += u64::from(lost);
        stamped.hole |= lost > 0;
        for count in counts {
            let number = u64::from(stamped.next);
            let before = stamped.edges.last().map(|edge| edge.at().0);
            let at = stamped.instant(count, latest);
            if before.is_some_and(|before| at <= before) || at > latest {
                return Err(BadStamps::Order { line: name, number });
            }
            if std::mem::take(&mut stamped.hole) {
                self.gaps.push(stamped.skip(before, at, number));
            }
            stamped.edges.push(Edge::new(Tick(at), number % 2 == 0));
            stamped.next = stamped.next.wrapping_add(1);
        }
        Ok(())
    }

    /// Whether the last block came before the final pulse.
    pub fn running(&self) -> bool {
        self.running
    }

    /// The device's time of the last block, in ticks.
    pub fn age(&self) -> Tick {
        Tick(self.age).min(Tick::MAX)
    }

    /// Time up to which the edges of all lines are known, in ticks.
    pub fn end(&self) -> Tick {
        let known = self.lines.iter().map(|line| line.known).min();
        Tick(known.unwrap_or(0)).min(Tick::MAX)
    }

    /// Number of edges that the device lost, by line.
    pub fn lost(&self) -> [u64; LINES.len()] {
        std::array::from_fn(|line| self.lines[line].lost)
    }

    /// All edges so far; `None` before the first block.
    pub fn finish(mut self) -> Option<Edges> {
        let rate = TickRate::Clock(self.rate?);
        Gap::join(&mut self.gaps);
        let end_at = self.end();
        let lines = self.lines.into_iter().zip(LINES);
        let lines = lines.map(|(stamped, name)| Line { edges: stamped.edges, ..Line::new(name) }).collect();
        Some(Edges { rate, lines, end_at, gaps: self.gaps })
    }
}

impl Stamped {
    /// The time of the next edge. The counter wraps around, so several times are possible; the last one that is not after
    /// `latest` counts.
    fn instant(&mut self, count: u32, latest: u64) -> u64 {
        let number = u64::from(self.next);
        let looks = STEP * u64::from(u32::MAX - count);
        let known = looks + RISE * number.div_ceil(2) + FALL * (number / 2);
        let turns = latest.saturating_sub(known) / TURN;
        let more = turns.saturating_sub(self.turns);
        self.turns += more;
        if number % 2 == 0 {
            self.low_turns += more; // before a rise the line is low
        }
        known.saturating_add(self.turns.saturating_mul(TURN)).saturating_add(self.low_turns).min(Tick::MAX.0)
    }

    /// Advances the time up to which all edges are known, after a block of this age with `count` edges. If the block was full,
    /// or overwritten while it was copied, nothing is known after its last edge.
    fn settle(&mut self, count: u32, age: u64) {
        let last = self.edges.last().map_or(0, |edge| edge.at().0);
        let follow = count >= FULL || (count == 0 && self.hole);
        self.known = self.known.max(if follow { last } else { age.max(last) });
    }

    /// Adds a gap between two known edges. If the level after the gap does not match, the end of the gap becomes an edge.
    fn skip(&mut self, before: Option<u64>, at: u64, number: u64) -> Gap {
        let from = before.map_or(0, |before| before + 1);
        let to = at.saturating_sub(1).max(from);
        let level = number % 2 != 0;
        let was = self.edges.last().is_some_and(|edge| edge.level());
        if was != level && to < at {
            self.edges.push(Edge::new(Tick(to), level));
        }
        Gap { from: Tick(from), to: Tick(to) }
    }
}

fn ticks(us: u64, rate: ClockRate) -> u64 {
    let ticks = u128::from(us) * u128::from(rate.hz()) / 1_000_000;
    u64::try_from(ticks).unwrap_or(u64::MAX).min(Tick::MAX.0)
}
