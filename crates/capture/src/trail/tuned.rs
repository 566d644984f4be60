// SPDX-License-Identifier: MIT OR Apache-2.0
//! The effect of a setting on a guest: the same answers without and with it, divided by function.
use super::difference::{Term, terms};
use super::visits::{Visit, by_function};
use serde::Serialize;

/// Two answers of a guest, in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// The median latency.
    pub median: u64,
    /// The largest latency.
    pub worst: u64,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tuned {
    /// The parameter or option that was set.
    pub words: String,
    /// The answers with the setting.
    pub with: Answers,
    /// What each function contributes to the difference of the median answers, sorted by size. The terms sum to that difference.
    pub terms: Vec<Term>,
}

impl Tuned {
    /// Compares the answers with a setting to those without it.
    pub fn of(words: &str, with: Answers, [before, after]: [&[Visit]; 2]) -> Tuned {
        let terms = terms(&by_function(before), &by_function(after));
        Tuned { words: words.to_string(), with, terms }
    }

    /// The functions with the largest change, at most `most` of them.
    pub fn most_changed(&self, most: usize) -> impl Iterator<Item = &Term> {
        self.terms.iter().filter(|term| term.difference != 0).take(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(function: &str, executed: u64) -> Visit {
        Visit { function: function.to_string(), user: false, line: None, at: 0, executed, masked: 0, waited: 0 }
    }

    #[test]
    fn a_setting_is_told_by_what_it_changed_most() {
        let before = [visit("entry", 10), visit("wake", 30), visit("same", 4)];
        let after = [visit("entry", 9), visit("wake", 130), visit("same", 4), visit("new", 20)];
        let tuned = Tuned::of("threadirqs", Answers { median: 163, worst: 200 }, [&before, &after]);
        let most: Vec<_> = tuned.most_changed(2).map(|term| (term.function.as_str(), term.difference)).collect();
        assert_eq!(most, [("wake", 100), ("new", 20)]);
        assert_eq!(tuned.terms.iter().map(|term| term.difference).sum::<i64>(), 163 - 44);
        assert_eq!(Tuned::of("x", tuned.with, [&before, &before]).most_changed(3).count(), 0);
    }
}
