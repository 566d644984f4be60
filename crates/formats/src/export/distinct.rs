// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes names unique, because a tool that keeps only the last of two equal names would lose the first result.
use std::collections::{BTreeMap, BTreeSet};

/// The names in their order. A duplicate gets `before`, its number (from 2) and `after` appended.
pub(super) fn distinct(names: impl IntoIterator<Item = String>, before: &str, after: &str) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut tried: BTreeMap<String, u64> = BTreeMap::new();
    let mut one = |name: String| {
        let mut free = name.clone();
        while !taken.insert(free.clone()) {
            let number = tried.entry(name.clone()).or_insert(1);
            *number += 1;
            free = format!("{name}{before}{number}{after}");
        }
        free
    };
    names.into_iter().map(&mut one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_of_a_name_is_numbered_and_takes_no_other_name() {
        let names = ["a", "b", "a", "a-2", "a"].map(String::from);
        assert_eq!(distinct(names, "-", ""), ["a", "b", "a-2", "a-2-2", "a-3"]);
    }
}
