// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares two answers by function: the instructions of each function in the first and in the second answer, and the difference.
//! Each instruction belongs to one function, so the differences sum to the difference of the latencies.
use super::visits::{Function, Took};
use serde::Serialize;
use std::collections::BTreeMap;

/// One function's part of the difference between two answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// The function's name without the compiler's suffix.
    pub function: String,
    /// Whether the function runs in user mode.
    pub user: bool,
    /// Instructions in the first answer.
    pub first: u64,
    /// Instructions in the second answer.
    pub second: u64,
    /// The second minus the first.
    pub difference: i64,
}

/// Suffixes that compilers append to derived functions. They count as the same function.
const MADE: [&str; 5] = [".isra.", ".constprop.", ".part.", ".cold", ".llvm."];

fn plain(name: &str) -> &str {
    let end = MADE.iter().filter_map(|made| name.find(made)).min();
    end.filter(|end| *end > 0).map_or(name, |end| &name[..end])
}

fn summed(all: &BTreeMap<Function, Took>) -> BTreeMap<(&str, bool), u64> {
    let mut sums = BTreeMap::new();
    for ((name, user), took) in all {
        *sums.entry((plain(name), *user)).or_default() += took.took();
    }
    sums
}

/// The terms, sorted by the size of the difference.
pub fn terms(first: &BTreeMap<Function, Took>, second: &BTreeMap<Function, Took>) -> Vec<Term> {
    let (first, second) = (summed(first), summed(second));
    let mut functions: Vec<_> = first.keys().chain(second.keys()).collect();
    functions.sort();
    functions.dedup();
    let mut terms: Vec<Term> = functions
        .into_iter()
        .map(|of| {
            let took = |all: &BTreeMap<(&str, bool), u64>| all.get(of).copied().unwrap_or(0);
            let (first, second) = (took(&first), took(&second));
            let difference = second as i64 - first as i64;
            Term { function: of.0.to_string(), user: of.1, first, second, difference }
        })
        .collect();
    terms.sort_by(|a, b| (b.difference.abs(), &a.function, a.user).cmp(&(a.difference.abs(), &b.function, b.user)));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn took(rows: &[(&str, bool, u64)]) -> BTreeMap<Function, Took> {
        let mut all: BTreeMap<Function, Took> = BTreeMap::new();
        for (name, user, executed) in rows {
            all.entry((name.to_string(), *user)).or_default().executed += executed;
        }
        all
    }

    #[test]
    fn a_function_has_one_term_whatever_a_compiler_made_of_it() {
        let first = took(&[("wake", false, 100), ("wake.isra.0", false, 7), ("main", true, 9), ("gone", false, 30)]);
        let second = took(&[("wake.part.3", false, 157), ("main", true, 9), ("main", false, 2)]);
        let found: Vec<_> =
            terms(&first, &second).into_iter().map(|term| (term.function, term.user, term.difference)).collect();
        let expected = [("wake", false, 50), ("gone", false, -30), ("main", false, 2), ("main", true, 0)];
        assert_eq!(found, expected.map(|(name, user, difference)| (name.to_string(), user, difference)));
    }

    #[test]
    fn a_name_that_is_nothing_but_a_compilers_ending_stays() {
        assert_eq!((plain(".cold"), plain("a.cold.1"), plain("a.b")), (".cold", "a", "a.b"));
    }

    proptest! {
        #[test]
        fn the_terms_sum_to_the_difference_of_the_latencies(
            first in prop::collection::vec(("[a-c](\\.isra\\.0)?", any::<bool>(), 0u64..1_000), 0..20),
            second in prop::collection::vec(("[b-d](\\.cold)?", any::<bool>(), 0u64..1_000), 0..20),
        ) {
            let rows = |of: &[(String, bool, u64)]| took(&of.iter().map(|(name, user, n)| (name.as_str(), *user, *n)).collect::<Vec<_>>());
            let sum = |all: &BTreeMap<Function, Took>| all.values().map(Took::took).sum::<u64>() as i64;
            let (first, second) = (rows(&first), rows(&second));
            let of_terms: i64 = terms(&first, &second).iter().map(|term| term.difference).sum();
            prop_assert_eq!(of_terms, sum(&second) - sum(&first));
        }
    }
}
