// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names in help and completions, and the nearest name to an unknown one. Whether a typed name is valid depends on the chosen
//! probe's list, not on these names.
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

// `LOADS`: the loads of the carried probe, written by the build script.
include!(concat!(env!("OUT_DIR"), "/loads.rs"));

pub const MEASURES: [&str; 2] = ["wakeup", "wakeup-cold"];

#[derive(Clone, Copy, Debug)]
pub(super) struct Names(pub(super) &'static [&'static str], pub(super) &'static [&'static str]);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().chain(self.1).map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::probe::Probe;

    #[test]
    fn the_names_in_help_are_those_of_the_carried_probe() {
        let catalogue = Probe::carried().unwrap().catalogue().unwrap();
        assert_eq!(
            (&catalogue.measures[..], &catalogue.loads[..]),
            (&MEASURES.map(String::from)[..], &LOADS.map(String::from)[..])
        );
    }
}
