// SPDX-License-Identifier: MIT OR Apache-2.0
//! A time during which one held a processor, and who it was.
use super::behind::Verdict;
use super::changes::{Plugging, Slowed};
use super::event::{Section, Thread, Unpreempted};
use super::function::Function;
use super::raise::Raise;

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

/// A page fault that waits for nothing is dealt with by then, unless the page is a huge one.
pub(super) const FAULT_NS: u64 = 10_000;
/// Who leaves the processor no later than this after its [`FAULT_NS`] leaves to wait for the page.
const LEAVES_NS: u64 = 40_000;

/// Whether a thread's own time went to a page fault: the kernel tells when one begins, and not when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// It did not.
    #[default]
    None,
    /// It was one, or one upon the other.
    Sure,
    /// It followed one, which took long or was over: no event of the thread's own tells.
    Perhaps,
}

/// The time of a thread on its processor between two switches, by its place in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay(pub(super) u64);

/// A time during which one held the processor. Its default is one of which nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Its start.
    pub from_ns: u64,
    /// Its end, which is the start of the next.
    pub to_ns: u64,
    /// The innermost interrupt or softirq.
    pub section: Option<Section>,
    /// The thread below, where it is known.
    pub thread: Option<Thread>,
    /// The thread's stay on the processor, where it is known: the same for stretches between two switches.
    pub stay: Option<Stay>,
    /// What is known of a priority that the thread had not been switched in with.
    pub raise: Option<Raise>,
    /// The scheduler had been asked to take the processor from the thread, and had not run before the end.
    pub asked: bool,
    /// Whether it went to a page fault.
    pub fault: Fault,
    /// The timers whose functions began in it.
    pub timers: u32,
    /// The function that most of its time went to, where that is long or of many timers, and its name is known.
    pub timer: Option<Function>,
    /// The function of the queued work that a thread of the kernel's was at, where that was most of it.
    pub work: Option<Function>,
    /// What the kernel's stack tells of why an interrupt did not come before the end, where one that had been due did then.
    pub behind: Option<Verdict>,
    /// What the processor was at until the scheduler could take it from the thread, by the stack in the switch that ended this.
    pub unpreempted: Option<Unpreempted>,
    /// How slow the processor was, where it was far below its highest frequency.
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

    /// Whether a thread that leaves the processor of its own accord at the end of this leaves for a page fault.
    pub(super) fn ends_in_fault(&self) -> bool {
        match self.fault {
            Fault::None => false,
            Fault::Sure => true,
            Fault::Perhaps => self.to_ns - self.from_ns <= LEAVES_NS,
        }
    }
}

/// What is booked of a stretch: who held the processor, and on whose time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderShare {
    /// Its start.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// The innermost interrupt or softirq.
    pub section: Option<Section>,
    /// The number of the thread below, where it is known.
    pub thread: Option<i32>,
}

impl From<&Stretch> for HolderShare {
    fn from(stretch: &Stretch) -> Self {
        let Stretch { from_ns, to_ns, section, thread, .. } = *stretch;
        Self { from_ns, to_ns, section, thread: thread.map(|thread| thread.id) }
    }
}
