// SPDX-License-Identifier: MIT OR Apache-2.0
//! What takes the events of a recording.
use crate::event::Stamped;

/// Takes the events of all processors in order of time.
pub trait Receiver {
    /// The next event.
    fn event(&mut self, cpu: u32, stamped: &Stamped);
    /// Events of a processor are missing from this instant on. The call comes in time order, before later events of other
    /// processors. [`Receiver::gap`] ends the gap. A single missing event has no beginning of its own.
    fn gap_begins(&mut self, _cpu: u32, _at_ns: u64) {}
    /// Events of a processor are missing between the last one and this instant.
    fn gap(&mut self, cpu: u32, at_ns: u64);
    /// Whether it needs nothing more, so that reading can stop.
    fn is_done(&self) -> bool {
        false
    }
}

impl<R: Receiver + ?Sized> Receiver for &mut R {
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
