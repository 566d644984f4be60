// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading that the user can end.
use backwall_trace::event::Stamped;
use backwall_trace::read::receiver::Receiver;

/// Passes a recording on until the caller gives up.
pub(crate) struct Until<R, F> {
    pub(crate) receiver: R,
    pub(crate) gives_up: F,
}

impl<R: Receiver, F: Fn() -> bool> Receiver for Until<R, F> {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        self.receiver.event(cpu, stamped);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.receiver.gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.receiver.gap(cpu, at_ns);
    }

    fn is_done(&self) -> bool {
        self.receiver.is_done() || (self.gives_up)()
    }
}
