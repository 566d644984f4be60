// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides an answer into hops. Each line that answered the same stimulus ends one hop. The lengths of the hops sum to the
//! latency of the answer.
use super::Names;
use super::recorded::Trail;
use super::visits::{Visit, visits_until};
use crate::tick::Tick;
use serde::Serialize;

/// One hop: from the edge of the line before, or from the stimulus, to the edge of this line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineHop {
    /// Name of the line.
    pub line: String,
    /// Start of the hop, in instructions since the stimulus.
    pub from: u64,
    /// End of the hop: the latency of the hop's line.
    pub to: u64,
    /// The functions that ran in the hop, in order. Their times sum to the hop.
    pub visits: Vec<Visit>,
}

impl LineHop {
    /// The length of the hop.
    pub fn took(&self) -> u64 {
        self.visits.iter().map(Visit::took).sum()
    }
}

/// Divides a trail at the edges of these lines, given with their latencies. The last line is the one that gave the answer.
pub fn hops(trail: &Trail, names: &Names, from: Tick, mut lines: Vec<(String, u64)>) -> Vec<LineHop> {
    lines.sort_by_key(|(_, latency)| *latency);
    let ends: Vec<u64> = lines.iter().map(|(_, latency)| *latency).collect();
    let mut left = visits_until(trail, names, from, &ends).into_iter().peekable();
    let mut found: Vec<LineHop> = Vec::new();
    for (line, to) in lines {
        let visits = std::iter::from_fn(|| left.next_if(|visit| visit.at < to)).collect();
        found.push(LineHop { line, from: found.last().map_or(0, |before| before.to), to, visits });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{read, tests::file};
    use super::*;
    use crate::symbols::Symbols;

    #[test]
    fn each_line_ends_a_hop_in_the_middle_of_a_function_too() {
        let names = Names { kernel: Symbols::from_map("100 T entry\n108 T handler\n").unwrap(), ..Names::default() };
        let blocks: [(u64, bool, &[u8]); 2] = [(0x100, false, &[4, 4, 1]), (0x109, false, &[1, 2])];
        let trail = read(&file(&blocks, &[(50, 0, false), (53, 1, true)], 67)).unwrap();
        let lines = vec![("app".to_string(), 17), ("isr".to_string(), 4), ("ist".to_string(), 9)];
        let hops = hops(&trail, &names, Tick(50), lines);
        let shown: Vec<_> = hops.iter().map(|hop| (hop.line.as_str(), hop.from, hop.to, hop.took())).collect();
        assert_eq!(shown, [("isr", 0, 4, 4), ("ist", 4, 9, 5), ("app", 9, 17, 8)]);
        let last: Vec<_> = hops[2].visits.iter().map(|visit| (visit.function.as_str(), visit.waited)).collect();
        assert_eq!(last, [("handler", 8)]);
    }
}
