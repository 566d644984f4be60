// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words for who used the time of a response: a sentence for the whole of it, and the names in it.
use super::cause::phrase;
use crate::brief::short_figure;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{
    Accusation, Blame, Cause, CauseTotal, Culprit, Division, Holder, HolderDetail, Moved, Priority, Share, Stages,
    Thread, Wakers, WakersEnd,
};
use backwall_trace::softirq;

/// Shares named one by one, the largest first.
const NAMED: usize = 3;

/// One plain sentence for a response that took `value`:
/// `of 2005.0 us: 1976.0 us cc1 (15360, ordinary) could not be preempted; 20.0 us …`
pub fn line(blame: &Blame, value: u64) -> String {
    let of = || format!("of {}", time(value));
    match blame {
        Blame::Shares { shares, wakers } => format!("{}{}", of_shares(shares), behind(wakers)),
        Blame::Unseen { moved } => format!("{}: not seen whole in the trace{}", of(), away(moved.as_ref())),
        Blame::Unfitting => {
            format!(
                "{}: {} unexplained (its wake-up in the trace does not fit its own clock readings)",
                of(),
                time(value)
            )
        }
        Blame::Modes(division) => modes(division),
    }
}

/// The cause that used most of a response, for a first line: `1.9 ms of it cc1 (ordinary) could not be preempted`.
pub fn short(blame: &Blame, value: u64) -> String {
    /// From this share on, in percent, a cause is called that of the whole response.
    const WHOLE: u64 = 80;
    let Blame::Shares { shares, wakers } = blame else { return without_figure(blame) };
    let Some(first) = shares.first() else { return without_figure(blame) };
    let what = phrase(first.cause, first.culprit.as_ref());
    let whole = first.ns.saturating_mul(100) >= value.saturating_mul(WHOLE);
    let of_it = if whole { String::new() } else { format!("{} of it ", short_figure(first.ns, Unit::Ns)) };
    format!("{of_it}{what}{}", behind(wakers))
}

/// In a few words who used most of a response: what late responses are counted by.
pub fn label(blame: &Blame) -> String {
    let Blame::Shares { shares, .. } = blame else { return "not seen whole".to_string() };
    shares.first().map_or("not seen whole".to_string(), |first| labelled(first.cause, first.culprit.as_ref()))
}

pub fn label_of(accused: &Accusation) -> String {
    labelled(accused.cause, accused.culprit.as_ref())
}

pub fn label_of_share(share: &Share) -> String {
    labelled(share.cause, share.culprit.as_ref())
}

/// Causes of a phase that have one label: a bystander's name does not divide them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledTotal {
    pub label: String,
    pub ns: u64,
    pub largest_in: u64,
}

/// In the order of [`CauseTotal::rank`].
pub fn by_label(stages: &Stages) -> Vec<LabelledTotal> {
    let mut found: Vec<LabelledTotal> = Vec::new();
    for one in stages.ranked() {
        let label = label_of(&one.accused);
        match found.iter_mut().find(|known| known.label == label) {
            Some(known) => {
                known.ns = known.ns.saturating_add(one.ns);
                known.largest_in = known.largest_in.saturating_add(one.largest_in);
            }
            None => found.push(LabelledTotal { label, ns: one.ns, largest_in: one.largest_in }),
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse((one.largest_in, one.ns)));
    found
}

fn labelled(cause: Cause, culprit: Option<&Culprit>) -> String {
    let holder = culprit.map(|culprit| &culprit.holder);
    match (cause, holder) {
        (Cause::Below, _) => "hypervisor or SMI".into(),
        (Cause::IdleExit, _) => "late timer on an idle CPU".into(),
        (Cause::Dispatch, _) => "kernel wakeup path".into(),
        (Cause::Quota, _) => "CPU quota".into(),
        (Cause::Throttling, _) => "throttling".into(),
        (Cause::Masked, _) => match culprit.and_then(|culprit| culprit.more.as_ref()) {
            Some(HolderDetail::Masking { function, .. }) => format!("interrupts disabled in {function}"),
            _ => "interrupts disabled".into(),
        },
        (Cause::Late, _) => "late timer interrupt".into(),
        (Cause::CatchUp, _) => "catching up".into(),
        (Cause::Backlog, _) => "its own backlog".into(),
        (Cause::OwnRun, _) => "its own run time".into(),
        (Cause::NotWaiting, None) => "not waiting for its timer".into(),
        (Cause::Stopped, _) => "stopped by a signal".into(),
        (Cause::Frozen, _) => "frozen".into(),
        (Cause::PageFault | Cause::AfterFault, _) => "page fault".into(),
        (Cause::TimerSlack, _) => "timer slack".into(),
        (Cause::Frequency | Cause::Cooling, _) => "low CPU frequency".into(),
        (Cause::Hotplug, _) => "CPU hotplug".into(),
        (Cause::Unexplained, _) => "unexplained".into(),
        (Cause::Blocking, Some(Holder::Thread(thread))) => {
            format!("{} not preemptible", thread.name.as_deref().unwrap_or("thread"))
        }
        (_, Some(Holder::Thread(thread))) => {
            format!("{} ({})", thread.name.as_deref().unwrap_or("thread"), priority(thread.priority))
        }
        (_, Some(Holder::Interrupt(name))) => format!("interrupt {name}"),
        (_, Some(Holder::Softirq(number))) => format!("softirq {}", softirq::name(*number)),
        _ => phrase(cause, culprit),
    }
}

fn without_figure(blame: &Blame) -> String {
    match blame {
        Blame::Shares { .. } | Blame::Unseen { moved: None } => "not seen whole in the trace".to_string(),
        Blame::Unseen { moved: Some(Moved { from, to }) } => {
            format!("not seen whole in the trace: the thread had been moved from CPU {from} to CPU {to}")
        }
        Blame::Unfitting => "unexplained (its wakeup in the trace does not fit its own clock readings)".to_string(),
        Blame::Modes(division) => modes(division),
    }
}

fn of_shares(shares: &[Share]) -> String {
    let sum = |shares: &[&Share]| shares.iter().fold(0u64, |sum, share| sum.saturating_add(share.ns));
    let total = sum(&shares.iter().collect::<Vec<_>>());
    let (named, rest) = shares.split_at(shares.len().min(NAMED));
    let of_one = |share: &Share| format!("{} {}", time(share.ns), phrase(share.cause, share.culprit.as_ref()));
    let mut parts: Vec<String> = named.iter().map(of_one).collect();
    // What is unexplained is always shown.
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

/// Whose lateness is in the shares, as the end of a sentence; nothing where the thread waited for nobody.
fn behind(wakers: &Wakers) -> String {
    wakers_of(wakers).map_or(String::new(), |said| format!(" ({said})"))
}

/// The same of a whole response, as a sentence of its own.
pub fn wakers(blame: &Blame) -> Option<String> {
    if let Blame::Shares { wakers, .. } = blame { wakers_of(wakers) } else { None }
}

fn wakers_of(wakers: &Wakers) -> Option<String> {
    let late: Vec<String> = wakers.late.iter().map(name).collect();
    let end = match &wakers.end {
        WakersEnd::First => None,
        WakersEnd::Circle(thread) => Some(format!("{} was behind that, and they make each other ready", name(thread))),
        WakersEnd::TooMany => Some("more were behind that and are not followed".to_string()),
        WakersEnd::Missing(thread) => Some(format!("how late {} came is not recorded", name(thread))),
    };
    let told = match late.as_slice() {
        [] => None,
        [waker] => Some(format!("with what its waker {waker} was late")),
        [waker, before @ ..] => {
            Some(format!("with what its waker {waker} was late, and before that {}", before.join(", before that ")))
        }
    };
    let all: Vec<String> = told.into_iter().chain(end).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn away(moved: Option<&Moved>) -> String {
    moved.map_or(String::new(), |Moved { from, to }| format!(": the probe had been moved from CPU {from} to CPU {to}"))
}

/// Where instructions were executed, as it stands beside a latency.
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

/// Who it was, with what else is known of it.
pub(super) fn who(culprit: &Culprit) -> String {
    let holder = match &culprit.holder {
        Holder::Unknown => "unknown".into(),
        Holder::Idle => "idle".into(),
        Holder::Thread(thread) => name(thread),
        Holder::Interrupt(name) => format!("interrupt {name}"),
        Holder::Softirq(number) => format!("softirq {}", softirq::name(*number)),
    };
    match &culprit.more {
        None
        | Some(
            HolderDetail::Untold(_)
            | HolderDetail::Masking { .. }
            | HolderDetail::Until { .. }
            | HolderDetail::Slowed { .. }
            | HolderDetail::Plugged { .. }
            | HolderDetail::UsedUp { .. }
            | HolderDetail::After(_),
        ) => holder,
        Some(HolderDetail::Signals(count)) => format!("{holder} sent it at least {count} signals"),
        Some(HolderDetail::OnTimeOf(thread)) => format!("{holder} on the time of {}", name(thread)),
        Some(HolderDetail::Inherited { to, lender }) => {
            let lender = lender.as_ref().map_or(String::new(), |lender| format!(" from {}", name(lender)));
            format!("{holder} ran at {}, inherited through a lock{lender}", priority(*to))
        }
        Some(HolderDetail::Raised(to @ Some(_))) => format!("{holder} ran at a raised priority, {}", priority(*to)),
        Some(HolderDetail::Raised(None)) => format!("{holder} ran at a raised priority, from whom is not recorded"),
        Some(HolderDetail::WhileHeldBy(thread)) => {
            format!("{holder} ran while {} held the lock that the thread waited for", name(thread))
        }
        Some(HolderDetail::OtherRun) => format!("{holder} of another run of this tool"),
        Some(HolderDetail::At(function)) => format!("{holder}, at work on {function},"),
        Some(HolderDetail::Timers(count)) => format!("{holder}, in which at least {count} timers expired"),
        Some(HolderDetail::TimersOf { at_least: 1, function }) => {
            format!("{holder}, most of it in the timer function {function}")
        }
        Some(HolderDetail::TimersOf { at_least, function }) => {
            format!("{holder}, in which at least {at_least} timers expired, most of it in {function}")
        }
        Some(HolderDetail::FarAbove(p99)) => {
            format!("{holder} (its p99 is {}: the machine below the kernel may have stood still)", time(*p99))
        }
    }
}

/// A thread that no switch has named yet is a number only.
pub(super) fn name(thread: &Thread) -> String {
    let name = thread.name.as_deref().unwrap_or("thread");
    let series = if thread.series { "series " } else { "" };
    let ours = backwall_model::own_thread(name).map_or(String::new(), |ours| format!("{ours}, "));
    let id = thread.id.map_or(String::new(), |id| format!("{id}, "));
    format!("{series}{name} ({ours}{id}{})", priority(thread.priority))
}

pub fn priority(priority: Option<Priority>) -> String {
    match priority {
        Some(Priority::Detent(number)) => format!("priority {number}"),
        Some(Priority::Deadline) => "deadline".into(),
        Some(Priority::RealTime(number)) => format!("real-time {number}"),
        Some(Priority::Nice(nice)) => format!("nice {nice}"),
        Some(Priority::Ordinary) => "ordinary".into(),
        None => "priority not seen".into(),
    }
}

#[cfg(test)]
mod tests;
