// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was executed between two instants, to the instruction, as the lab's instrument leaves it.
//!
//! [`recorded`] reads the file, [`visits`] puts the functions in order, [`hops`] divides an answer by the lines that answered, [`difference`] sets two of them side by side;
//! [`stretches`] gathers where interrupts were masked, [`tuned`] says what a setting makes of an answer, [`cost`] what a program's wake-up takes.
pub mod cost;
pub mod difference;
pub mod hops;
pub mod recorded;
pub mod stretches;
pub mod tuned;
pub mod visits;

use crate::lines::Lines;
use crate::symbols::Symbols;

/// The names of a machine's functions.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Of what runs in kernel mode.
    pub kernel: Symbols,
    /// Of what runs in user mode.
    pub programs: Symbols,
    /// Source lines of kernel-mode code, if its image has debug information.
    pub lines: Option<Lines>,
}

impl Names {
    /// The function that an address lies in.
    pub fn of(&self, address: u64, user: bool) -> Option<&str> {
        let names = if user { &self.programs } else { &self.kernel };
        names.name_of(address)
    }

    /// The source line of an address, if known.
    pub fn line_of(&self, address: u64, user: bool) -> Option<String> {
        if user { None } else { self.lines.as_ref()?.of(address) }
    }
}
