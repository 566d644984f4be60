// SPDX-License-Identifier: MIT OR Apache-2.0
//! What takes the events of a recording.
use crate::event::Stamped;

/// Takes the events of all processors in order of time.
pub trait Receiver {
    /// The next event.
    fn event(&mut self, cpu: u32, stamped: &Stamped);
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

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        (**self).gap(cpu, at_ns);
    }

    fn is_done(&self) -> bool {
        (**self).is_done()
    }
}
