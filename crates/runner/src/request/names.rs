// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names in help and completions, and the near one of a name that there is not. What is typed is judged by the probe's own list, which may be another probe's.
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

pub static MEASURES: [&str; 2] = ["wakeup", "wakeup-cold"];
/// Its loads, behind the two words that stand for none and for all.
pub static LOADS: [&str; 2 + backwall_model::LOADS.len()] = with_words();

const fn with_words() -> [&'static str; 2 + backwall_model::LOADS.len()] {
    let mut all = ["none"; 2 + backwall_model::LOADS.len()];
    all[1] = "all";
    let mut at = 0;
    while at < backwall_model::LOADS.len() {
        all[2 + at] = backwall_model::LOADS[at];
        at += 1;
    }
    all
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Names(pub(super) &'static [&'static str]);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
