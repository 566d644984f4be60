// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a trail to the executed functions in order. Their times sum to the trail's length. Each instant belongs to the block
//! that began last: to one of its instructions, or to waiting after its last instruction.
use super::Names;
use super::recorded::{Block, OpenBlock, Trail};
use crate::tick::Tick;
use serde::Serialize;
use std::collections::BTreeMap;

/// Stands for code that belongs to no named function.
pub const NAMELESS: &str = "(no name)";

/// One uninterrupted stay in a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Visit {
    /// The function's name, or [`NAMELESS`].
    pub function: String,
    /// Whether the function ran in user mode.
    pub user: bool,
    /// The source line at which the visit begins, if known: `FILE:LINE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Start of the visit, in instructions since the stimulus.
    pub at: u64,
    /// Number of executed instructions.
    pub executed: u64,
    /// Number of these instructions with interrupts disabled.
    pub masked: u64,
    /// Number of instants in which the CPU was halted in this function.
    pub waited: u64,
}

impl Visit {
    /// The visit's total share of the latency.
    pub fn took(&self) -> u64 {
        self.executed + self.waited
    }
}

/// The time of one function in all its visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Took {
    /// Executed instructions.
    pub executed: u64,
    /// Number of these instructions with interrupts disabled.
    pub masked: u64,
    /// Instants in which the CPU was halted.
    pub waited: u64,
    /// Number of visits.
    pub visits: u64,
}

impl Took {
    /// Total time.
    pub fn took(&self) -> u64 {
        self.executed + self.waited
    }
}

/// A function: its name, and whether it runs in user mode.
pub type Function = (String, bool);

/// The functions of the trail, in order.
pub fn visits(trail: &Trail, names: &Names, from: Tick) -> Vec<Visit> {
    visits_until(trail, names, from, &[])
}

/// Like [`visits`], but at each of the instants `ends` (since the stimulus) a new visit begins, even of the same function.
pub fn visits_until(trail: &Trail, names: &Names, from: Tick, ends: &[u64]) -> Vec<Visit> {
    let mut gathered = Gathered { found: Vec::new(), ends };
    let first = trail.begun.first().map_or(trail.end, |begun| begun.at);
    if first > from {
        // No block has begun yet, so the CPU was halted.
        gathered.waits((NAMELESS, false), 0, first.since(from).0);
    }
    for (index, begun) in trail.begun.iter().enumerate() {
        let end = trail.begun.get(index + 1).map_or(trail.end, |next| next.at);
        let block = &trail.blocks[begun.block];
        gathered.block(block, begun, end, from, names);
    }
    gathered.found
}

struct Gathered<'a> {
    found: Vec<Visit>,
    ends: &'a [u64],
}

impl Gathered<'_> {
    fn block(&mut self, block: &Block, begun: &OpenBlock, end: Tick, from: Tick, names: &Names) {
        let took = end.since(begun.at).0;
        let executed = took.min(block.len() as u64);
        let (mut on, mut at) = (begun.interrupts_on, begun.at.since(from).0);
        for (address, masks) in block.instructions(executed as usize) {
            let function = names.of(address, block.user).unwrap_or(NAMELESS);
            let one = Visit { executed: 1, masked: u64::from(!on), ..Visit::of(function, block.user, at) };
            if self.add((function, block.user), at, one) {
                self.found.last_mut().expect("it was added").line = names.line_of(address, block.user);
            }
            on &= !masks;
            at += 1;
        }
        let Some(last) = self.found.last().filter(|_| took > executed) else { return };
        let (function, user) = (last.function.clone(), last.user);
        self.waits((&function, user), at, took - executed);
    }

    fn waits(&mut self, function: (&str, bool), at: u64, waited: u64) {
        let (mut from, until) = (at, at + waited);
        while from < until {
            let to = self.ends.iter().copied().find(|end| *end > from).map_or(until, |end| end.min(until));
            self.add(function, from, Visit { waited: to - from, ..Visit::of(function.0, function.1, from) });
            from = to;
        }
    }

    /// Adds `one` to the last visit, or begins a new visit with it. Returns whether a new visit began.
    fn add(&mut self, (function, user): (&str, bool), at: u64, one: Visit) -> bool {
        match self.found.last_mut() {
            Some(last)
                if last.function == function
                    && last.user == user
                    && !self.ends.iter().any(|end| last.at < *end && *end <= at) =>
            {
                last.executed += one.executed;
                last.masked += one.masked;
                last.waited += one.waited;
                false
            }
            _ => {
                self.found.push(Visit { at, ..one });
                true
            }
        }
    }
}

impl Visit {
    fn of(function: &str, user: bool, at: u64) -> Visit {
        Visit { function: function.to_string(), user, line: None, at, executed: 0, masked: 0, waited: 0 }
    }
}

/// The total time of each function.
pub fn by_function(visits: &[Visit]) -> BTreeMap<Function, Took> {
    let mut all: BTreeMap<Function, Took> = BTreeMap::new();
    for visit in visits {
        let took = all.entry((visit.function.clone(), visit.user)).or_default();
        took.executed += visit.executed;
        took.masked += visit.masked;
        took.waited += visit.waited;
        took.visits += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::recorded::{read, tests::file};
    use super::*;
    use crate::symbols::Symbols;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const MASKS: u8 = 0x80;

    fn names() -> Names {
        let kernel = Symbols::from_map("100 T entry\n108 T handler\n").unwrap();
        Names { kernel, programs: Symbols::from_map("40 T main\n").unwrap(), lines: None }
    }

    #[test]
    fn an_answer_is_its_functions_in_order_with_what_was_masked_and_waited() {
        // entry executes 2 instructions, handler 1 with a cli after its first and a halt of 10, then main of a program.
        let blocks: [(u64, bool, &[u8]); 3] =
            [(0x100, false, &[4, 4, 1]), (0x109, false, &[1 | MASKS, 2]), (0x40, true, &[1, 1, 1])];
        let begun = [(50, 0, false), (53, 1, true), (65, 2, true)];
        let found = visits(&read(&file(&blocks, &begun, 67)).unwrap(), &names(), Tick(50));
        let shown: Vec<_> = found
            .iter()
            .map(|visit| (visit.function.as_str(), visit.at, visit.executed, visit.masked, visit.waited))
            .collect();
        assert_eq!(shown, [("entry", 0, 2, 2, 0), ("handler", 2, 3, 2, 10), ("main", 15, 2, 0, 0)]);
        assert_eq!(found.iter().map(Visit::took).sum::<u64>(), 17);
        let all = by_function(&found);
        assert_eq!(all[&("handler".to_string(), false)], Took { executed: 3, masked: 2, waited: 10, visits: 1 });
    }

    #[test]
    fn what_lies_in_no_function_is_said_to_have_no_name() {
        let trail = read(&file(&[(0x10, false, &[1]), (0x10, true, &[1])], &[(5, 0, true), (6, 1, true)], 7)).unwrap();
        let found = visits(&trail, &names(), Tick(0));
        let shown: Vec<_> = found.iter().map(|visit| (visit.function.as_str(), visit.user, visit.took())).collect();
        assert_eq!(shown, [(NAMELESS, false, 6), (NAMELESS, true, 1)]);
    }

    proptest! {
        #[test]
        fn the_visits_sum_to_the_latency(
            stays in prop::collection::vec((0u32..3, 0u64..40, any::<bool>()), 0..60),
            before in 0u64..5,
            ends in prop::collection::vec(any::<u64>(), 0..4),
        ) {
            let blocks: [(u64, bool, &[u8]); 3] = [(0xff, false, &[1; 12]), (0x108, false, &[1 | MASKS]), (0x3e, true, &[2; 5])];
            let (mut at, mut begun) = (100 + before, Vec::new());
            for (block, stay, on) in stays {
                begun.push((at, block, on));
                at += stay;
            }
            let found = visits(&read(&file(&blocks, &begun, at)).unwrap(), &names(), Tick(100));
            prop_assert_eq!(found.iter().map(Visit::took).sum::<u64>(), at - 100);
            prop_assert!(found.iter().all(|visit| visit.masked <= visit.executed));
            prop_assert_eq!(by_function(&found).values().map(Took::took).sum::<u64>(), at - 100);
            let ends: Vec<u64> = ends.into_iter().map(|end| end % (at - 99)).collect::<BTreeSet<_>>().into_iter().collect();
            let cut = visits_until(&read(&file(&blocks, &begun, at)).unwrap(), &names(), Tick(100), &ends);
            prop_assert!(ends.iter().all(|end| cut.iter().all(|one| *end <= one.at || one.at + one.took() <= *end)));
            prop_assert_eq!(cut.iter().map(Visit::took).sum::<u64>(), at - 100);
        }
    }
}
