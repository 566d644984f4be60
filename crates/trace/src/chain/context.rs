// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds who caused a wakeup: a thread, an interrupt or a softirq.
use super::states::Waker;
use crate::event::{Event, Section, Stamped};
use crate::processor::Processor;

// A softirq that begins within this time after an interrupt counts as that interrupt's.
const BEHIND_INTERRUPT_NS: u64 = 2_000;
/// When a thread sends over loopback, the kernel runs this softirq in that thread's time.
pub(super) const NET_RX: u8 = 3;

#[derive(Clone, Copy, Debug, Default)]
struct Context {
    left_interrupt_ns: u64,
    entered_softirq_ns: u64,
    behind_interrupt: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Contexts {
    cpus: Vec<Context>,
}

impl Contexts {
    fn of(&mut self, cpu: u32) -> &mut Context {
        let place = cpu as usize;
        if self.cpus.len() <= place {
            self.cpus.resize(place + 1, Context::default());
        }
        &mut self.cpus[place]
    }

    pub(super) fn forget(&mut self) {
        self.cpus.clear();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, cpu: u32, stamped: &Stamped) {
        match stamped.event {
            Event::Enter(Section::Softirq(_)) => {
                let context = self.of(cpu);
                let since_ns = stamped.at_ns.saturating_sub(context.left_interrupt_ns);
                context.entered_softirq_ns = stamped.at_ns;
                context.behind_interrupt = since_ns <= BEHIND_INTERRUPT_NS || stamped.thread == 0;
            }
            Event::Leave(Section::Interrupt(_)) => self.of(cpu).left_interrupt_ns = stamped.at_ns,
            Event::Leave(Section::Softirq(_)) => {
                // Another softirq may follow; it belongs to the same interrupt.
                let context = self.of(cpu);
                if context.behind_interrupt {
                    context.left_interrupt_ns = stamped.at_ns;
                }
            }
            _ => {}
        }
    }

    pub(super) fn entered_softirq_ns(&self, cpu: u32) -> Option<u64> {
        self.cpus.get(cpu as usize).map(|context| context.entered_softirq_ns)
    }

    pub(super) fn waker(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) -> (Waker, Option<u8>) {
        if stamped.in_thread {
            return (Waker::Thread(stamped.thread), None);
        }
        match processor.section() {
            Some(Section::Softirq(NET_RX)) if stamped.thread != 0 && !self.of(cpu).behind_interrupt => {
                (Waker::Thread(stamped.thread), Some(NET_RX))
            }
            Some(section @ Section::Softirq(number)) => (Waker::Section(section), Some(number)),
            Some(section) => (Waker::Section(section), None),
            None => (Waker::Unknown, None),
        }
    }
}
