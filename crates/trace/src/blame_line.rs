// SPDX-License-Identifier: MIT OR Apache-2.0
//! One plain sentence that names who used the time of one late response.
use super::behind::Untold;
use super::blame::{Blame, Cause, Culprit, More, Share, Wakers, WakersEnd};
use super::event::{Section, Thread};
use super::processor::Holder;
use super::raise::{Loan, Raise};
use super::softirq;
use std::collections::HashMap;
use units::{Shown, Unit};

/// Shares named one by one, the largest first.
const NAMED: usize = 3;

/// What some threads are called instead of by their own names, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Called(HashMap<i32, String>);

impl Called {
    /// Each of these by that name.
    pub(super) fn new(names: impl IntoIterator<Item = (i32, String)>) -> Self {
        Self(names.into_iter().collect())
    }
}

/// `of 2005.0 us: 1976.0 us cc1 (15360, ordinary) could not be preempted; 20.0 us …`
pub fn blame_line(blame: &Blame) -> String {
    line_of(blame, phrase)
}

/// As [`blame_line`], with threads as they are called.
pub(super) fn blame_line_with(blame: &Blame, called: &Called) -> String {
    line_of(blame, |share| phrase_of(share, &|thread| called_or(thread, called, exact)))
}

fn line_of(blame: &Blame, phrase: impl Fn(&Share) -> String) -> String {
    let (named, rest) = blame.shares.split_at(blame.shares.len().min(NAMED));
    let mut parts: Vec<String> = named.iter().map(|share| format!("{} {}", time(share.ns), phrase(share))).collect();
    // What is unexplained is always shown.
    let (unexplained, other): (Vec<&Share>, Vec<&Share>) =
        rest.iter().partition(|share| share.cause == Cause::Unexplained);
    for (shares, what) in [(unexplained, "unexplained"), (other, "other")] {
        let ns: u64 = shares.iter().map(|share| share.ns).sum();
        if ns > 0 {
            parts.push(format!("{} {what}", time(ns)));
        }
    }
    format!("of {}: {}{}", time(blame.total()), parts.join("; "), behind(&blame.wakers))
}

/// Whose lateness is in the shares, as the end of a sentence; nothing where the thread waited for nobody.
fn behind(wakers: &Wakers) -> String {
    let late: Vec<String> = wakers.late.iter().map(|thread| exact(*thread)).collect();
    let end = match wakers.end {
        WakersEnd::First => None,
        WakersEnd::Circle(thread) => Some(format!("{} was behind that, and they make each other ready", exact(thread))),
        WakersEnd::TooMany => Some("more were behind that and are not followed".to_string()),
        WakersEnd::Missing(thread) => Some(format!("how late {} came is not recorded", exact(thread))),
    };
    let told = match late.as_slice() {
        [] => None,
        [waker] => Some(format!("with what its waker {waker} was late")),
        [waker, before @ ..] => {
            Some(format!("with what its waker {waker} was late, and before that {}", before.join(", before that ")))
        }
    };
    let all: Vec<String> = told.into_iter().chain(end).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join("; ")) }
}

/// The same as a sentence of its own.
pub fn wakers(blame: &Blame) -> Option<String> {
    let said = behind(&blame.wakers);
    said.strip_prefix(" (").and_then(|said| said.strip_suffix(')')).map(str::to_string)
}

/// A time for a person.
pub fn time(ns: u64) -> String {
    Shown(ns, Unit::Ns).to_string()
}

/// Who used a share and why, threads by number.
pub fn phrase(share: &Share) -> String {
    phrase_of(share, &exact)
}

/// As in the sentence, but threads of one name are one.
pub(super) fn phrase_by_name(share: &Share) -> String {
    phrase_of(share, &by_name)
}

/// As [`phrase_by_name`], with threads as they are called.
pub(super) fn phrase_with(share: &Share, called: &Called) -> String {
    phrase_of(share, &|thread| called_or(thread, called, by_name))
}

fn called_or(thread: Thread, called: &Called, otherwise: fn(Thread) -> String) -> String {
    match called.0.get(&thread.id) {
        Some(name) => format!("{name} ({})", priority(thread.priority)),
        None => otherwise(thread),
    }
}

fn phrase_of(share: &Share, thread_name: &dyn Fn(Thread) -> String) -> String {
    let idle = share.culprit.is_some_and(|culprit| culprit.holder == Holder::Idle);
    let who = share.culprit.map_or(String::new(), |culprit| who(culprit, thread_name));
    match share.cause {
        Cause::Interference => who,
        Cause::Blocking => format!("{who} could not be preempted"),
        Cause::Throttling if idle => "idle although the thread was ready (real-time throttling)".into(),
        Cause::Throttling => format!("{who} was preferred by the scheduler (real-time throttling or the fair server)"),
        Cause::FairShare if idle => "idle although the thread was ready (its group's quota, or on its way here)".into(),
        Cause::FairShare => format!("{who} ran instead (the choice of the fair scheduler)"),
        Cause::LockHeld => format!("{who} held the lock that the thread waited for"),
        Cause::Inversion => format!("{who} (priority inversion)"),
        Cause::Backlog => "the thread ran on from an earlier release (or the machine below stood still)".into(),
        Cause::NotWaiting => "the thread was not waiting for its timer (stopped, or held up elsewhere)".into(),
        Cause::PageFault => "a page fault of the thread".into(),
        Cause::AfterFault => "a long page fault of the thread, or what it did behind one".into(),
        Cause::IdleExit => "idle until the interrupt came (idle exit, or late below the kernel)".into(),
        Cause::Dispatch => "the kernel's own way".into(),
        Cause::OwnRun => "its own run time".into(),
        Cause::Jitter => "released later than its nominal instant (the set's jitter)".into(),
        Cause::Late => {
            format!("the interrupt was late while {who} ran (masked, or late below the kernel{})", missing(share))
        }
        Cause::Masked { function, caller } => {
            let caller = caller.map_or(String::new(), |caller| format!(" (called by {caller})"));
            format!("masked by {function}{caller}{}", while_it_ran(&who))
        }
        Cause::Below => format!("the machine below stood still{} (interrupts were on)", while_it_ran(&who)),
        Cause::Unexplained => "unexplained".into(),
    }
}

fn while_it_ran(who: &str) -> String {
    if who.is_empty() { String::new() } else { format!(" while {who} ran") }
}

/// What is missing to tell whether it was masked.
fn missing(share: &Share) -> String {
    let Some(More::Untold(untold)) = share.culprit.map(|culprit| culprit.more) else { return String::new() };
    match untold {
        Untold::NoStack => ": no stack was recorded in it".into(),
        Untold::Hidden => ": the kernel hides the names of its functions, see kernel.kptr_restrict".into(),
        Untold::Cut => ": its stack was cut short".into(),
        Untold::Unnamed => ": a function in its stack has no name".into(),
        Untold::Moment(function) => {
            format!(": {function} masks for moments only, and no clock of stolen time is recorded")
        }
        Untold::Delivery => ": no longer than an interrupt's own way may take".into(),
    }
}

fn who(culprit: Culprit, thread_name: &dyn Fn(Thread) -> String) -> String {
    let holder = match culprit.holder {
        Holder::Unknown => "unknown".into(),
        Holder::Idle => "idle".into(),
        Holder::Thread(thread) => thread_name(thread),
        Holder::Section(Section::Interrupt(name)) => format!("interrupt {name}"),
        Holder::Section(Section::Softirq(number)) => format!("softirq {}", softirq::name(number)),
    };
    match culprit.more {
        More::Nothing | More::Untold(_) => holder,
        More::OnTimeOf(thread) => format!("{holder} on the time of {}", thread_name(thread)),
        More::Raised(Raise::Inherited(Loan { to, lender, .. })) => {
            let lender = lender.map_or(String::new(), |lender| format!(" from {}", thread_name(lender)));
            format!("{holder} ran at {}, inherited through a lock{lender}", priority(to))
        }
        More::Raised(Raise::Left(to)) => format!("{holder} ran at a raised priority, {}", priority(to)),
        More::Raised(Raise::Unseen) => format!("{holder} ran at a raised priority, from whom is not recorded"),
        More::WhileHeldBy(thread) => {
            format!("{holder} ran while {} held the lock that the thread waited for", thread_name(thread))
        }
        More::OtherRun => format!("{holder} of another run of this tool"),
        More::Timers(count) => format!("{holder}, in which at least {count} timers expired"),
        More::FarAbove(p99) => {
            format!("{holder} (its p99 is {}: the machine below the kernel may have stood still)", time(p99))
        }
    }
}

fn exact(thread: Thread) -> String {
    format!("{} ({}, {})", name(thread), thread.id, priority(thread.priority))
}

fn by_name(thread: Thread) -> String {
    format!("{} ({})", name(thread), priority(thread.priority))
}

/// A thread that no switch has named yet is a number only.
fn name(thread: Thread) -> String {
    if thread.priority == i32::MAX { "thread".into() } else { thread.name.to_string() }
}

/// The kernel counts real-time priorities down from 98, users count them up to 99.
pub fn priority(priority: i32) -> String {
    match priority {
        detent @ -1_256..=-1_001 => format!("priority {}", detent + 1_256),
        ..0 => "deadline".into(),
        real_time @ 0..=98 => format!("real-time {}", 99 - real_time),
        100..=139 if priority != 120 => format!("nice {}", priority - 120),
        i32::MAX => "priority not seen".into(),
        _ => "ordinary".into(),
    }
}
