// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel may record two events for one wakeup, its start and its end. If the recording has starts, only these count, in every
//! format.
use super::receiver::Receiver;
use crate::event::{Event, Stamped};

#[derive(Debug)]
pub(super) struct Wakings<R> {
    receiver: R,
    /// A start was seen, so every end has a start.
    have_begins: bool,
}

impl<R: Receiver> Wakings<R> {
    pub(super) fn new(receiver: R) -> Self {
        Self { receiver, have_begins: false }
    }
}

impl<R: Receiver> Receiver for Wakings<R> {
    #[inline(always)]
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        match stamped.event {
            Event::Woken { thread, new, on } => {
                let mut give = |event| self.receiver.event(cpu, &Stamped { event, ..*stamped });
                if new || !self.have_begins {
                    give(Event::Waking { thread });
                }
                return on.into_iter().for_each(|on| give(Event::Placed { thread, on }));
            }
            Event::Waking { .. } => self.have_begins = true,
            _ => {}
        }
        self.receiver.event(cpu, stamped);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.receiver.gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.receiver.gap(cpu, at_ns);
    }

    fn is_done(&self) -> bool {
        self.receiver.is_done()
    }
}
