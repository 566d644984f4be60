// SPDX-License-Identifier: MIT OR Apache-2.0
//! The format of a value in its place. The kernel rewrites values in its own format, so backwall compares values, not texts.
use crate::settings::machine::processors;
use backwall_model::units::ranges::listed;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    Text,
    /// All possible words, with the chosen one in brackets: `always [madvise] never`.
    Chosen,
    /// A CPU list: `0-2,5`.
    List,
    /// A CPU mask in words of 32 CPUs, the highest word first: `00000001,00000003`.
    Mask,
}

impl Form {
    /// The value in the first line of a file's text, in the form in which it is written to that file.
    pub fn value(self, text: &str) -> String {
        let text = text.trim_start().lines().next().unwrap_or_default();
        let words = || text.split_whitespace().collect::<Vec<_>>().join(" ");
        match self {
            Self::Text => words(),
            Self::Chosen => {
                let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
                inside.map_or_else(words, |(word, _)| word.to_string())
            }
            Self::List => listed(processors(text).into_iter()),
            Self::Mask => mask(&masked(text)),
        }
    }

    pub fn same(self, one: &str, other: &str) -> bool {
        self.value(one) == self.value(other)
    }
}

/// The CPUs of a mask, in order; empty for other text.
fn masked(text: &str) -> Vec<u32> {
    let words: Vec<u32> = text.trim().split(',').map(|word| u32::from_str_radix(word, 16).unwrap_or(0)).collect();
    let lowest_first = words.iter().rev().enumerate();
    let bits = |(number, word): (usize, &u32)| {
        let (number, word) = (number as u32, *word);
        (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * 32 + bit)
    };
    lowest_first.flat_map(bits).collect()
}

/// The mask of some CPUs, without leading zero words.
pub(crate) fn mask(cpus: &[u32]) -> String {
    let highest = cpus.iter().max().map_or(0, |cpu| cpu / 32);
    let word = |number: u32| {
        let bits = cpus.iter().filter(|cpu| *cpu / 32 == number).fold(0_u32, |bits, cpu| bits | 1 << (cpu % 32));
        if number == highest { format!("{bits:x}") } else { format!("{bits:08x}") }
    };
    (0..=highest).rev().map(word).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_kernels_words_for_a_value_are_the_same_value() {
        for (form, given, kept) in [
            (Form::Text, "max  100000\n", "max 100000"),
            (Form::Text, "1\n0\n", "1"),
            (Form::Chosen, "always [madvise] never", "madvise"),
            (Form::Chosen, "madvise", "madvise"),
            (Form::List, "0,1,2,5", "0-2,5"),
            (Form::Mask, "00000000,00000003", "3"),
            (Form::Mask, "1,00000000", "1,00000000"),
        ] {
            assert_eq!(form.value(given), kept, "{given}");
            assert!(form.same(given, kept), "{given}");
        }
        assert!(!Form::Mask.same("3", "1"));
    }

    proptest! {
        #[test]
        fn a_mask_is_read_as_it_was_written(cpus in proptest::collection::btree_set(0_u32..200, 0..20)) {
            let cpus: Vec<u32> = cpus.into_iter().collect();
            prop_assert_eq!(masked(&mask(&cpus)), cpus);
        }
    }
}
