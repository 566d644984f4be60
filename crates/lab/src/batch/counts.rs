// SPDX-License-Identifier: MIT OR Apache-2.0
use crate::batch::place::{Place, State};
use crate::batch::unit::Unit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub done: usize,
    pub running: usize,
    pub missing: usize,
}

impl Counts {
    pub fn of(place: &Place, units: &[Unit]) -> Self {
        let states: Vec<State> = units.iter().map(|unit| place.state(unit)).collect();
        let count = |wanted: State| states.iter().filter(|state| **state == wanted).count();
        Self { done: count(State::Done), running: count(State::Running), missing: count(State::Missing) }
    }

    pub fn sentence(&self) -> String {
        let Self { done, running, missing } = self;
        format!("{} units: {done} done, {running} running, {missing} missing", done + running + missing)
    }
}
