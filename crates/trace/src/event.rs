// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's trace events that backwall uses.
pub mod function;
pub mod softirq;
pub mod symbols;

mod sources;

pub(crate) use sources::Kind;
pub use sources::{Besides, CALLS, Filter, Source, calls, marks, new_threads, packets, read_besides, sources};

use crate::blame::behind::Verdict;
use crate::event::function::Function;
use std::fmt;

/// A name of a thread or an interrupt, as trace records contain it: up to 16 bytes. Bytes after the first zero are ignored on
/// reading, because every switch has two names, and few are ever read.
///
/// The bytes are kept as two little-endian numbers, which the compiler passes in registers. An array would be copied through
/// memory in overlapping pieces, and the CPU would stall on its own stores.
#[derive(Clone, Copy, Default)]
pub struct Name {
    first: u64,
    rest: u64,
}

impl Name {
    pub(crate) const NONE: Self = Self { first: 0, rest: 0 };

    /// Takes the bytes up to the first zero, at most 16.
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> Self {
        match bytes.first_chunk() {
            Some(whole) => Self::of(*whole),
            None => {
                let mut name = [0; 16];
                name[..bytes.len()].copy_from_slice(bytes);
                Self::of(name)
            }
        }
    }

    #[inline(always)]
    const fn of(bytes: [u8; 16]) -> Self {
        let whole = u128::from_le_bytes(bytes);
        Self { first: whole as u64, rest: (whole >> u64::BITS) as u64 }
    }

    #[inline(always)]
    fn whole(&self) -> u128 {
        u128::from(self.first) | u128::from(self.rest) << u64::BITS
    }

    fn letters(&self) -> impl Iterator<Item = u8> {
        self.whole().to_le_bytes().into_iter().take_while(|byte| *byte != 0)
    }

    #[inline]
    fn spelling(&self) -> u128 {
        const ONES: u128 = u128::MAX / 0xff;
        let whole = self.whole();
        // The lowest bit set in `zeros` is the top bit of the first zero byte (Warren, Hacker's Delight, 6-1).
        let zeros = whole.wrapping_sub(ONES) & !whole & (ONES << 7);
        let first = zeros & zeros.wrapping_neg();
        whole & (first >> 7).wrapping_sub(1)
    }

    /// The name as two numbers; equal names have equal numbers.
    #[inline]
    pub(crate) fn words(&self) -> [u64; 2] {
        let letters = self.spelling();
        [letters as u64, (letters >> u64::BITS) as u64]
    }

    /// Whether the name, as printed, is this text.
    pub fn is_shown_as(&self, text: &str) -> bool {
        // The text is compared as printed only if it contains a replacement character.
        self.letters().eq(text.bytes()) || (text.contains(['?', '\u{fffd}']) && self.to_string() == text)
    }

    /// Whether the name begins with this text.
    pub fn starts_with(&self, letters: &str) -> bool {
        self.spelling().to_le_bytes().starts_with(letters.as_bytes())
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.whole() == other.whole() || self.spelling() == other.spelling()
    }
}

impl Eq for Name {}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.spelling().hash(state);
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: Vec<u8> = self.letters().collect();
        f.pad(&String::from_utf8_lossy(&letters).replace(|c: char| c.is_control(), "?"))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// The first priority, on the kernel's scale, that is not real-time.
pub(crate) const ORDINARY: i32 = 100;

/// A thread, as the scheduler's events describe it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The thread's number (TID); 0 is the idle thread of a CPU.
    pub id: i32,
    /// Priority on the kernel's scale: below 0 deadline, 0 to 98 real-time (0 is highest), 100 to 139 ordinary. Detent's 256
    /// priorities are -1256 to -1001.
    pub priority: i32,
    /// The thread's name (comm).
    pub name: Name,
}

impl Thread {
    /// A thread of which only the number is known; it gets the lowest priority.
    pub fn numbered(id: i32) -> Self {
        Self { id, priority: i32::MAX, name: Name::default() }
    }

    /// Whether only the thread's number is known.
    pub fn is_number(&self) -> bool {
        self.priority == i32::MAX
    }

    /// Whether the fair scheduler runs the thread, so that not priority alone decides. True also if the priority is unknown.
    pub fn is_ordinary(&self) -> bool {
        self.priority >= ORDINARY
    }

    /// Whether this is a SCHED_DEADLINE thread.
    pub fn is_deadline(&self) -> bool {
        self.priority < 0
    }
}

/// What runs in place of a thread: an interrupt or a softirq, perhaps nested. The tag has 64 bits, so that the compiler copies
/// whole words: see [`Name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Section {
    /// An interrupt, by the name of its IRQ or vector.
    Interrupt(Name),
    /// A softirq, by its number.
    Softirq(u8),
}

/// What a signal does to a thread by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The signal stops the thread.
    Stops,
    /// The signal lets a stopped thread continue.
    Continues,
    /// The signal does neither.
    Other,
}

impl Signal {
    pub(crate) fn numbered(number: i32) -> Self {
        match number {
            libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => Self::Stops,
            libc::SIGCONT => Self::Continues,
            _ => Self::Other,
        }
    }
}

/// A cgroup's path; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub(crate) Function);

impl Group {
    /// The group with this path.
    pub fn named(path: &str) -> Self {
        Self(Function::named(path))
    }

    /// The group's path.
    pub fn path(self) -> &'static str {
        self.0.name()
    }
}

/// Name of an IPI on machines where IPIs are ordinary interrupts. Newer kernels record two nested events for each, older kernels
/// only the inner one.
pub(crate) const CALL: Name = Name::of(*b"IPI\0\0\0\0\0\0\0\0\0\0\0\0\0");

/// A text that a program wrote to `trace_marker`: its first line, up to 48 bytes. So it is no larger than a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkText([Name; 3]);

impl MarkText {
    /// At most this many bytes of the text are kept.
    pub const BYTES: usize = 48;

    /// Takes the first line of what the program wrote.
    pub fn new(bytes: &[u8]) -> Self {
        let end = bytes.iter().position(|byte| matches!(byte, 0 | b'\n')).unwrap_or(bytes.len());
        let mut pieces = bytes[..end].chunks(16);
        Self([(); 3].map(|()| pieces.next().map_or(Name::NONE, Name::new)))
    }
}

impl fmt::Display for MarkText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters: Vec<u8> = self.0.iter().flat_map(Name::letters).collect();
        f.write_str(&String::from_utf8_lossy(&letters).replace(|c: char| c.is_control(), "?"))
    }
}

/// An event in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The CPU switches from one thread to another.
    Switch {
        /// The thread that leaves the CPU.
        from: Thread,
        /// Whether the thread was preempted; if not, it blocked.
        preempted: bool,
        /// The thread that gets the CPU.
        to: Thread,
    },
    /// A wakeup is complete: it follows [`Event::Waking`], if that is recorded. Only recordings have this event; their readers
    /// pass it on as [`Event::Waking`] or drop it.
    Woken {
        /// The woken thread.
        thread: i32,
        /// Whether the thread is new; no other event shows a new thread's wakeup.
        new: bool,
        /// The CPU on whose runqueue the thread was put, if recorded.
        on: Option<u32>,
    },
    /// A wakeup begins.
    Waking {
        /// The thread that is woken.
        thread: i32,
    },
    /// A high-resolution timer is set.
    TimerStart {
        /// The timer's address, unique while it is set.
        timer: u64,
        /// When the timer is set to expire, by its own clock, without slack.
        expiry_ns: u64,
        /// By how much the kernel may delay the timer.
        slack_ns: u64,
    },
    /// The function of an expired timer begins.
    TimerExpire {
        /// The timer's address.
        timer: u64,
        /// The timer's function, if its name is known.
        function: Option<Function>,
    },
    /// The function of a low-resolution timer begins, usually in a softirq.
    CoarseTimer {
        /// The timer's function, if its name is known.
        function: Option<Function>,
    },
    /// A kworker begins a queued work item.
    Work {
        /// The work's function, if its name is known.
        function: Option<Function>,
    },
    /// The work item has ended.
    WorkEnd,
    /// The thread enters a system call.
    Call {
        /// Name of the system call.
        name: Name,
    },
    /// A network packet is received or sent.
    Packet {
        /// Name of the network device.
        device: Name,
        /// Whether the packet is sent; if not, it is received.
        sent: bool,
    },
    /// A program wrote a text to `trace_marker`.
    Mark {
        /// The beginning of the text.
        text: MarkText,
    },
    /// An interrupt or softirq begins.
    Enter(Section),
    /// An interrupt or softirq ends.
    Leave(Section),
    /// `clock_nanosleep` is about to return to its caller.
    SleepEnd,
    /// The thread calls `futex`.
    Futex {
        /// Whether the call waits for a lock.
        locks: bool,
    },
    /// The thread's call of `futex` is about to return.
    FutexEnd,
    /// A page fault of the thread, or of the kernel in the thread's time. No event shows the fault's end.
    PageFault,
    /// Priority inheritance changes a thread's priority, given on the scale of [`Thread::priority`].
    Inherit {
        /// The thread whose priority changes.
        thread: i32,
        /// Priority before.
        from: i32,
        /// Priority after.
        to: i32,
    },
    /// Preemption or interrupts are disabled or enabled on the CPU.
    Masks {
        /// True for preemption, false for interrupts.
        preemption: bool,
        /// Whether the interrupts, or preemption, are disabled.
        on: bool,
    },
    /// The kernel stack recorded in the previous interrupt, and what this stack says about the delay.
    Stack(Verdict),
    /// The running thread sends a signal.
    Signalled {
        /// Number of the thread or process that gets the signal.
        thread: i32,
        /// What the signal does to the thread.
        signal: Signal,
    },
    /// The running thread freezes or thaws all threads of a cgroup.
    Freezes {
        /// The cgroup.
        group: Group,
        /// True to freeze, false to thaw.
        on: bool,
    },
    /// A CPU's frequency changes.
    Frequency {
        /// The CPU whose frequency changes.
        cpu: u32,
        /// The new frequency.
        khz: u32,
    },
    /// The highest allowed frequency of a CPU changes.
    FrequencyLimit {
        /// The CPU whose limit changes.
        cpu: u32,
        /// The new limit.
        khz: u32,
    },
    /// Cooling of the machine begins or ends, or a thermal zone asks for it.
    Cools {
        /// The cooling device, or the hot thermal zone.
        what: Function,
        /// Whether the cooling begins.
        on: bool,
    },
    /// A step of taking a CPU offline or online.
    Plugs {
        /// The CPU that goes offline or online.
        cpu: u32,
        /// Whether the step takes it offline; `None` at the end of a step.
        down: Option<bool>,
    },
    /// A ready thread was put on a runqueue. Only readers of recordings produce this event.
    Placed {
        /// The thread that was put on the runqueue.
        thread: i32,
        /// The CPU of the runqueue.
        on: u32,
    },
    /// Before the next switch, the scheduler could not preempt the thread; the kernel stack in that switch shows why. Only
    /// readers of recordings produce this event.
    Unpreempted(Unpreempted),
    /// A measurement that a tool wrote into the trace. Only recordings have it.
    Measured(ToolFigure),
    /// A thread moves to another CPU.
    Migrate {
        /// The thread that moves.
        thread: i32,
        /// The CPU to which the thread moves.
        to: u32,
    },
}

/// The function that ran while the scheduler could not preempt the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpreempted {
    /// The function on the stack.
    pub function: Function,
    /// The function's caller, if the recorded stack reaches it.
    pub caller: Option<Function>,
}

/// A measurement that a tool wrote into the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFigure {
    /// The timerlat tracer, in the interrupt of its timer: time since the expiry.
    Irq {
        /// The measured time.
        ns: u64,
    },
    /// The timerlat tracer, in its thread: time since the expiry.
    Thread {
        /// The measured time.
        ns: u64,
    },
    /// The timerlat tracer, when its thread returns from user space: time since the expiry.
    User {
        /// The measured time.
        ns: u64,
    },
    /// The timerlat or osnoise tracer: something had the CPU; nested parts are not counted.
    Noise {
        /// What had the CPU.
        by: Noise,
        /// When the noise began, by the trace's clock in nanoseconds.
        from_ns: u64,
        /// How long the noise lasted.
        ns: u64,
    },
    /// The osnoise tracer: its thread was off the CPU for longer than the threshold.
    Gap {
        /// When the gap began.
        from_ns: u64,
        /// How long the gap lasted.
        ns: u64,
    },
    /// A program wrote that its response took this long, before it stopped the trace.
    Mark {
        /// The measured time.
        ns: u64,
    },
}

/// What had the CPU according to timerlat or osnoise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// An interrupt or softirq.
    Section(Section),
    /// A thread.
    Thread(Thread),
}

impl Event {
    /// Whether the event shows what keeps the thread `of` from running, or what lets it continue.
    #[inline(always)]
    pub(crate) fn is_of_holds(&self, of: i32) -> bool {
        match self {
            Self::Waking { thread } => *thread == of,
            Self::Signalled { .. } | Self::Freezes { .. } => true,
            _ => false,
        }
    }
}

impl Event {
    /// Whether the event is a change of the machine: frequency, cooling, a CPU going offline.
    #[inline(always)]
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Frequency { .. } | Self::FrequencyLimit { .. } | Self::Cools { .. } | Self::Plugs { .. })
    }
}

/// Parts of the names of cooling devices that slow down CPUs; fans have other names.
const SLOWS: [&str; 4] = ["rocessor", "cpu", "powerclamp", "idle"];

/// Whether a cooling device that was set to `target` slows down CPUs.
pub(crate) fn slows(device: &str, target: u64) -> bool {
    target > 0 && SLOWS.iter().any(|part| device.contains(part))
}

/// An event with its time and context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// The event's time by the trace's clock.
    pub at_ns: u64,
    /// Number of the thread on the CPU, even if an interrupt was running.
    pub thread: i32,
    /// Whether the thread itself was running, not an interrupt or a softirq.
    pub in_thread: bool,
    /// need-resched was set, and the scheduler had not run yet.
    pub to_switch: bool,
    /// The event itself.
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_name_ends_at_its_first_zero_and_after_16_bytes(bytes in proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 0..20)) {
            let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()).min(16);
            let mut expected = [0; 16];
            expected[..length].copy_from_slice(&bytes[..length]);
            let name = Name::new(&bytes);
            prop_assert_eq!(name.letters().collect::<Vec<u8>>(), &expected[..length]);
            prop_assert_eq!(name, Name::of(expected));
        }
    }

    #[test]
    fn a_mark_is_its_first_line_up_to_48_bytes() {
        assert_eq!(MarkText::new(b"frame 12 of the camera\nmore\0").to_string(), "frame 12 of the camera");
        assert_eq!(MarkText::new(&[b'x'; 90]).to_string(), "x".repeat(MarkText::BYTES));
        assert_eq!(MarkText::new(b"").to_string(), "");
    }

    #[test]
    fn a_name_is_shown_without_control_characters() {
        assert_eq!(Name::new(b"a\nb\x1b[31m\xff").to_string(), "a?b?[31m\u{fffd}");
    }
}
