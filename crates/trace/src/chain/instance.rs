// SPDX-License-Identifier: MIT OR Apache-2.0
//! One passage through a chain, and its fate.
use crate::event::Name;
use crate::processor::Stay;

/// How a hop took an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The hop before made it ready.
    Woken,
    /// Inferred without a wakeup: the hop was awake when the previous one ended its turn.
    Inferred,
    /// It polls at its own times.
    Polled,
    /// A softirq or a kernel worker does it.
    Section,
}

impl How {
    /// As a member of a record.
    pub fn word(self) -> &'static str {
        match self {
            Self::Woken => "woken",
            Self::Inferred => "inferred",
            Self::Polled => "polled",
            Self::Section => "section",
        }
    }
}

/// An instance at one hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The thread; 0 of a softirq.
    pub thread: i32,
    /// How it came.
    pub how: How,
    /// The hop before handed it over.
    pub arrived_ns: u64,
    /// The hop took it: later if it was busy with an earlier instance, or polls.
    pub taken_ns: u64,
    /// It handed it on; during a visit equal to `taken_ns`.
    pub handed_ns: u64,
}

/// Facts about the start, for the part before the first hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The CPU where it was seen.
    pub cpu: u32,
    /// Until when the kernel may let a timer expire.
    pub due_ns: u64,
    /// When the thread set the timer.
    pub armed_ns: Option<u64>,
    /// The interrupt began.
    pub interrupt_ns: u64,
    /// Its name.
    pub line: Option<Name>,
    /// What it interrupted.
    pub stay: Option<Stay>,
}

/// One passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// By start, from 0.
    pub number: u64,
    /// When it started.
    pub start_ns: u64,
    /// What is known of that.
    pub origin: Origin,
    /// Its hops so far.
    pub visits: Vec<Visit>,
}

impl Instance {
    /// When it ended, or how far it is known.
    pub fn until_ns(&self) -> u64 {
        self.visits.last().map_or(self.start_ns, |visit| visit.handed_ns)
    }

    /// From its start to its end.
    pub fn latency_ns(&self) -> u64 {
        self.until_ns() - self.start_ns
    }

    /// The part before the first hop, then each hop's.
    pub fn parts_ns(&self) -> impl Iterator<Item = u64> + '_ {
        let first = self.visits.first().map_or(0, |visit| visit.arrived_ns - self.start_ns);
        std::iter::once(first).chain(self.visits.iter().map(|visit| visit.handed_ns - visit.arrived_ns))
    }
}

/// What became of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It came to the end.
    Done,
    /// A hop took it together with a newer one; one output answers both.
    Merged,
    /// More newer ones overtook it than are followed at a time.
    Overtaken,
    /// A hop ended its turn without handing it on.
    NotHandedOn,
    /// The recording ended before it did.
    Unfinished,
    /// By the period a start was due, but none came.
    NoStart,
    /// Events were lost while it was on its way.
    Unseen,
}

impl Fate {
    /// Fates of missed instances, in the order of the report.
    pub const MISSED: [Self; 5] = [Self::Merged, Self::Overtaken, Self::NotHandedOn, Self::Unfinished, Self::NoStart];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Merged => "merged",
            Self::Overtaken => "overtaken",
            Self::NotHandedOn => "not handed on",
            Self::Unfinished => "unfinished",
            Self::NoStart => "no start",
            Self::Unseen => "unseen",
        }
    }

    /// As a member of a record.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotHandedOn => "not_handed_on",
            Self::NoStart => "no_start",
            other => other.name(),
        }
    }
}
