// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's events that matter to a response, decoded without allocation.
//!
//! [`SOURCES`] is the table: a new event is one row and one arm of [`Decoder::decode`].
use super::format::{EventFormat, FormatError, Place};
use std::fmt;

/// A thread's or an interrupt's name as records carry it: up to 16 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Name([u8; 16]);

impl Name {
    /// The bytes up to the first zero, 16 at most.
    #[inline]
    pub fn new(bytes: &[u8]) -> Self {
        let mut name = [0; 16];
        match bytes.first_chunk() {
            Some(whole) => name = *whole,
            None => name[..bytes.len()].copy_from_slice(bytes),
        }
        Self(up_to_zero(u128::from_le_bytes(name)).to_le_bytes())
    }
}

/// Clears what follows the first zero byte, all 16 at once and without a branch: every switch brings two names. The lowest
/// bit of `zeros` is the highest of the first zero byte; what lies below that byte stays, all where there is none.
#[inline]
fn up_to_zero(name: u128) -> u128 {
    const LOW_BITS: u128 = u128::MAX / 0xff;
    let zeros = name.wrapping_sub(LOW_BITS) & !name & (LOW_BITS << 7);
    let first = zeros & zeros.wrapping_neg();
    name & (first >> 7).wrapping_sub(1)
}

impl Name {
    /// Whether it begins with these letters.
    pub fn starts_with(&self, letters: &str) -> bool {
        self.0.starts_with(letters.as_bytes())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(16);
        f.pad(&String::from_utf8_lossy(&self.0[..length]).replace(|c: char| c.is_control(), "?"))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// A thread as the scheduler's events name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its number; 0 is the idle thread of a processor.
    pub id: i32,
    /// The kernel's scale: below 0 deadline, 0 to 98 real-time (0 highest), 100 to 139 ordinary.
    pub priority: i32,
    /// Its name.
    pub name: Name,
}

impl Thread {
    /// A thread of which only the number is known as yet; its priority is taken for the lowest.
    pub fn numbered(id: i32) -> Self {
        Self { id, priority: i32::MAX, name: Name::default() }
    }
}

/// What runs above threads, or inside another of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// An interrupt, by the name of its line or vector.
    Interrupt(Name),
    /// A softirq, by its number.
    Softirq(u8),
}

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
    },
    /// An interrupt or softirq begins.
    Enter(Section),
    /// An interrupt or softirq ends.
    Leave(Section),
    /// `clock_nanosleep` is about to return to its caller.
    SleepEnd,
    /// A thread's priority changes because of a lock that inherits it, on the scale of [`Thread::priority`].
    Inherit {
        /// Which.
        thread: i32,
        /// Before.
        from: i32,
        /// After.
        to: i32,
    },
    /// A thread is given to another processor.
    Migrate {
        /// Which.
        thread: i32,
        /// The other processor.
        to: u32,
    },
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

#[derive(Clone, Copy, Debug)]
enum Kind {
    Switch,
    Waking,
    TimerStart,
    TimerExpire,
    Interrupt { enter: bool },
    Vector { enter: bool },
    Softirq { enter: bool },
    SleepEnd,
    Inherit,
    Migrate,
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
    kind: Kind,
    fields: &'static [&'static str],
}

const SWITCH: &[&str] = &["prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"];

/// The events that every kernel names alike: path, needed, filter, kind, fields.
const SOURCES: &[(&str, bool, Filter, Kind, &[&str])] = &[
    ("sched/sched_switch", true, Filter::None, Kind::Switch, SWITCH),
    ("sched/sched_waking", true, Filter::About, Kind::Waking, &["pid"]),
    ("timer/hrtimer_start", true, Filter::By, Kind::TimerStart, &["hrtimer", "softexpires"]),
    ("timer/hrtimer_expire_entry", true, Filter::None, Kind::TimerExpire, &["hrtimer"]),
    ("irq/irq_handler_entry", false, Filter::None, Kind::Interrupt { enter: true }, &["name"]),
    ("irq/irq_handler_exit", false, Filter::None, Kind::Interrupt { enter: false }, &[]),
    ("irq/softirq_entry", false, Filter::None, Kind::Softirq { enter: true }, &["vec"]),
    ("irq/softirq_exit", false, Filter::None, Kind::Softirq { enter: false }, &["vec"]),
    ("ipi/ipi_entry", false, Filter::None, Kind::Vector { enter: true }, &[]),
    ("ipi/ipi_exit", false, Filter::None, Kind::Vector { enter: false }, &[]),
    ("syscalls/sys_exit_clock_nanosleep", false, Filter::By, Kind::SleepEnd, &[]),
    ("sched/sched_pi_setprio", false, Filter::None, Kind::Inherit, &["pid", "oldprio", "newprio"]),
    ("sched/sched_migrate_task", false, Filter::About, Kind::Migrate, &["pid", "dest_cpu"]),
];

impl Source {
    /// Its name without the folder.
    pub fn event(&self) -> &str {
        self.path.split('/').next_back().unwrap_or_default()
    }

    /// Whether it tells who had a processor or who was made ready; the others are about timers and processors to which
    /// a thread goes.
    pub fn is_of_processors(&self) -> bool {
        !matches!(self.kind, Kind::TimerStart | Kind::TimerExpire | Kind::SleepEnd | Kind::Migrate)
    }

    /// Whether every system call of the machine takes the kernel's slow way while it is on.
    pub fn slows_system_calls(&self) -> bool {
        matches!(self.kind, Kind::SleepEnd)
    }
}

/// The events of [`SOURCES`], and the vectors of this kernel (`irq_vectors/…_entry`) where it has such events.
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

/// Most fields that one event needs.
const FIELDS_MAX: usize = 7;
/// Bits of `common_flags`: in an interrupt, in a softirq, in a non-maskable interrupt.
const ABOVE_THREAD: i64 = 0x08 | 0x10 | 0x40;
/// Bit of `common_flags`: the scheduler is to run as soon as it may.
const TO_SWITCH: i64 = 0x04;
/// Bits of `prev_state` that are states other than ready, on all kernels; higher bits differ.
const BLOCKED: i64 = 0xff;
/// No event has this index.
const UNKNOWN: u8 = u8::MAX;

#[derive(Clone, Copy, Debug)]
struct Decode {
    kind: Kind,
    name: Name,
    flags: Place,
    thread: Place,
    fields: [Place; FIELDS_MAX],
}

/// Turns records into events, by the layouts of the kernel that wrote them.
#[derive(Clone, Debug)]
pub struct Decoder {
    /// From `common_type` to an index into `decodes`.
    index: Box<[u8]>,
    decodes: Vec<Decode>,
}

impl Decoder {
    /// `formats` are the layouts of those sources that the kernel has.
    pub fn new<'a>(formats: impl IntoIterator<Item = (&'a Source, EventFormat)>) -> Result<Self, FormatError> {
        let mut decoder = Self { index: vec![UNKNOWN; 1 << 16].into(), decodes: Vec::new() };
        for (source, format) in formats.into_iter().take(UNKNOWN as usize) {
            decoder.index[format.id as usize] = decoder.decodes.len() as u8;
            decoder.decodes.push(Decode::new(source, &format)?);
        }
        Ok(decoder)
    }

    /// `None` for an event that was not asked for, or a record too short for its layout.
    #[inline]
    pub fn decode(&self, at_ns: u64, record: &[u8]) -> Option<Stamped> {
        let id = u16::from_le_bytes([*record.first()?, *record.get(1)?]);
        let decode = self.decodes.get(self.index[id as usize] as usize)?;
        let event = decode.event(record)?;
        let flags = decode.flags.number(record)?;
        let (in_thread, to_switch) = (flags & ABOVE_THREAD == 0, flags & TO_SWITCH != 0);
        Some(Stamped { at_ns, thread: decode.thread.number(record)? as i32, in_thread, to_switch, event })
    }
}

impl Decode {
    fn new(source: &Source, format: &EventFormat) -> Result<Self, FormatError> {
        let mut fields = [Place::default(); FIELDS_MAX];
        for (place, name) in fields.iter_mut().zip(source.fields) {
            *place = format.place(name)?;
        }
        let vector = format.name.trim_end_matches("_entry").trim_end_matches("_exit");
        Ok(Self {
            kind: source.kind,
            name: Name::new(vector.as_bytes()),
            flags: format.place("common_flags")?,
            thread: format.place("common_pid")?,
            fields,
        })
    }

    #[inline]
    fn event(&self, record: &[u8]) -> Option<Event> {
        let number = |index: usize| self.fields[index].number(record);
        Some(match self.kind {
            Kind::Switch => Event::Switch {
                from: self.thread_at(0, record)?,
                preempted: number(3)? & BLOCKED == 0,
                to: self.thread_at(4, record)?,
            },
            Kind::Waking => Event::Waking { thread: number(0)? as i32 },
            Kind::TimerStart => Event::TimerStart { timer: number(0)? as u64, expiry_ns: number(1)? as u64 },
            Kind::TimerExpire => Event::TimerExpire { timer: number(0)? as u64 },
            Kind::Interrupt { enter: true } => {
                Event::Enter(Section::Interrupt(Name::new(self.fields[0].bytes(record)?)))
            }
            Kind::Interrupt { enter: false } => Event::Leave(Section::Interrupt(Name::default())),
            Kind::Vector { enter: true } => Event::Enter(Section::Interrupt(self.name)),
            Kind::Vector { enter: false } => Event::Leave(Section::Interrupt(self.name)),
            Kind::Softirq { enter: true } => Event::Enter(Section::Softirq(number(0)? as u8)),
            Kind::Softirq { enter: false } => Event::Leave(Section::Softirq(number(0)? as u8)),
            Kind::SleepEnd => Event::SleepEnd,
            Kind::Inherit => {
                Event::Inherit { thread: number(0)? as i32, from: number(1)? as i32, to: number(2)? as i32 }
            }
            Kind::Migrate => Event::Migrate { thread: number(0)? as i32, to: number(1)? as u32 },
        })
    }

    /// The thread whose name, number and priority are the fields from `first`; the state lies after them.
    #[inline]
    fn thread_at(&self, first: usize, record: &[u8]) -> Option<Thread> {
        let id = self.fields[first + 1].number(record)? as i32;
        let priority = self.fields[first + 2].number(record)? as i32;
        Some(Thread { id, priority, name: Name::new(self.fields[first].bytes(record)?) })
    }
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
            prop_assert_eq!(Name::new(&bytes).0, expected);
        }
    }

    #[test]
    fn a_name_is_shown_without_control_characters() {
        assert_eq!(Name::new(b"a\nb\x1b[31m\xff").to_string(), "a?b?[31m\u{fffd}");
    }
}
