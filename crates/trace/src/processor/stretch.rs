// SPDX-License-Identifier: MIT OR Apache-2.0
//! A time during which one holder had a CPU.
use crate::blame::behind::Verdict;
use crate::event::function::Function;
use crate::event::{Section, Thread, Unpreempted};
use crate::processor::changes::{Plugging, Slowed};
use crate::thread::raise::Raise;

/// Who can hold a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The events do not show the holder.
    Unknown,
    /// The idle thread.
    Idle,
    /// A thread.
    Thread(Thread),
    /// An interrupt or softirq.
    Section(Section),
}

/// A page fault that does not wait is over within this time, unless the page is huge.
pub(crate) const FAULT_NS: u64 = 10_000;
/// A thread that leaves the CPU within this time after [`FAULT_NS`] waits for the page.
const LEAVES_NS: u64 = 40_000;

/// Whether a page fault used this time of a thread. The kernel records only the start of a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// No page fault.
    #[default]
    None,
    /// A page fault, or several in a row.
    Sure,
    /// Time after a page fault that was either long or already over; no event shows which.
    Perhaps,
}

/// A thread's time on its CPU between two switches, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay(pub(crate) u64);

/// A time during which one holder had the CPU. In the default, nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Start of the stretch.
    pub from_ns: u64,
    /// End of the stretch, and start of the next one.
    pub to_ns: u64,
    /// The innermost interrupt or softirq.
    pub section: Option<Section>,
    /// The interrupted thread, if known.
    pub thread: Option<Thread>,
    /// The thread's stay on the CPU, if known.
    pub stay: Option<Stay>,
    /// A priority that the thread got after the switch to it, if known.
    pub raise: Option<Raise>,
    /// A reschedule was pending at the end, but the scheduler had not run.
    pub asked: bool,
    /// Whether a page fault used this time.
    pub fault: Fault,
    /// Number of timers whose functions began in this time.
    pub timers: u32,
    /// The timer function that used most of this time, if known, and if its time was long or the timers were many.
    pub timer: Option<Function>,
    /// The work function that a kernel thread ran for most of this time.
    pub work: Option<Function>,
    /// Why a due interrupt did not come before the end; the kernel stack in that interrupt shows it.
    pub behind: Option<Verdict>,
    /// What the CPU ran until the scheduler could switch threads; the kernel stack in that switch shows it.
    pub unpreempted: Option<Unpreempted>,
    /// How slow the CPU was, if far below its highest frequency.
    pub slowed: Option<Slowed>,
    /// The machine was being cooled.
    pub cooled: bool,
    /// The CPU that was going offline or coming back.
    pub plugged: Option<Plugging>,
}

impl Stretch {
    /// Who held the CPU.
    pub fn holder(&self) -> Holder {
        match (self.section, self.thread) {
            (Some(section), _) => Holder::Section(section),
            (None, Some(Thread { id: 0, .. })) => Holder::Idle,
            (None, Some(thread)) => Holder::Thread(thread),
            (None, None) => Holder::Unknown,
        }
    }

    /// Whether a thread that goes to sleep at the end waits for a page.
    pub(crate) fn ends_in_fault(&self) -> bool {
        match self.fault {
            Fault::None => false,
            Fault::Sure => true,
            Fault::Perhaps => self.to_ns - self.from_ns <= LEAVES_NS,
        }
    }
}

/// A part of a window in which one holder had the CPU. If the holder interrupted a thread, the part contains that thread too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderShare {
    /// Start of the share.
    pub from_ns: u64,
    /// End of the share.
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
