// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions that a guest executed between two instants, exact to the instruction, as recorded by the lab's instrument.
//!
//! [`recorded`] reads the file, [`visits`] lists the functions in order, [`hops`] divides an answer by the lines that answered,
//! [`difference`] compares two answers; [`stretches`] lists irqs-off sections, [`tuned`] shows the effect of a setting, [`cost`]
//! the cost of a program's wakeup.
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
    /// Functions that run in kernel mode.
    pub kernel: Symbols,
    /// Functions that run in user mode.
    pub programs: Symbols,
    /// Source lines of kernel-mode code, if its image has debug information.
    pub lines: Option<Lines>,
}

impl Names {
    /// The function that contains an address.
    pub fn of(&self, address: u64, user: bool) -> Option<&str> {
        let names = if user { &self.programs } else { &self.kernel };
        names.name_of(address)
    }

    /// The source line of an address, if known.
    pub fn line_of(&self, address: u64, user: bool) -> Option<String> {
        if user { None } else { self.lines.as_ref()?.of(address) }
    }
}
