// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of values over time, as logic analyzers export them: each row contains the levels of all lines.
use super::edges::{Edge, Edges, Gap, Line};
use super::tick::{Tick, TickRate};

#[derive(Debug, thiserror::Error)]
pub enum BadRows {
    #[error("line {line}: {source}")]
    Io { line: u64, source: std::io::Error },
    #[error("line {line}: {text:?} {fault}")]
    Cell { line: u64, text: String, fault: &'static str },
    #[error("line {line}: {found} columns, expected {wanted}")]
    Columns {
        /// The line's number, from 1.
        line: u64,
        found: usize,
        wanted: usize,
    },
    #[error("{0}")]
    Head(&'static str),
}

const QUOTED: usize = 40;

pub(super) fn wrong(line: u64, text: &str, fault: &'static str) -> BadRows {
    BadRows::Cell { line, text: text.chars().take(QUOTED).collect(), fault }
}

pub(super) fn name(text: &str) -> String {
    text.trim().trim_matches('"').split_whitespace().collect::<Vec<_>>().join("_")
}

pub(super) struct Rows {
    edges: Edges,
    levels: Vec<Option<bool>>,
    unknown: Option<Tick>,
}

impl Rows {
    pub(super) fn new(rate: TickRate, names: impl Iterator<Item = String>) -> Self {
        let lines: Vec<Line> = names.map(Line::new).collect();
        let levels = vec![None; lines.len()];
        Self { edges: Edges { rate, lines, end_at: Tick(0), gaps: Vec::new() }, levels, unknown: None }
    }

    /// Adds the levels from `at` on, which must not be before the previous row. `None` is an unrecorded level.
    pub(super) fn row(&mut self, at: Tick, levels: impl Iterator<Item = Option<bool>>) {
        let mut known = true;
        for ((line, last), level) in self.edges.lines.iter_mut().zip(&mut self.levels).zip(levels) {
            match (*last, level) {
                (Some(before), Some(now)) if before != now => line.edges.push(Edge::new(at, now)),
                _ => {}
            }
            known &= level.is_some();
            *last = level.or(*last);
        }
        match (self.unknown, known) {
            (Some(from), true) => {
                self.edges.gaps.push(Gap { from, to: at });
                self.unknown = None;
            }
            (None, false) => self.unknown = Some(at),
            _ => {}
        }
        self.edges.end_at = at;
    }

    /// The capture. If levels are unknown up to the end, the capture ends where they became unknown.
    pub(super) fn finish(mut self, end_at: Tick) -> Edges {
        self.edges.end_at = self.unknown.unwrap_or(end_at.max(self.edges.end_at));
        self.edges
    }
}
