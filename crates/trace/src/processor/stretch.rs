// SPDX-License-Identifier: MIT OR Apache-2.0
//! A time during which one holder had a CPU.
use crate::blame::behind::Verdict;
use crate::event::function::Function;
use crate::event::{Section, Thread, Unpreempted};
use crate::processor::changes::{Plugging, Slowed};
use crate::thread::raise::Raise;

/// Who can hold a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The events do not tell.
    Unknown,
    /// The idle thread.
    Idle,
    /// A thread.
    Thread(Thread),
    /// An interrupt or softirq.
    Section(Section),
}

/// A page fault without waiting is over within this time, unless the page is huge.
pub(crate) const FAULT_NS: u64 = 10_000;
/// A thread that leaves within this time after its [`FAULT_NS`] leaves to wait for the page.
const LEAVES_NS: u64 = 40_000;

/// Whether a page fault used the thread's own time: the kernel records only its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// It did not.
    #[default]
    None,
    /// It was one, or several in sequence.
    Sure,
    /// It followed a fault that was long or finished; no event tells which.
    Perhaps,
}

/// A thread's time on its CPU between two switches, numbered in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay(pub(crate) u64);

/// A time during which one holder had the CPU. The default has nothing known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Its start.
    pub from_ns: u64,
    /// Its end, and the next one's start.
    pub to_ns: u64,
    /// The innermost interrupt or softirq.
    pub section: Option<Section>,
    /// The interrupted thread, if known.
    pub thread: Option<Thread>,
    /// The thread's stay on the CPU, if known: the same between two switches.
    pub stay: Option<Stay>,
    /// What is known of a priority the thread got after it was switched in.
    pub raise: Option<Raise>,
    /// A reschedule was requested, but the scheduler did not run before the end.
    pub asked: bool,
    /// Whether it went to a page fault.
    pub fault: Fault,
    /// Number of timers whose functions began in it.
    pub timers: u32,
    /// The function that used most of its time, if the stretch is long or has many timers and the name is known.
    pub timer: Option<Function>,
    /// The work function that a kernel thread spent most of it on.
    pub work: Option<Function>,
    /// Why a due interrupt did not come before the end, from the kernel's stack.
    pub behind: Option<Verdict>,
    /// What the CPU executed until the scheduler could switch threads, from the stack in the final switch.
    pub unpreempted: Option<Unpreempted>,
    /// How slow the CPU was, if far below its highest frequency.
    pub slowed: Option<Slowed>,
    /// The machine was being cooled.
    pub cooled: bool,
    /// The processor that was going off line or coming back.
    pub plugged: Option<Plugging>,
}

impl Stretch {
    /// Who held the processor.
    pub fn holder(&self) -> Holder {
        match (self.section, self.thread) {
            (Some(section), _) => Holder::Section(section),
            (None, Some(Thread { id: 0, .. })) => Holder::Idle,
            (None, Some(thread)) => Holder::Thread(thread),
            (None, None) => Holder::Unknown,
        }
    }

    /// Whether a thread that leaves the CPU by itself at the end leaves for a page fault.
    pub(crate) fn ends_in_fault(&self) -> bool {
        match self.fault {
            Fault::None => false,
            Fault::Sure => true,
            Fault::Perhaps => self.to_ns - self.from_ns <= LEAVES_NS,
        }
    }
}

/// A stretch's share: who held the CPU, and on whose time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderShare {
    /// Its start.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// The innermost interrupt or softirq.
    pub section: Option<Section>,
    /// The number of the interrupted thread, if known.
    pub thread: Option<i32>,
}

impl From<&Stretch> for HolderShare {
    fn from(stretch: &Stretch) -> Self {
        let Stretch { from_ns, to_ns, section, thread, .. } = *stretch;
        Self { from_ns, to_ns, section, thread: thread.map(|thread| thread.id) }
    }
}
