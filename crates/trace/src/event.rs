// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's events that matter to a response.
//!
//! `SOURCES` is the table: a new event is one row, one arm of `Kind`'s fields and one of its events in the decoder.
use super::behind::Verdict;
use super::function::Function;
use std::fmt;

/// A thread's or an interrupt's name as records carry it: up to 16 bytes. What follows the first zero is no part of it, and
/// is passed over where it is looked at: every switch brings two names, and hardly one is ever looked at.
///
/// The bytes are two little-endian numbers, which are passed on in registers. An array goes through memory, in pieces that
/// overlap, and the processor waits until what it stored in other pieces has been written.
#[derive(Clone, Copy, Default)]
pub struct Name {
    first: u64,
    rest: u64,
}

impl Name {
    /// No letter.
    pub(super) const NONE: Self = Self { first: 0, rest: 0 };

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

    /// The letters as a number, with zeros behind them.
    #[inline]
    fn spelling(&self) -> u128 {
        const ONES: u128 = u128::MAX / 0xff;
        let whole = self.whole();
        // Of the bits that are set here the lowest is the highest bit of the first zero byte: Warren, Hacker's Delight, 6-1.
        let zeros = whole.wrapping_sub(ONES) & !whole & (ONES << 7);
        let first = zeros & zeros.wrapping_neg();
        whole & (first >> 7).wrapping_sub(1)
    }

    /// Whether it is shown as this text.
    pub fn is_shown_as(&self, text: &str) -> bool {
        // Only what is replaced where it is shown needs to be shown for it.
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

/// The first of the kernel's priorities that is no real-time one.
pub(super) const ORDINARY: i32 = 100;

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
    /// A thread of which only the number is known as yet; its priority is taken for the lowest.
    pub fn numbered(id: i32) -> Self {
        Self { id, priority: i32::MAX, name: Name::default() }
    }

    /// Whether the fair scheduler has it, which knows no priority that always wins; also where its priority is not known.
    pub fn is_ordinary(&self) -> bool {
        self.priority >= ORDINARY
    }
}

/// What runs above threads, or inside another of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// An interrupt, by the name of its line or vector.
    Interrupt(Name),
    /// A softirq, by its number.
    Softirq(u8),
}

/// What a signal does to a thread as such, whatever its program makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It stops it, unless the program takes it for something else.
    Stops,
    /// It lets it go on.
    Continues,
    /// Neither.
    Other,
}

impl Signal {
    /// By its number, on every machine that is supported.
    pub(super) fn numbered(number: i32) -> Self {
        match number {
            libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => Self::Stops,
            libc::SIGCONT => Self::Continues,
            _ => Self::Other,
        }
    }
}

/// A control group by its path; small enough to be passed on as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(pub(super) Function);

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

/// What another processor's call of this one is called where it is a line like others. Such kernels tell it by two events, one within the
/// other; older ones by the inner alone.
pub(super) const CALL: Name = Name::of(*b"IPI\0\0\0\0\0\0\0\0\0\0\0\0\0");

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The processor changes threads.
    Switch {
        /// The one that leaves.
        from: Thread,
        /// It could have gone on: it was preempted, not blocked.
        preempted: bool,
        /// The one that comes.
        to: Thread,
    },
    /// A thread was made ready: the end of what [`Event::Waking`] begins, where that is recorded. Only recordings have it, and
    /// their readers give it on as a waking or not at all.
    Woken {
        /// Which.
        thread: i32,
        /// It is a new one, of which nothing else tells.
        new: bool,
    },
    /// A thread is being made ready.
    Waking {
        /// Which.
        thread: i32,
    },
    /// A timer is set.
    TimerStart {
        /// Its address, which tells timers apart while they are set.
        timer: u64,
        /// When it is to expire, by its own clock; before any slack that the kernel may use.
        expiry_ns: u64,
    },
    /// A timer's function begins.
    TimerExpire {
        /// Its address.
        timer: u64,
        /// The function, where its name is known.
        function: Option<Function>,
    },
    /// The function of one of the kernel's timers of coarse resolution begins, mostly in a softirq.
    CoarseTimer {
        /// Which, where its name is known.
        function: Option<Function>,
    },
    /// A thread of the kernel's begins a piece of work that was queued for it.
    Work {
        /// What does it, where its name is known.
        function: Option<Function>,
    },
    /// It has done that.
    WorkEnd,
    /// An interrupt or softirq begins.
    Enter(Section),
    /// An interrupt or softirq ends.
    Leave(Section),
    /// `clock_nanosleep` is about to return to its caller.
    SleepEnd,
    /// The thread calls `futex`, and whether that is to wait for a lock.
    Futex {
        /// It is.
        locks: bool,
    },
    /// The thread's call of `futex` is about to return.
    FutexEnd,
    /// A page that the thread, or the kernel for it, uses is not there or not its own yet; nothing tells when it is.
    PageFault,
    /// A thread's priority changes because of a lock that inherits it, on the scale of [`Thread::priority`].
    Inherit {
        /// Which.
        thread: i32,
        /// Before.
        from: i32,
        /// After.
        to: i32,
    },
    /// The kernel's stack in the interrupt that began just before, and what it tells of why that was late.
    Stack(Verdict),
    /// A thread, or the process that has its number, is sent a signal, by the thread on whose time that is.
    Signalled {
        /// Which.
        thread: i32,
        /// What that does to it.
        signal: Signal,
    },
    /// All threads of a control group are frozen or thawed, by the thread on whose time that is.
    Freezes {
        /// Which.
        group: Group,
        /// They are frozen.
        on: bool,
    },
    /// A processor's frequency changes.
    Frequency {
        /// Which.
        cpu: u32,
        /// To this, in kHz.
        khz: u32,
    },
    /// The highest frequency that a processor is allowed changes.
    FrequencyLimit {
        /// Which.
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
    /// A step of taking a processor off line, or of its coming back.
    Plugs {
        /// Which.
        cpu: u32,
        /// It begins, and the processor goes; `None`: it has ended.
        down: Option<bool>,
    },
    /// A thread is given to another processor.
    Migrate {
        /// Which.
        thread: i32,
        /// The other processor.
        to: u32,
    },
}

impl Event {
    /// Whether it tells of who keeps that thread from its work, or lets it go on.
    #[inline(always)]
    pub(super) fn is_of_holds(&self, of: i32) -> bool {
        match self {
            Self::Waking { thread } => *thread == of,
            Self::Signalled { .. } | Self::Freezes { .. } => true,
            _ => false,
        }
    }
}

impl Event {
    /// Whether it tells of a change of the machine, of whichever processor.
    #[inline(always)]
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Frequency { .. } | Self::FrequencyLimit { .. } | Self::Cools { .. } | Self::Plugs { .. })
    }
}

/// What a device that cools is called, in part, where it does so by slowing processors; a fan does not.
const SLOWS: [&str; 4] = ["rocessor", "cpu", "powerclamp", "idle"];

/// Whether a device that cools, and has been set to this, slows processors.
pub(super) fn slows(device: &str, target: u64) -> bool {
    target > 0 && SLOWS.iter().any(|part| device.contains(part))
}

/// An event with its circumstances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// By the trace's clock.
    pub at_ns: u64,
    /// The thread on the processor, also when an interrupt stands above it.
    pub thread: i32,
    /// No interrupt or softirq stood above the thread.
    pub in_thread: bool,
    /// The scheduler was asked to take the processor from the thread, and had not run yet.
    pub to_switch: bool,
    /// What happened.
    pub event: Event,
}

/// Which records of an event the kernel need not write, once the awaited thread is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// All are wanted.
    None,
    /// Those caused by the thread.
    By,
    /// Those about the thread.
    About,
}

/// The events, as far as their records differ.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Switch,
    Waking,
    Woken { new: bool },
    TimerStart,
    TimerExpire,
    CoarseTimer,
    Work { begins: bool },
    Interrupt { enter: bool },
    Vector { enter: bool },
    Softirq { enter: bool },
    SleepEnd,
    Futex { enter: bool },
    PageFault,
    Inherit,
    Migrate,
    Signalled,
    Freezes { on: bool },
    Frequency { limit: bool },
    Cools,
    Temperature,
    Trip,
    Plugs { begins: bool },
    Stack,
}

/// One event that is recorded.
#[derive(Clone, Debug)]
pub struct Source {
    /// `sched/sched_switch` …
    pub path: String,
    /// Without it there are no stages.
    pub needed: bool,
    /// What the kernel may leave out.
    pub filter: Filter,
    pub(super) kind: Kind,
    /// The fields that are read of its records.
    pub(super) fields: &'static [&'static str],
}

/// What is recorded of every processor only where it is asked for, for what it costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Besides {
    /// Calls that may wait for a lock: every system call is slower.
    pub locks: bool,
    /// Page faults: a busy machine has them by the hundred thousand.
    pub faults: bool,
    /// Only threads whose names begin so matter: page faults of no others are recorded, and of processors that are not recorded
    /// whole, who keeps these from their work.
    pub of: Option<&'static str>,
}

const SWITCH: &[&str] = &["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"];

/// Written by a trigger of another event, where that is set.
const KERNEL_STACK: &str = "ftrace/kernel_stack";

/// The events that every kernel names alike: path, needed, filter, kind, fields.
const SOURCES: &[(&str, bool, Filter, Kind, &[&str])] = &[
    ("sched/sched_switch", true, Filter::None, Kind::Switch, SWITCH),
    ("sched/sched_waking", true, Filter::About, Kind::Waking, &["pid"]),
    ("timer/hrtimer_start", true, Filter::By, Kind::TimerStart, &["hrtimer", "softexpires"]),
    ("timer/hrtimer_expire_entry", true, Filter::None, Kind::TimerExpire, &["hrtimer", "function"]),
    ("timer/timer_expire_entry", false, Filter::None, Kind::CoarseTimer, &["function"]),
    ("workqueue/workqueue_execute_start", false, Filter::None, Kind::Work { begins: true }, &["function"]),
    ("workqueue/workqueue_execute_end", false, Filter::None, Kind::Work { begins: false }, &[]),
    ("irq/irq_handler_entry", false, Filter::None, Kind::Interrupt { enter: true }, &["name"]),
    ("irq/irq_handler_exit", false, Filter::None, Kind::Interrupt { enter: false }, &[]),
    ("irq/softirq_entry", false, Filter::None, Kind::Softirq { enter: true }, &["vec"]),
    ("irq/softirq_exit", false, Filter::None, Kind::Softirq { enter: false }, &["vec"]),
    ("ipi/ipi_entry", false, Filter::None, Kind::Vector { enter: true }, &[]),
    ("ipi/ipi_exit", false, Filter::None, Kind::Vector { enter: false }, &[]),
    ("syscalls/sys_exit_clock_nanosleep", false, Filter::By, Kind::SleepEnd, &[]),
    ("syscalls/sys_enter_futex", false, Filter::By, Kind::Futex { enter: true }, &["op", "val"]),
    ("syscalls/sys_exit_futex", false, Filter::By, Kind::Futex { enter: false }, &[]),
    ("exceptions/page_fault_user", false, Filter::By, Kind::PageFault, &[]),
    ("exceptions/page_fault_kernel", false, Filter::By, Kind::PageFault, &[]),
    ("signal/signal_generate", false, Filter::None, Kind::Signalled, &["pid", "sig"]),
    ("cgroup/cgroup_freeze", false, Filter::None, Kind::Freezes { on: true }, &["path"]),
    ("cgroup/cgroup_unfreeze", false, Filter::None, Kind::Freezes { on: false }, &["path"]),
    ("sched/sched_pi_setprio", false, Filter::None, Kind::Inherit, &["pid", "oldprio", "newprio"]),
    ("power/cpu_frequency", false, Filter::None, Kind::Frequency { limit: false }, &["state", "cpu_id"]),
    ("power/cpu_frequency_limits", false, Filter::None, Kind::Frequency { limit: true }, &["max_freq", "cpu_id"]),
    ("thermal/cdev_update", false, Filter::None, Kind::Cools, &["type", "target"]),
    ("thermal/thermal_temperature", false, Filter::None, Kind::Temperature, &["thermal_zone"]),
    ("thermal/thermal_zone_trip", false, Filter::None, Kind::Trip, &["thermal_zone", "trip_type"]),
    ("cpuhp/cpuhp_enter", false, Filter::None, Kind::Plugs { begins: true }, &["cpu", "target"]),
    ("cpuhp/cpuhp_multi_enter", false, Filter::None, Kind::Plugs { begins: true }, &["cpu", "target"]),
    ("cpuhp/cpuhp_exit", false, Filter::None, Kind::Plugs { begins: false }, &["cpu"]),
    (KERNEL_STACK, false, Filter::None, Kind::Stack, &["size", "caller"]),
    ("sched/sched_migrate_task", false, Filter::About, Kind::Migrate, &["pid", "dest_cpu"]),
];

impl Source {
    /// Its name without the folder.
    pub fn event(&self) -> &str {
        self.path.split('/').next_back().unwrap_or_default()
    }

    /// Whether it tells of a response of any thread, from its timer on, and costs no more than that: no system call and no page
    /// fault is recorded.
    pub fn is_of_responses(&self) -> bool {
        !self.slows_system_calls() && !self.is_of_faults() && !matches!(self.kind, Kind::Migrate)
    }

    /// Whether every system call of the machine takes the kernel's slow way while it is on.
    pub fn slows_system_calls(&self) -> bool {
        matches!(self.kind, Kind::SleepEnd | Kind::Futex { .. })
    }

    /// Whether it tells of page faults, which a busy machine has by the hundred thousand.
    pub fn is_of_faults(&self) -> bool {
        matches!(self.kind, Kind::PageFault)
    }

    /// A filter as the kernel reads it, of an event of which only a few tell something.
    pub fn only(&self) -> Option<&'static str> {
        matches!(self.kind, Kind::Signalled).then_some("sig >= 18 && sig <= 22")
    }

    /// Whether it tells, on a processor where nothing else is recorded, of who keeps a thread of another one from its work.
    pub fn is_of_elsewhere(&self) -> bool {
        matches!(self.kind, Kind::Waking | Kind::Signalled | Kind::Freezes { .. }) || self.is_of_machine()
    }

    /// Whether it tells of a change of the machine itself, whichever processor it is written on.
    pub fn is_of_machine(&self) -> bool {
        self.is_of_frequency() || matches!(self.kind, Kind::Cools | Kind::Temperature | Kind::Trip | Kind::Plugs { .. })
    }

    /// Whether it tells of the frequency of one processor.
    pub fn is_of_frequency(&self) -> bool {
        matches!(self.kind, Kind::Frequency { .. })
    }

    /// Whether it is the kernel's stack, which is no event to be switched on: another event's trigger writes it.
    pub fn is_of_stacks(&self) -> bool {
        matches!(self.kind, Kind::Stack)
    }

    /// Whether it tells of calls that may wait for a lock.
    pub fn is_of_locks(&self) -> bool {
        matches!(self.kind, Kind::Futex { .. })
    }
}

/// The events of `SOURCES`, and the vectors of this kernel (`irq_vectors/…_entry`) where it has such events.
pub fn sources(vectors: impl IntoIterator<Item = String>) -> Vec<Source> {
    let fixed =
        SOURCES.iter().map(|&(path, needed, filter, kind, fields)| (path.to_string(), needed, filter, kind, fields));
    let vectors = vectors.into_iter().filter_map(|event| {
        let enter = event.ends_with("_entry");
        let wanted = enter || event.ends_with("_exit");
        let row = (format!("irq_vectors/{event}"), false, Filter::None, Kind::Vector { enter }, &[] as &[&str]);
        wanted.then_some(row)
    });
    let all = fixed.chain(vectors);
    all.map(|(path, needed, filter, kind, fields)| Source { path, needed, filter, kind, fields }).collect()
}

/// What tells that a new thread was made ready; nothing else does.
pub fn new_threads() -> Source {
    woken("sched/sched_wakeup_new", true)
}

/// Events that a recording may have besides ours or instead: the end of a waking, and of a new thread's.
pub fn read_besides() -> [Source; 2] {
    [woken("sched/sched_wakeup", false), new_threads()]
}

fn woken(path: &str, new: bool) -> Source {
    let kind = Kind::Woken { new };
    Source { path: path.to_string(), needed: false, filter: Filter::None, kind, fields: &["pid"] }
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
    fn a_name_is_shown_without_control_characters() {
        assert_eq!(Name::new(b"a\nb\x1b[31m\xff").to_string(), "a?b?[31m\u{fffd}");
    }
}
