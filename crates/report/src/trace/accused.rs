// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts about what used the time of a response: a sentence about the whole response, or a short label of the main cause.
use super::cause::culprit::{name, who};
use super::cause::{self, phrase};
use crate::brief::short_figure;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Accusation, Blame, Cause, CauseTotal, Division, Moved, Share, Stages, Wakers, WakersEnd};

const NAMED: usize = 3;

/// One plain sentence for a response that took `value`:
/// `of 2005.0 us: 1976.0 us cc1 (15360, ordinary) ran kernel code that cannot be preempted; 20.0 us …`
pub fn line(blame: &Blame, value: u64) -> String {
    let of = || format!("of {}", time(value));
    match blame {
        Blame::Shares { shares, wakers } => format!("{}{}", of_shares(shares), behind(wakers)),
        Blame::Unseen { moved } => format!("{}: incomplete in the trace{}", of(), away(moved.as_ref())),
        Blame::Unfitting => {
            format!(
                "{}: {} unexplained (the wakeup in the trace does not fit the thread's own clock readings)",
                of(),
                time(value)
            )
        }
        Blame::Modes(division) => modes(division),
    }
}

/// The cause that used most of a response, for the first line: `1.9 ms of it the hypervisor or firmware (SMI) paused this CPU`.
pub fn short(blame: &Blame, value: u64) -> String {
    short_on(blame, value, "")
}

/// As [`short`], but adds `idle_remark` after a late timer on an idle CPU.
pub fn short_on(blame: &Blame, value: u64, idle_remark: &str) -> String {
    /// A cause with at least this share, in percent, counts as the cause of the whole response.
    const WHOLE: u64 = 80;
    /// Causes with at least this share are named too, after the first.
    const FURTHER: u64 = 20;
    /// A rest with less than this share is left out.
    const REST: u64 = 5;
    let Blame::Shares { shares, wakers } = blame else { return without_figure(blame) };
    let Some(first) = shares.first() else { return without_figure(blame) };
    let remark = if first.cause == Cause::IdleExit { idle_remark } else { "" };
    let what = format!("{}{remark}", phrase(first.cause, first.culprit.as_ref()));
    let percent_of = |share: &Share, percent: u64| share.ns.saturating_mul(100) >= value.saturating_mul(percent);
    if percent_of(first, WHOLE) {
        return format!("{what}{}", behind(wakers));
    }
    let ns = |share: &Share| short_figure(share.ns, Unit::Ns);
    let further: Vec<&Share> =
        shares.iter().skip(1).take(NAMED - 1).take_while(|share| percent_of(share, FURTHER)).collect();
    let named: String = further.iter().map(|share| format!(", {} {}", ns(share), label_of_share(share))).collect();
    let others = shares.iter().skip(1 + further.len());
    let rest = others.clone().fold(0u64, |sum, share| sum.saturating_add(share.ns));
    let rest = match (others.count(), rest.saturating_mul(100) >= value.saturating_mul(REST)) {
        (0, _) | (_, false) => String::new(),
        (1, true) => format!(", {} one other cause", short_figure(rest, Unit::Ns)),
        (several, true) => format!(", {} {several} other causes", short_figure(rest, Unit::Ns)),
    };
    format!("{} of it {what}{named}{rest}{}", ns(first), behind(wakers))
}

/// The main cause of a response in a few words. Reports count late responses by this label.
pub fn label(blame: &Blame) -> String {
    main_share(blame).map_or("incompletely recorded".to_string(), label_of_share)
}

/// The largest share of a response; `None` if the recording lacks a part of the response.
pub fn main_share(blame: &Blame) -> Option<&Share> {
    let Blame::Shares { shares, .. } = blame else { return None };
    shares.first()
}

/// The cause of the largest share; `None` if the recording lacks a part of the response.
pub fn main_cause(blame: &Blame) -> Option<Cause> {
    main_share(blame).map(|share| share.cause)
}

pub fn label_of(accused: &Accusation) -> String {
    cause::label(accused.cause, accused.culprit.as_ref())
}

pub fn label_of_share(share: &Share) -> String {
    cause::label(share.cause, share.culprit.as_ref())
}

/// The sum of all causes of a phase that have the same label. A label names no bystanders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledTotal {
    pub label: String,
    pub accused: Accusation,
    pub ns: u64,
    pub largest_in: u64,
}

pub fn by_label(stages: &Stages) -> Vec<LabelledTotal> {
    let mut found: Vec<LabelledTotal> = Vec::new();
    for one in stages.ranked() {
        let label = label_of(&one.accused);
        match found.iter_mut().find(|known| known.label == label) {
            Some(known) => {
                known.ns = known.ns.saturating_add(one.ns);
                known.largest_in = known.largest_in.saturating_add(one.largest_in);
            }
            None => found.push(LabelledTotal {
                label,
                accused: one.accused.clone(),
                ns: one.ns,
                largest_in: one.largest_in,
            }),
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse((one.largest_in, one.ns)));
    found
}

/// Causes that stop a whole CPU: the thread that had this CPU is a bystander.
const OF_BYSTANDERS: [Cause; 2] = [Cause::Below, Cause::Late];

/// The causes, most frequent first. A cause with bystanders has a single row, because a busy machine has hundreds of bystanders.
/// The text completes the sentence of such a row: it names the thread that ran most often, and counts the others.
pub fn without_bystanders(ranked: &[&CauseTotal]) -> Vec<(CauseTotal, String)> {
    let of = |cause: Cause| ranked.iter().copied().filter(move |one| one.accused.cause == cause).collect::<Vec<_>>();
    let others = ranked.iter().filter(|one| !OF_BYSTANDERS.contains(&one.accused.cause));
    let mut found: Vec<(CauseTotal, String)> = others.map(|one| ((*one).clone(), String::new())).collect();
    found.extend(OF_BYSTANDERS.into_iter().filter_map(|cause| merged(&of(cause))));
    found.sort_by_key(|(one, _)| std::cmp::Reverse((one.largest_in, one.ns)));
    found
}

fn merged(alike: &[&CauseTotal]) -> Option<(CauseTotal, String)> {
    let [first, others @ ..] = alike else { return None };
    if others.is_empty() {
        return Some(((*first).clone(), String::new()));
    }
    // A stored run is not trusted: its sums may be impossible, so they saturate.
    let sum = |part: fn(&CauseTotal) -> u64| alike.iter().fold(0u64, |sum, one| sum.saturating_add(part(one)));
    let total = CauseTotal {
        accused: Accusation { cause: first.accused.cause, culprit: None },
        ns: sum(|one| one.ns),
        largest_in: sum(|one| one.largest_in),
        part_of: None,
        longest_ns: alike.iter().filter_map(|one| one.longest_ns).max(),
    };
    let ran = first.accused.culprit.as_ref().map_or("idle".to_string(), who);
    let beside = match others.len() {
        1 => "another thread".to_string(),
        count => format!("one of {count} other threads"),
    };
    Some((total, format!(" while {ran} or {beside} ran")))
}

fn without_figure(blame: &Blame) -> String {
    match blame {
        Blame::Shares { .. } | Blame::Unseen { moved: None } => "incomplete in the trace".to_string(),
        Blame::Unseen { moved: Some(Moved { from, to }) } => {
            format!("incomplete in the trace: the thread had been moved from CPU {from} to CPU {to}")
        }
        Blame::Unfitting => {
            "unexplained (the wakeup in the trace does not fit the thread's own clock readings)".to_string()
        }
        Blame::Modes(division) => modes(division),
    }
}

fn of_shares(shares: &[Share]) -> String {
    let sum = |shares: &[&Share]| shares.iter().fold(0u64, |sum, share| sum.saturating_add(share.ns));
    let total = sum(&shares.iter().collect::<Vec<_>>());
    let (named, rest) = shares.split_at(shares.len().min(NAMED));
    let of_one = |share: &Share| format!("{} {}", time(share.ns), phrase(share.cause, share.culprit.as_ref()));
    let mut parts: Vec<String> = named.iter().map(of_one).collect();
    // Always show the time without a known cause.
    let (unexplained, other): (Vec<&Share>, Vec<&Share>) =
        rest.iter().partition(|share| share.cause == Cause::Unexplained);
    for (shares, what) in [(unexplained, "unexplained"), (other, "other")] {
        let ns = sum(&shares);
        if ns > 0 {
            parts.push(format!("{} {what}", time(ns)));
        }
    }
    format!("of {}: {}", time(total), parts.join("; "))
}

/// The wakers whose lateness is part of the shares, as the end of a sentence; empty if the thread waited for none.
fn behind(wakers: &Wakers) -> String {
    wakers_of(wakers).map_or(String::new(), |said| format!(" ({said})"))
}

pub fn wakers(blame: &Blame) -> Option<String> {
    if let Blame::Shares { wakers, .. } = blame { wakers_of(wakers) } else { None }
}

fn wakers_of(wakers: &Wakers) -> Option<String> {
    let late: Vec<String> = wakers.late.iter().map(name).collect();
    let end = match &wakers.end {
        WakersEnd::First => None,
        WakersEnd::Circle(thread) => Some(format!("before that {} again: they wake each other in turn", name(thread))),
        WakersEnd::TooMany => Some("backwall does not follow the wakers before that".to_string()),
        WakersEnd::Missing(thread) => Some(format!("the recording does not show how late {} came", name(thread))),
    };
    let told = match late.as_slice() {
        [] => None,
        [waker] => Some(format!("including the lateness of its waker {waker}")),
        [waker, before @ ..] => Some(format!(
            "including the lateness of its waker {waker}, and before that {}",
            before.join(", before that ")
        )),
    };
    let all: Vec<String> = told.into_iter().chain(end).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn away(moved: Option<&Moved>) -> String {
    moved.map_or(String::new(), |Moved { from, to }| format!(": the probe had been moved from CPU {from} to CPU {to}"))
}

/// The modes in which the CPU executed a latency's instructions, to print next to the latency.
pub fn modes(division: &Division) -> String {
    let Division { user, kernel, waited } = *division;
    let waited = if waited == 0 { String::new() } else { format!(" + {} waiting", grouped(waited)) };
    format!("{} user + {} kernel{waited}", grouped(user), grouped(kernel))
}

pub fn time(ns: u64) -> String {
    DisplayedValue(ns, Unit::Ns).to_string()
}

pub fn total(total: &CauseTotal) -> String {
    let Accusation { cause, culprit } = &total.accused;
    phrase(*cause, culprit.as_ref())
}

#[cfg(test)]
mod tests;
