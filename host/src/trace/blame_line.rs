// SPDX-License-Identifier: MIT OR Apache-2.0
//! One plain sentence that names who used the time of one late response.
use super::blame::{Blame, Cause, Share};
use super::event::{Section, Thread};
use super::processor::Holder;
use crate::units::{Shown, Unit};

/// Shares named one by one, the largest first.
const NAMED: usize = 3;
/// The kernel's softirqs in order of their number, a part of its interface to user space.
const SOFTIRQS: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// `of 2005.0 us: 1976.0 us cc1 (15360, ordinary) could not be preempted; 20.0 us …`
pub fn blame_line(blame: &Blame) -> String {
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
    format!("of {}: {}", time(blame.total()), parts.join("; "))
}

fn time(ns: u64) -> String {
    Shown(ns, Unit::Ns).to_string()
}

fn phrase(share: &Share) -> String {
    phrase_of(share.cause, &share.culprit.map_or(String::new(), |culprit| who(culprit, exact)))
}

/// As in the sentence, but threads of one name are one.
pub(super) fn phrase_by_name(share: &Share) -> String {
    phrase_of(share.cause, &share.culprit.map_or(String::new(), |culprit| who(culprit, by_name)))
}

fn phrase_of(cause: Cause, who: &str) -> String {
    match cause {
        Cause::Interference => who.into(),
        Cause::Blocking => format!("{who} could not be preempted"),
        Cause::Throttling => format!("{who} was preferred by the scheduler (real-time throttling or the fair server)"),
        Cause::Backlog => "the probe ran on from an earlier release (or the machine below stood still)".into(),
        Cause::IdleExit => "idle until the interrupt came (idle exit, or late below the kernel)".into(),
        Cause::Dispatch => "the kernel's own way".into(),
        Cause::Late => format!("the interrupt was late while {who} ran (masked, or late below the kernel)"),
        Cause::Unexplained => "unexplained".into(),
    }
}

fn who(holder: Holder, thread_name: impl Fn(Thread) -> String) -> String {
    match holder {
        Holder::Unknown => "unknown".into(),
        Holder::Idle => "idle".into(),
        Holder::Thread(thread) => thread_name(thread),
        Holder::Section(Section::Interrupt(name)) => format!("interrupt {name}"),
        Holder::Section(Section::Softirq(number)) => match SOFTIRQS.get(number as usize) {
            Some(name) => format!("softirq {name}"),
            None => format!("softirq {number}"),
        },
    }
}

fn exact(thread: Thread) -> String {
    format!("{} ({}, {})", thread.name, thread.id, priority(thread))
}

fn by_name(thread: Thread) -> String {
    format!("{} ({})", thread.name, priority(thread))
}

/// The kernel counts real-time priorities down from 98, users count them up to 99.
fn priority(thread: Thread) -> String {
    match thread.priority {
        ..0 => "deadline".into(),
        real_time @ 0..=98 => format!("real-time {}", 99 - real_time),
        _ => "ordinary".into(),
    }
}
