// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts that stay in a bundle: words of this project, and a few descriptions of the machine if all their characters are
//! harmless.
use std::collections::{BTreeMap, BTreeSet};

const MEASURES: [&str; 49] = [
    "wakeup",
    "wakeup-cold",
    "runaway",
    "expiry",
    "thread",
    "isr",
    "ist",
    "app",
    "ISR",
    "IST",
    "handoff",
    "progress",
    "mark",
    "stimulus_a",
    "stimulus_b",
    "b_isr",
    "b_ist",
    "b_app",
    "b_progress",
    "b_mark",
    "a_d5",
    "a_d6",
    "a_d7",
    "b_d5",
    "b_d6",
    "b_d7",
    "begin",
    "end",
    "gap",
    "reading",
    "next reading",
    "timer or waking",
    "running",
    "attached",
    "nominal",
    "isr_completion",
    "ist_completion",
    "app_completion",
    "isr_run_time",
    "ist_run_time",
    "app_run_time",
    "isr completion",
    "ist completion",
    "app completion",
    "operation",
    "interrupt",
    "chain",
    "reaction",
    "age",
];
/// Loads of guests, C-state settings, and names of variants.
const CONDITIONS: [&str; 20] = [
    "none",
    "all",
    "as-is",
    "off",
    "unknown",
    "as-found",
    "idle",
    "polygons-memory",
    "calls",
    "loop",
    "service",
    "masked",
    "size",
    "cpu",
    "process",
    "test",
    "stretch",
    "experiment",
    "case",
    "name",
];
const KINDS: [&str; 6] = ["linux", "detent", "bare", "capture", "none", "fake"];
/// Larger numbers than this are replaced, except sizes: no other field of this project has larger numbers.
const MOST_NUMBER: u64 = 99_999;
const MOST_LETTERS: usize = 80;

pub struct Words<'a> {
    known: &'a BTreeSet<String>,
    others: BTreeMap<String, usize>,
}

impl<'a> Words<'a> {
    /// `known`: words of the project in addition to those listed here: scenarios, loads, operations, checks.
    pub fn new(known: &'a BTreeSet<String>) -> Self {
        Self { known, others: BTreeMap::new() }
    }

    /// The word itself if it belongs to the project, otherwise a number that stands for it.
    pub(crate) fn word(&mut self, word: &str) -> String {
        if self.has(word) {
            return word.to_string();
        }
        let next = self.others.len() + 1;
        let number = self.others.entry(word.to_string()).or_insert(next);
        format!("other-{number}")
    }

    fn has(&self, word: &str) -> bool {
        let tables: [&[&str]; 2] = [&MEASURES, &CONDITIONS];
        tables.iter().any(|table| table.contains(&word)) || self.known.contains(word)
    }

    pub(crate) fn list(&mut self, list: &str) -> String {
        list.split(", ").map(|word| self.word(word)).collect::<Vec<_>>().join(", ")
    }

    /// A series' variant. A number is a count or size of this project; a longer one could be an address or personal data, so it
    /// is replaced.
    pub(crate) fn field(&mut self, name: &str, value: &str) -> (String, String) {
        let number = value.parse::<u64>().ok().filter(|number| number.to_string() == value);
        let is_small = number.is_some_and(|number| number <= MOST_NUMBER || number.is_power_of_two());
        let value = if self.has(name) && is_small { value.to_string() } else { self.word(value) };
        (self.word(name), value)
    }

    /// A load or several: `spin@10+calls*4@20-30`. After a name only numbers may follow.
    pub fn load(&mut self, load: &str) -> String {
        let parts: Vec<String> = load.split('+').map(|part| self.one_load(part)).collect();
        parts.join("+")
    }

    fn one_load(&mut self, load: &str) -> String {
        let end = load.find(['@', '*']).unwrap_or(load.len());
        let (name, rest) = load.split_at(end);
        let numbers = rest.chars().all(|letter| letter.is_ascii_digit() || "@*-".contains(letter));
        let rest = if numbers && rest.len() <= 16 { rest } else { "" };
        format!("{}{rest}", self.word(name))
    }

    pub(crate) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }
}

pub(crate) fn kind(kind: &str) -> String {
    if KINDS.contains(&kind) { kind.to_string() } else { "other".to_string() }
}

/// A machine description, if it has only letters, digits, blanks and a few marks that cannot begin a path, an address or a host
/// name.
pub(crate) fn described(text: &str) -> String {
    let stays = |letter: &char| letter.is_ascii_alphanumeric() || " ()._+-,~".contains(*letter);
    text.chars().filter(stays).take(MOST_LETTERS).collect::<String>().trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_nobodys_is_a_number_and_the_same_word_the_same() {
        let known = BTreeSet::from(["linux-rt", "spin"].map(String::from));
        let mut words = Words::new(&known);
        let all = ["wakeup", "acme", "linux-rt", "64", "other", "acme"].map(|word| words.word(word));
        assert_eq!(all, ["wakeup", "other-1", "linux-rt", "other-2", "other-3", "other-1"]);
        assert_eq!(words.load("spin@10+acme@20+calls*4@20-30"), "spin@10+other-1@20+calls*4@20-30");
        assert_eq!(words.load("spin@/home/x"), "spin");
    }

    #[test]
    fn a_number_stays_where_it_is_how_many_or_how_large() {
        let known = BTreeSet::new();
        let mut words = Words::new(&known);
        let mut value = |name: &str, value: &str| words.field(name, value).1;
        assert_eq!([value("size", "64"), value("size", "1048576"), value("cpu", "3")], ["64", "1048576", "3"]);
        for (name, secret) in [("size", "0123456789"), ("cpu", "3232235777"), ("size", "007"), ("anna", "64")] {
            assert!(value(name, secret).starts_with("other-"), "{name}={secret}");
        }
    }

    #[test]
    fn the_words_of_a_list_stay() {
        let known = BTreeSet::new();
        let mut words = Words::new(&known);
        assert_eq!(words.list("as-is, off, as-is"), "as-is, off, as-is");
        assert_eq!(words.list("as-is, acme"), "as-is, other-1");
    }

    #[test]
    fn no_path_and_no_address_describes_a_machine() {
        assert_eq!(described("AMD EPYC (tm) 7R13"), "AMD EPYC (tm) 7R13");
        assert_eq!(described("/home/anna root@box:22"), "homeanna rootbox22");
        assert_eq!(described(&"x".repeat(1_000)).len(), MOST_LETTERS);
    }
}
