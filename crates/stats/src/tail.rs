// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worst samples, exact, each with its time and stimulus number.
use backwall_model::{WORST_KEPT as KEPT, Worst};
use std::cmp::Reverse;

/// Number of candidates to collect before the smaller half is dropped, so that adding one costs O(1).
const GATHERED: usize = 2 * KEPT;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    value: u64,
    seq: u64,
    at: u64,
}

impl Candidate {
    /// The largest value first; of equal values the earlier stimulus.
    fn rank(&self) -> (Reverse<u64>, u64) {
        (Reverse(self.value), self.seq)
    }
}

/// The largest [`KEPT`] samples.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    candidates: Vec<Candidate>,
    /// Values above this belong to the worst; `None` until there are enough samples.
    floor: Option<u64>,
}

impl Tail {
    /// Whether a value may belong to the worst samples. It nearly never does.
    #[inline]
    pub fn admits(&self, value: u64) -> bool {
        self.floor.is_none_or(|floor| value > floor)
    }

    /// Takes a sample with an admitted value.
    #[cold]
    pub fn push(&mut self, seq: u64, at: u64, value: u64) {
        self.candidates.push(Candidate { value, seq, at });
        if self.candidates.len() >= GATHERED {
            self.keep_worst();
        }
    }

    /// Adds the candidates of another tail.
    pub fn merge(&mut self, other: &Self) {
        self.candidates.extend(&other.candidates);
        self.keep_worst();
    }

    /// The worst samples, largest first; of equal values the earlier first.
    pub fn to_run(&self) -> Vec<Worst> {
        let mut sorted = self.candidates.clone();
        sorted.sort_unstable_by_key(Candidate::rank);
        sorted.truncate(KEPT);
        sorted.into_iter().map(|c| Worst { seq: c.seq, at: Some(c.at), value: c.value, blame: None }).collect()
    }

    fn keep_worst(&mut self) {
        if self.candidates.len() >= KEPT {
            let (_, last, _) = self.candidates.select_nth_unstable_by_key(KEPT - 1, Candidate::rank);
            self.floor = Some(last.value);
            self.candidates.truncate(KEPT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tail_of(values: impl IntoIterator<Item = u64>, first_seq: u64) -> Tail {
        let mut tail = Tail::default();
        for (seq, value) in (first_seq..).zip(values) {
            if tail.admits(value) {
                tail.push(seq, seq * 10, value);
            }
        }
        tail
    }

    #[test]
    fn of_equal_values_the_earliest_are_kept() {
        let worst = tail_of(std::iter::repeat_n(7, 20_000), 0).to_run();
        assert!(worst.iter().map(|w| w.seq).eq(0..KEPT as u64));
    }

    #[test]
    fn a_rising_ramp_keeps_its_end() {
        let worst = tail_of(0..100_000, 0).to_run();
        assert!(worst.iter().map(|w| w.value).eq((100_000 - KEPT as u64..100_000).rev()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_worst_are_those_of_a_full_sort(values in prop::collection::vec(0u64..3_000, 0..20_000), cut in 0usize..20_000) {
            let (head, rest) = values.split_at(cut.min(values.len()));
            let mut merged = tail_of(rest.iter().copied(), head.len() as u64);
            merged.merge(&tail_of(head.iter().copied(), 0));
            let mut sorted: Vec<(Reverse<u64>, u64)> = values.iter().map(|v| Reverse(*v)).zip(0..).collect();
            sorted.sort();
            sorted.truncate(KEPT);
            for worst in [tail_of(values.iter().copied(), 0).to_run(), merged.to_run()] {
                prop_assert_eq!(worst.iter().map(|w| (Reverse(w.value), w.seq)).collect::<Vec<_>>(), sorted.clone());
                prop_assert!(worst.iter().all(|w| w.at == Some(w.seq * 10)));
            }
        }
    }
}
