// SPDX-License-Identifier: MIT OR Apache-2.0
//! What takes the events of a recording.
use crate::event::Stamped;

/// Takes the events of all processors in order of time.
pub trait Receiver {
    fn event(&mut self, cpu: u32, stamped: &Stamped);
    /// Events of a processor are missing from this instant on: it is told in order of time, before what other processors did
    /// meanwhile. [`Receiver::gap`] tells the end. A single event that is missing has no beginning of its own.
    fn gap_begins(&mut self, _cpu: u32, _at_ns: u64) {}
    /// Events of a processor are missing between the last one and this instant.
    fn gap(&mut self, cpu: u32, at_ns: u64);
    /// Whether it wants nothing more, so that the rest need not be read.
    fn is_done(&self) -> bool {
        false
    }
}

impl<R: Receiver> Receiver for &mut R {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        (**self).event(cpu, stamped);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        (**self).gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        (**self).gap(cpu, at_ns);
    }

    fn is_done(&self) -> bool {
        (**self).is_done()
    }
}
