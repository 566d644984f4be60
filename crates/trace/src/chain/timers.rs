// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timers that threads of hops set. A busy machine sets thousands of other timers; a look at one bit skips most of them.
use crate::event::{Event, Stamped};
use crate::late::timers::{Fired, Timers};
use crate::processor::Processor;

const BITS: u32 = 12;

#[derive(Clone, Debug)]
pub(super) struct HopTimers {
    timers: Timers,
    // Bits of the timers that a hop may have set, by a hash of the timer. If another thread sets a timer with such a bit again,
    // the timer is looked up too, because it may no longer be the hop's.
    may_be: [u64; 1 << (BITS - u64::BITS.ilog2())],
}

impl Default for HopTimers {
    fn default() -> Self {
        Self { timers: Timers::default(), may_be: [0; 1 << (BITS - u64::BITS.ilog2())] }
    }
}

impl HopTimers {
    #[inline(always)]
    pub(super) fn push(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor, by_hop: impl FnOnce() -> bool) {
        match stamped.event {
            Event::TimerStart { timer, .. } => {
                let (word, bit) = place(timer);
                if stamped.in_thread && by_hop() {
                    self.may_be[word] |= bit;
                }
                if self.may_be[word] & bit == 0 {
                    return;
                }
            }
            Event::TimerExpire { timer, .. } => {
                let (word, bit) = place(timer);
                if self.may_be[word] & bit == 0 {
                    self.timers.ended(cpu);
                    return;
                }
            }
            _ => {}
        }
        self.timers.push(cpu, stamped, processor);
    }

    pub(super) fn gap(&mut self, dark: bool) {
        self.timers.gap(dark);
    }

    #[inline(always)]
    pub(super) fn of(&self, cpu: u32, thread: i32) -> Option<&Fired> {
        self.timers.of(cpu, thread)
    }

    #[inline(always)]
    pub(super) fn fired(&self, cpu: u32) -> Option<Fired> {
        self.timers.fired(cpu).copied()
    }
}

#[inline(always)]
fn place(timer: u64) -> (usize, u64) {
    let hash = timer.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - BITS);
    ((hash >> u64::BITS.ilog2()) as usize, 1 << (hash & u64::from(u64::BITS - 1)))
}
