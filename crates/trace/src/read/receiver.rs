// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the events of a recording.
use crate::event::Stamped;

/// Takes the events of all CPUs in order of time.
pub trait Receiver {
    /// The next event.
    fn event(&mut self, cpu: u32, stamped: &Stamped);
    /// Events of a CPU are missing from this instant on. This call comes in order of time, before later events of other CPUs, and
    /// [`Receiver::gap`] ends the gap. A gap of a single event has no such call.
    fn gap_begins(&mut self, _cpu: u32, _at_ns: u64) {}
    /// Events of a CPU are missing between its last event and this instant.
    fn gap(&mut self, cpu: u32, at_ns: u64);
    /// Whether this receiver needs no further events, so that reading can stop.
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
