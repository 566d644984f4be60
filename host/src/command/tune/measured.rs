// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loop that a trial measures, as options.
use crate::compare::Question;
use crate::options::Global;
use crate::units::{self, Nanoseconds};

/// Options of a trial.
#[derive(clap::Args, Debug)]
pub(super) struct Measured {
    /// The processor that is measured [default: the first isolated one, else the last one allowed]
    #[arg(short = 'a', long, value_name = "N")]
    pub(super) cpu: Option<u32>,
    /// An application whose threads are measured instead of a loop of ours, as backwall watch names it: a recipe, a name, or a number
    #[arg(long, value_name = "APP")]
    pub(super) app: Option<String>,
    /// Length of one slice, of which each side of a trial has six; a bare number is seconds
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::seconds)]
    pub(super) slice: Nanoseconds,
    /// The smallest relative improvement that counts; in time never less than 1 us, of a share never less than 25 %
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = super::super::compare::percent)]
    pub(super) effect: f64,
    /// Options of backwall run for the loop that is measured, behind --: all but its length, its processor and its folder
    #[arg(last = true, value_name = "RUN OPTIONS")]
    pub(super) words: Vec<String>,
}

impl Measured {
    /// What is asked of the two sides.
    pub(super) fn question(&self, global: &Global) -> Question {
        Question { effect: self.effect, seed: global.seed() }
    }
}
