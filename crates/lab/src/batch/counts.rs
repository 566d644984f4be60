// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a campaign is.
use crate::batch::place::{Place, State};
use crate::batch::unit::Unit;

/// How many units have come how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Done.
    pub done: usize,
    /// Some process is at them.
    pub running: usize,
    /// Neither.
    pub missing: usize,
}

impl Counts {
    /// Of the units of a campaign, as they are now.
    pub fn of(place: &Place, units: &[Unit]) -> Self {
        let states: Vec<State> = units.iter().map(|unit| place.state(unit)).collect();
        let count = |wanted: State| states.iter().filter(|state| **state == wanted).count();
        Self { done: count(State::Done), running: count(State::Running), missing: count(State::Missing) }
    }

    /// All of it in one sentence.
    pub fn sentence(&self) -> String {
        let Self { done, running, missing } = self;
        format!("{} units: {done} done, {running} being done, {missing} missing", done + running + missing)
    }
}
