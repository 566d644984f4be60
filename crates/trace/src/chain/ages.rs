// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes reaction time, button-to-action time and age from the starts and outputs of a chain.
//!
//! Starts are at `s_i`, outputs at `o_j`; `in(j)` is the newest start whose effect output `j` carries. The reaction to start `i`
//! takes `min{o_j : in(j) >= i} - s_i`; button to action is the same from `s_{i-1}`. The age at output `j` is `o_j - s_in(j)`,
//! and `o_{j+1} - s_in(j)` until the next output replaces it. In every chain, maximum button to action equals maximum age until
//! replaced (Dürr et al. 2019, Becker et al. 2017, Günzel et al. 2023). Each maximum has its own loop here, over starts and
//! over outputs, so each loop checks the other.
use std::collections::VecDeque;

// At most this many starts wait for an output. Beyond that the oldest are dropped, and the two maxima are no longer compared.
const WAITING_MAX: usize = 4_096;

/// The reactions and the age that end with one output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The starts that this output answers: number, time of the start, reaction time.
    pub reactions: Vec<(u64, u64, u64)>,
    /// Age of the start that the output carries.
    pub age_ns: u64,
}

/// Starts and outputs of one chain.
#[derive(Clone, Debug, Default)]
pub struct Ages {
    /// Starts without an output yet: number, time, and the time of the start before.
    waiting: VecDeque<(u64, u64, Option<u64>)>,
    last_start: Option<u64>,
    last_output: Option<(u64, u64)>,
    /// Maximum button-to-action time, from the loop over starts.
    pub button_max_ns: u64,
    /// Maximum age until replaced, from the loop over outputs.
    pub replaced_max_ns: u64,
    /// Number of outputs that both maxima include.
    pub compared: u64,
    given_up: bool,
}

impl Ages {
    /// Adds a start.
    pub fn start(&mut self, number: u64, at_ns: u64) {
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
            self.given_up = true;
        }
        self.waiting.push_back((number, at_ns, self.last_start.replace(at_ns)));
    }

    /// Adds an output that carries start `number`. An output with an older start than the last output's is ignored.
    pub fn output(&mut self, number: u64, start_ns: u64, at_ns: u64) -> Option<Answers> {
        if self.last_output.is_some_and(|(last, _)| number <= last) {
            return None;
        }
        let mut told = Answers { age_ns: at_ns - start_ns, ..Answers::default() };
        let known = self.last_output.is_some();
        while self.waiting.front().is_some_and(|(of, ..)| *of <= number) {
            let Some((of, from_ns, before_ns)) = self.waiting.pop_front() else { break };
            told.reactions.push((of, from_ns, at_ns - from_ns));
            // The first output after a gap replaces no earlier one, so it counts in neither maximum.
            if let Some(before_ns) = before_ns.filter(|_| known) {
                self.button_max_ns = self.button_max_ns.max(at_ns - before_ns);
            }
        }
        if let Some((_, carried_ns)) = self.last_output.replace((number, start_ns)) {
            self.replaced_max_ns = self.replaced_max_ns.max(at_ns - carried_ns);
            self.compared += 1;
        }
        Some(told)
    }

    /// Events were lost, so starts and outputs before the gap are forgotten.
    pub fn gap(&mut self) {
        self.waiting.clear();
        (self.last_start, self.last_output) = (None, None);
    }

    /// Whether the two maxima are equal; `None` if nothing was compared or starts were dropped.
    pub fn agree(&self) -> Option<bool> {
        (self.compared > 0 && !self.given_up).then_some(self.button_max_ns == self.replaced_max_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_merged_start_reacts_with_its_successors_output() {
        let mut ages = Ages::default();
        for (number, at_ns) in [(0, 0), (1, 100), (2, 200), (3, 300)] {
            ages.start(number, at_ns);
        }
        assert_eq!(ages.output(0, 0, 50).unwrap(), Answers { reactions: vec![(0, 0, 50)], age_ns: 50 });
        let told = ages.output(2, 200, 260).unwrap();
        assert_eq!(told, Answers { reactions: vec![(1, 100, 160), (2, 200, 60)], age_ns: 60 });
        assert_eq!((ages.button_max_ns, ages.replaced_max_ns, ages.agree()), (260, 260, Some(true)));
        assert_eq!(ages.output(1, 100, 270), None);
        assert_eq!(ages.output(3, 300, 340).unwrap().age_ns, 40);
    }

    proptest! {
        // For any starts and outputs, as long as each output carries a newer start than the one before.
        #[test]
        fn both_maxima_agree_with_each_other_and_with_a_search(
            gaps in proptest::collection::vec((1u64..50, any::<bool>(), 0u64..80), 2..60),
        ) {
            let mut ages = Ages::default();
            let (mut at_ns, mut starts, mut outputs) = (0, Vec::new(), Vec::new());
            for (number, (gap, done, latency)) in gaps.iter().enumerate() {
                at_ns += gap;
                starts.push(at_ns);
                let last = outputs.last().map_or(0, |(_, at): &(u64, u64)| *at);
                outputs.extend(done.then_some((number as u64, (at_ns + latency).max(last))));
            }
            let mut events: Vec<(u64, bool, u64)> = starts.iter().enumerate().map(|(number, at)| (*at, false, number as u64)).collect();
            events.extend(outputs.iter().map(|(number, at)| (*at, true, *number)));
            events.sort();
            for (at, output, number) in events {
                if output { ages.output(number, starts[number as usize], at); } else { ages.start(number, at); }
            }
            let age = outputs.windows(2).map(|pair| pair[1].1 - starts[pair[0].0 as usize]).max();
            if let Some(age) = age {
                prop_assert_eq!(ages.replaced_max_ns, age);
                prop_assert_eq!(ages.agree(), Some(true));
            }
        }
    }
}
