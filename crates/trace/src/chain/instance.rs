// SPDX-License-Identifier: MIT OR Apache-2.0
//! One passage through a chain, and how it ended.
use crate::event::Name;
use crate::processor::Stay;

/// How an instance came to a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The previous hop woke this hop's thread.
    Woken,
    /// Inferred without a wakeup: the hop was awake when the previous hop ended its turn.
    Inferred,
    /// The hop polls, so it took the instance at its next look.
    Polled,
    /// The hop is a softirq or a work function of a kworker.
    Section,
}

impl How {
    /// The value in stored records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Woken => "woken",
            Self::Inferred => "inferred",
            Self::Polled => "polled",
            Self::Section => "section",
        }
    }
}

/// An instance's passage through one hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The thread's number; 0 for a softirq.
    pub thread: i32,
    /// How the instance came to this hop.
    pub how: How,
    /// When the previous hop handed the instance over.
    pub arrived_ns: u64,
    /// When the hop began with the instance. Later than `arrived_ns` if the hop polls, or was busy with an earlier instance.
    pub taken_ns: u64,
    /// When the hop handed the instance on. Equal to `taken_ns` until then.
    pub handed_ns: u64,
}

/// What is known about the start; it explains the time before the first hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The CPU on which the start was recorded.
    pub cpu: u32,
    /// When the start's timer was due, including its slack.
    pub due_ns: u64,
    /// When the thread set the timer, if recorded.
    pub armed_ns: Option<u64>,
    /// When the interrupt began.
    pub interrupt_ns: u64,
    /// The interrupt's name.
    pub line: Option<Name>,
    /// The interrupted thread's stay on the CPU, from one switch to the next.
    pub stay: Option<Stay>,
}

/// One passage through a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Counted from 0, in order of the starts.
    pub number: u64,
    /// When the instance started.
    pub start_ns: u64,
    /// What is known about the start.
    pub origin: Origin,
    /// The hops that the instance has reached, in order.
    pub visits: Vec<Visit>,
}

impl Instance {
    /// When the instance ended. For an instance that has not ended, the latest time known of it.
    pub fn until_ns(&self) -> u64 {
        self.visits.last().map_or(self.start_ns, |visit| visit.handed_ns)
    }

    /// Time from the instance's start to its end.
    pub fn latency_ns(&self) -> u64 {
        self.until_ns() - self.start_ns
    }

    /// Time before the first hop, then the time of each hop.
    pub fn parts_ns(&self) -> impl Iterator<Item = u64> + '_ {
        let first = self.visits.first().map_or(0, |visit| visit.arrived_ns - self.start_ns);
        std::iter::once(first).chain(self.visits.iter().map(|visit| visit.handed_ns - visit.arrived_ns))
    }
}

/// How an instance ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// The instance reached the end of the chain.
    Done,
    /// A hop took the instance together with a newer one, so one output answers both.
    Merged,
    /// The instance was the oldest of 64 on their way when one more started.
    Overtaken,
    /// A hop ended its turn without handing the instance on.
    NotHandedOn,
    /// The recording ended before the instance did.
    Unfinished,
    /// According to the period the instance was due to start, but no start came.
    NoStart,
    /// Events were lost while the instance was on its way.
    Unseen,
}

impl Fate {
    /// All fates that count as missed, in the order of the report.
    pub const MISSED: [Self; 5] = [Self::Merged, Self::Overtaken, Self::NotHandedOn, Self::Unfinished, Self::NoStart];

    /// The fate in words, for reports.
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

    /// The value in stored records.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotHandedOn => "not_handed_on",
            Self::NoStart => "no_start",
            other => other.name(),
        }
    }
}
