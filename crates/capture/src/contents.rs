// SPDX-License-Identifier: MIT OR Apache-2.0
//! A summary of a capture, before any analysis.
use super::edges::{Edges, Line};
use super::tick::Tick;
use backwall_model::units::Unit;
use serde::Serialize;

/// A summary of a capture. Times are in `unit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Unit of every value here.
    pub unit: Unit,
    /// Length of the capture.
    pub length: u64,
    /// Times without recording.
    pub gaps: usize,
    /// The capture's lines, in their order.
    pub lines: Vec<Activity>,
}

/// A summary of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Name of the line.
    pub name: String,
    /// Changes to high.
    pub rises: usize,
    /// Changes to low.
    pub falls: usize,
    /// Time of the first change; `None` if there is none.
    pub first: Option<u64>,
    /// Time of the last change; `None` if there is none.
    pub last: Option<u64>,
    /// The shortest time between two changes; `None` with fewer than two.
    pub shortest: Option<u64>,
}

/// Summarises a capture.
pub fn contents(edges: &Edges) -> Contents {
    let value = |at: Tick| edges.rate.value_of(at);
    let lines = edges.lines.iter().map(|line| activity(line, &value)).collect();
    Contents { unit: edges.rate.unit(), length: value(edges.end_at), gaps: edges.gaps.len(), lines }
}

fn activity(line: &Line, value: &impl Fn(Tick) -> u64) -> Activity {
    let rises = line.rises().count();
    let between = line.edges.windows(2).map(|pair| pair[1].at().since(pair[0].at()));
    Activity {
        name: line.name.clone(),
        rises,
        falls: line.edges.len() - rises,
        first: line.edges.first().map(|edge| value(edge.at())),
        last: line.edges.last().map(|edge| value(edge.at())),
        shortest: between.min().map(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::Edge;
    use crate::tick::TickRate;

    #[test]
    fn a_line_is_told_by_its_changes() {
        let mut line = Line::new("a");
        line.edges = vec![Edge::new(Tick(10), true), Edge::new(Tick(14), false), Edge::new(Tick(30), true)];
        let edges =
            Edges { rate: TickRate::Instructions, lines: vec![line, Line::new("b")], end_at: Tick(99), gaps: vec![] };
        let found = contents(&edges);
        let a = Activity { name: "a".into(), rises: 2, falls: 1, first: Some(10), last: Some(30), shortest: Some(4) };
        assert_eq!((found.length, &found.lines[0]), (99, &a));
        assert_eq!((found.lines[1].first, found.lines[1].shortest), (None, None));
    }
}
