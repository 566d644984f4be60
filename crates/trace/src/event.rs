// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's events that matter to a response.
pub mod function;
pub mod softirq;
pub mod symbols;

mod sources;

pub(crate) use sources::Kind;
pub use sources::{Besides, CALLS, Filter, Source, calls, marks, new_threads, packets, read_besides, sources};

use crate::blame::behind::Verdict;
use crate::event::function::Function;
use std::fmt;

/// A thread's or an interrupt's name as records carry it: up to 16 bytes. Bytes after the first zero are ignored when it is read:
/// every switch brings two names, and hardly one is ever read.
///
/// The bytes are two little-endian numbers, which are passed in registers. An array would go through memory in overlapping
/// pieces, and the CPU would wait until its earlier stores are complete.
#[derive(Clone, Copy, Default)]
pub struct Name {
    first: u64,
    rest: u64,
}

impl Name {
    pub(crate) const NONE: Self = Self { first: 0, rest: 0 };

    /// The bytes up to the first zero, 16 at most.
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
        // Of the bits that are set here the lowest is the highest bit of the first zero byte: Warren, Hacker's Delight, 6-1.
        let zeros = whole.wrapping_sub(ONES) & !whole & (ONES << 7);
        let first = zeros & zeros.wrapping_neg();
        whole & (first >> 7).wrapping_sub(1)
    }

    /// The letters as two numbers: the same for names that are the same.
    #[inline]
    pub(crate) fn words(&self) -> [u64; 2] {
        let letters = self.spelling();
        [letters as u64, (letters >> u64::BITS) as u64]
    }

    /// Whether it is shown as this text.
    pub fn is_shown_as(&self, text: &str) -> bool {
        // Only fields that are replaced where they are shown need this.
        self.letters().eq(text.bytes()) || (text.contains(['?', '\u{fffd}']) && self.to_string() == text)
    }

    /// Whether it begins with these letters.
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

/// The kernel's first priority that is not real-time.
pub(crate) const ORDINARY: i32 = 100;

/// A thread as the scheduler's events name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its number; 0 is the idle thread of a processor.
    pub id: i32,
    /// The kernel's scale: below 0 deadline, 0 to 98 real-time (0 highest), 100 to 139 ordinary; Detent's 256 are -1256 to -1001.
    pub priority: i32,
    /// Its name.
    pub name: Name,
}

impl Thread {
    /// A thread known by number only, with the lowest priority assumed.
    pub fn numbered(id: i32) -> Self {
        Self { id, priority: i32::MAX, name: Name::default() }
    }

    /// Whether only its number is known.
    pub fn is_number(&self) -> bool {
        self.priority == i32::MAX
    }

    /// Whether it is in the fair scheduler, where no priority always wins; also if its priority is unknown.
    pub fn is_ordinary(&self) -> bool {
        self.priority >= ORDINARY
    }

    /// Whether it is one of SCHED_DEADLINE.
    pub fn is_deadline(&self) -> bool {
        self.priority < 0
    }
}

/// Sections above threads, possibly nested. The tag is a whole word, so that copies use whole words: see [`Name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum Section {
    /// An interrupt, by the name of its line or vector.
    Interrupt(Name),
    /// A softirq, by its number.
    Softirq(u8),
}

/// Effect of a signal on a thread, whatever its program does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It stops it, unless the program handles it.
    Stops,
    /// It lets it go on.
    Continues,
    /// Neither.
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

/// A control group's path; cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub(crate) Function);

impl Group {
    /// By its path.
    pub fn named(path: &str) -> Self {
        Self(Function::named(path))
    }

    /// Its path.
    pub fn path(self) -> &'static str {
        self.0.name()
    }
}

/// Name of a call from another CPU where it is an ordinary line. Such kernels record two nested events, older ones only the inner.
pub(crate) const CALL: Name = Name::of(*b"IPI\0\0\0\0\0\0\0\0\0\0\0\0\0");

/// A program's mark: its first line, up to 48 bytes. It is no larger than the two threads of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkText([Name; 3]);

impl MarkText {
    /// Longest text that is kept.
    pub const BYTES: usize = 48;

    /// Of the bytes that the program wrote.
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

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The processor changes threads.
    Switch {
        /// The one that leaves.
        from: Thread,
        /// It could have continued: it was preempted, not blocked.
        preempted: bool,
        /// The one that comes.
        to: Thread,
    },
    /// A wakeup: the end of [`Event::Waking`], if recorded. Only recordings have it, and their readers pass it on as a waking or not at
    /// all.
    Woken {
        /// The thread.
        thread: i32,
        /// A new thread, which no other event shows.
        new: bool,
        /// The runqueue it was put on, if recorded.
        on: Option<u32>,
    },
    /// A thread is being made ready.
    Waking {
        /// The thread.
        thread: i32,
    },
    /// A timer is set.
    TimerStart {
        /// Its address, unique while set.
        timer: u64,
        /// Planned expiry by its own clock, without the kernel's slack.
        expiry_ns: u64,
        /// How much later the kernel may let it expire.
        slack_ns: u64,
    },
    /// A timer's function begins.
    TimerExpire {
        /// Its address.
        timer: u64,
        /// The function, if its name is known.
        function: Option<Function>,
    },
    /// A coarse kernel timer's function begins, usually in a softirq.
    CoarseTimer {
        /// The function, if its name is known.
        function: Option<Function>,
    },
    /// A thread of the kernel's begins a piece of work that was queued for it.
    Work {
        /// The function that does it, if its name is known.
        function: Option<Function>,
    },
    /// That work has ended.
    WorkEnd,
    /// The thread enters a system call.
    Call {
        /// Its name.
        name: Name,
    },
    /// A packet of the network.
    Packet {
        /// The device.
        device: Name,
        /// Given to the device; otherwise received from it.
        sent: bool,
    },
    /// A program wrote a text to `trace_marker`.
    Mark {
        /// Its beginning.
        text: MarkText,
    },
    /// An interrupt or softirq begins.
    Enter(Section),
    /// An interrupt or softirq ends.
    Leave(Section),
    /// `clock_nanosleep` is about to return to its caller.
    SleepEnd,
    /// The thread calls `futex`, and whether it does so to wait for a lock.
    Futex {
        /// It is.
        locks: bool,
    },
    /// The thread's call of `futex` is about to return.
    FutexEnd,
    /// A page fault of the thread, or of the kernel for it; no event shows its end.
    PageFault,
    /// A thread's priority changes because of a lock that inherits it, on the scale of [`Thread::priority`].
    Inherit {
        /// The thread.
        thread: i32,
        /// Priority before.
        from: i32,
        /// Priority after.
        to: i32,
    },
    /// The processor's preemption or its interrupts are disabled or enabled.
    Masks {
        /// Preemption; otherwise interrupts.
        preemption: bool,
        /// They are disabled.
        on: bool,
    },
    /// The kernel stack in the interrupt just before, with its verdict on the delay.
    Stack(Verdict),
    /// The running thread sends a signal to a thread, or to the process with that number.
    Signalled {
        /// The thread.
        thread: i32,
        /// What that does to it.
        signal: Signal,
    },
    /// The running thread freezes or thaws all threads of a control group.
    Freezes {
        /// The group.
        group: Group,
        /// They are frozen.
        on: bool,
    },
    /// A processor's frequency changes.
    Frequency {
        /// The CPU.
        cpu: u32,
        /// To this, in kHz.
        khz: u32,
    },
    /// The highest frequency that a processor is allowed changes.
    FrequencyLimit {
        /// The CPU.
        cpu: u32,
        /// To this, in kHz.
        khz: u32,
    },
    /// Something begins to cool the machine, or its heat asks for that, or it ends.
    Cools {
        /// The device that cools, or the zone that is hot.
        what: Function,
        /// It begins.
        on: bool,
    },
    /// A step of a CPU going offline or coming back.
    Plugs {
        /// The CPU.
        cpu: u32,
        /// It begins, and the CPU goes; `None`: it has ended.
        down: Option<bool>,
    },
    /// A ready thread was put on the queue of a processor. Only readers of recordings give it.
    Placed {
        /// The thread.
        thread: i32,
        /// Where it waits.
        on: u32,
    },
    /// The scheduler could take the processor from the thread only now, by the kernel's stack in the switch that follows. Only readers
    /// of recordings give it.
    Unpreempted(Unpreempted),
    /// A tool's own measurement, from recordings only.
    Measured(ToolFigure),
    /// A thread moves to another CPU.
    Migrate {
        /// The thread.
        thread: i32,
        /// The other processor.
        to: u32,
    },
}

/// What a CPU did until the scheduler could take it from its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpreempted {
    /// The function.
    pub function: Function,
    /// The caller, if the stack continues.
    pub caller: Option<Function>,
}

/// A measurement that a tool wrote into the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFigure {
    /// The timerlat tracer, in its timer's interrupt: time since the expiry.
    Irq {
        /// How long.
        ns: u64,
    },
    /// The same, in its thread.
    Thread {
        /// How long.
        ns: u64,
    },
    /// The same, as its thread returns from user space.
    User {
        /// How long.
        ns: u64,
    },
    /// timerlat's and osnoise's holder of the CPU, without nested ones.
    Noise {
        /// Who.
        by: Noise,
        /// From when on, by the trace's clock in nanoseconds.
        from_ns: u64,
        /// How long.
        ns: u64,
    },
    /// The tracer osnoise: its thread had no processor for longer than its threshold.
    Gap {
        /// From when on.
        from_ns: u64,
        /// How long.
        ns: u64,
    },
    /// A program's own mark that its response took this long and stops the trace.
    Mark {
        /// How long.
        ns: u64,
    },
}

/// Holder of a CPU according to timerlat and osnoise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// An interrupt or softirq.
    Section(Section),
    /// A thread.
    Thread(Thread),
}

impl Event {
    /// Whether it shows what keeps that thread from running, or lets it continue.
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
    /// Whether it is a machine change, on any CPU.
    #[inline(always)]
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Frequency { .. } | Self::FrequencyLimit { .. } | Self::Cools { .. } | Self::Plugs { .. })
    }
}

/// Parts of names of cooling devices that slow CPUs; a fan does not.
const SLOWS: [&str; 4] = ["rocessor", "cpu", "powerclamp", "idle"];

/// Whether a device that cools, and has been set to this, slows processors.
pub(crate) fn slows(device: &str, target: u64) -> bool {
    target > 0 && SLOWS.iter().any(|part| device.contains(part))
}

/// An event with its circumstances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// By the trace's clock.
    pub at_ns: u64,
    /// The CPU's thread, also under an interrupt.
    pub thread: i32,
    /// No interrupt or softirq ran above the thread.
    pub in_thread: bool,
    /// need-resched was set, and the scheduler had not run yet.
    pub to_switch: bool,
    /// What happened.
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
