// SPDX-License-Identifier: MIT OR Apache-2.0
use crate::event::softirq;
use crate::event::{Event, Name, Section, Stamped};
use std::collections::HashMap;

/// How a rule identifies a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The thread with this number.
    Number(i32),
    /// The threads with this name.
    Name(String),
}

/// How a rule identifies an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `wakes THREAD`: the thread is being made ready.
    Wakes(Who),
    /// `runs THREAD`: the thread gets a CPU.
    Runs(Who),
    /// `leaves THREAD`: the thread leaves its CPU.
    Leaves(Who),
    /// `irq NAME`: an interrupt begins.
    Irq(String),
    /// `irq-end NAME`: an interrupt ends.
    IrqEnd(String),
    /// `softirq NAME`: a softirq begins.
    Softirq(String),
    /// `softirq-end NAME`: a softirq ends.
    SoftirqEnd(String),
    /// `timer`: a timer expires.
    Timer,
    /// `page-fault`: a page fault begins.
    PageFault,
}

pub(super) const WORDS: [&str; 9] =
    ["wakes", "runs", "leaves", "irq", "irq-end", "softirq", "softirq-end", "timer", "page-fault"];

impl Pattern {
    pub(super) fn of(word: &str, name: Option<&str>) -> Option<Self> {
        let who = || {
            let name = name?;
            Some(name.parse().map_or_else(|_| Who::Name(name.to_string()), Who::Number))
        };
        let text = || name.map(str::to_string);
        Some(match word {
            "wakes" => Self::Wakes(who()?),
            "runs" => Self::Runs(who()?),
            "leaves" => Self::Leaves(who()?),
            "irq" => Self::Irq(text()?),
            "irq-end" => Self::IrqEnd(text()?),
            "softirq" => Self::Softirq(text()?),
            "softirq-end" => Self::SoftirqEnd(text()?),
            "timer" => Self::Timer,
            "page-fault" => Self::PageFault,
            _ => return None,
        })
    }

    pub(super) fn is_named(word: &str) -> bool {
        !matches!(word, "timer" | "page-fault")
    }

    /// Whether the pattern needs the name of a thread whose event has only its number.
    pub(super) fn asks_for_names(&self) -> bool {
        matches!(self, Self::Wakes(Who::Name(_)))
    }

    // The kind of event that the pattern matches.
    pub(super) fn kind(&self) -> u16 {
        match self {
            Self::Wakes(_) => WAKING,
            Self::Runs(_) | Self::Leaves(_) => SWITCH,
            Self::Irq(_) | Self::Softirq(_) => ENTER,
            Self::IrqEnd(_) | Self::SoftirqEnd(_) => LEAVE,
            Self::Timer => TIMER,
            Self::PageFault => FAULT,
        }
    }

    pub(super) fn is(&self, event: &Event, names: &Names) -> bool {
        match (self, event) {
            (Self::Wakes(who), Event::Waking { thread }) => names.is(who, *thread),
            (Self::Runs(who), Event::Switch { to, .. }) => named(who, to.id, &to.name),
            (Self::Leaves(who), Event::Switch { from, .. }) => named(who, from.id, &from.name),
            (Self::Irq(name), Event::Enter(Section::Interrupt(own)))
            | (Self::IrqEnd(name), Event::Leave(Section::Interrupt(own))) => own.is_shown_as(name),
            (Self::Softirq(name), Event::Enter(Section::Softirq(number)))
            | (Self::SoftirqEnd(name), Event::Leave(Section::Softirq(number))) => softirq::is_named(*number, name),
            (Self::Timer, Event::TimerExpire { .. }) | (Self::PageFault, Event::PageFault) => true,
            _ => false,
        }
    }
}

const WAKING: u16 = 1;
const SWITCH: u16 = 2;
const ENTER: u16 = 4;
const LEAVE: u16 = 8;
const TIMER: u16 = 16;
const FAULT: u16 = 32;

// The kind of an event; 0 if no pattern matches it.
pub(super) fn kind(event: &Event) -> u16 {
    match event {
        Event::Waking { .. } => WAKING,
        Event::Switch { .. } => SWITCH,
        Event::Enter(_) => ENTER,
        Event::Leave(_) => LEAVE,
        Event::TimerExpire { .. } => TIMER,
        Event::PageFault => FAULT,
        _ => 0,
    }
}

fn named(who: &Who, id: i32, name: &Name) -> bool {
    match who {
        Who::Number(number) => *number == id,
        Who::Name(text) => name.is_shown_as(text),
    }
}

#[derive(Debug, Default)]
pub(super) struct Names(HashMap<i32, Name>);

impl Names {
    pub(super) fn learn(&mut self, stamped: &Stamped) {
        if let Event::Switch { from, to, .. } = &stamped.event {
            self.0.extend([from, to].map(|thread| (thread.id, thread.name)));
        }
    }

    fn is(&self, who: &Who, id: i32) -> bool {
        match who {
            Who::Number(number) => *number == id,
            Who::Name(text) => self.0.get(&id).is_some_and(|name| name.is_shown_as(text)),
        }
    }
}
