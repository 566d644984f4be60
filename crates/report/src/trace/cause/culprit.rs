// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words for who used a part of a response.
use crate::trace::accused::time;
use backwall_model::{Culprit, Holder, HolderDetail, OwnInterrupt, Priority, Thread};
use backwall_trace::event::softirq;

pub fn who(culprit: &Culprit) -> String {
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
        Some(HolderDetail::OnTimeOf(thread)) => format!("{holder} in the context of {}", name(thread)),
        Some(HolderDetail::Inherited { to, lender }) => {
            let lender = lender.as_ref().map_or(String::new(), |lender| format!(" from {}", name(lender)));
            format!("{holder} ran at {}, inherited through a lock{lender}", priority(*to))
        }
        Some(HolderDetail::Raised(to @ Some(_))) => format!("{holder} ran at a raised priority, {}", priority(*to)),
        Some(HolderDetail::Raised(None)) => {
            format!("{holder} ran at a raised priority (the recording does not show who raised it)")
        }
        Some(HolderDetail::WhileHeldBy(thread)) => {
            format!("{holder} ran while {} held the lock that the thread waited for", name(thread))
        }
        Some(HolderDetail::OtherRun) => format!("{holder} of another backwall run"),
        Some(HolderDetail::At(function)) => format!("{holder}, at work on {function},"),
        Some(HolderDetail::Timers(count)) => format!("{holder}, in which at least {count} timers expired"),
        Some(HolderDetail::TimersOf { at_least: 1, function }) => {
            format!("{holder}, most of its time in the timer function {function}")
        }
        Some(HolderDetail::TimersOf { at_least, function }) => {
            format!("{holder}, in which at least {at_least} timers expired, most of its time in {function}")
        }
        Some(HolderDetail::FarAbove(p99)) => {
            format!("{holder} (its p99 is {}: the hypervisor may have paused the CPU)", time(*p99))
        }
    }
}

/// A thread without a recorded name appears as its number.
pub fn name(thread: &Thread) -> String {
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

pub(super) fn who_of(culprit: Option<&Culprit>) -> String {
    culprit.map_or(String::new(), who)
}

pub(super) fn short(holder: &Holder) -> Option<String> {
    match holder {
        Holder::Thread(thread) => Some(format!("{} ({})", bare_name(thread), priority(thread.priority))),
        Holder::Interrupt(name) => Some(format!("interrupt {name}")),
        Holder::Softirq(number) => Some(format!("softirq {}", softirq::name(*number))),
        Holder::Unknown | Holder::Idle => None,
    }
}

/// The holder's name alone; `None` if the holder has no name.
pub fn bare(holder: &Holder) -> Option<String> {
    match holder {
        Holder::Thread(thread) => Some(bare_name(thread).to_string()),
        other => short(other),
    }
}

pub(super) fn bare_name(thread: &Thread) -> &str {
    thread.name.as_deref().unwrap_or("thread")
}

pub fn is_ours(thread: &Thread) -> bool {
    thread.name.as_deref().and_then(backwall_model::own_thread).is_some()
}

pub(super) fn is_by_us(culprit: Option<&Culprit>) -> bool {
    culprit.is_some_and(|culprit| matches!(&culprit.holder, Holder::Thread(thread) if is_ours(thread)))
}

/// The advice if a backwall thread delays a thread of the same or a lower priority.
pub(super) const BEHIND_US: &str =
    "backwall delayed it: give it a real-time priority, or run backwall on another CPU (taskset)";

pub(super) fn interrupt_advice(name: &str) -> &'static str {
    match OwnInterrupt::from_name(name) {
        Some(OwnInterrupt::Timer) => {
            "the CPU's own timer cannot be moved: set fewer timers on this CPU (isolcpus=, nohz_full=; /proc/timer_list shows who sets them)"
        }
        Some(OwnInterrupt::Call) => {
            "an IPI from another CPU cannot be moved: cause fewer IPIs (isolcpus=, nohz_full=; no munmap, mprotect or \
                fork in a process with threads here)"
        }
        Some(OwnInterrupt::Other) => {
            "the CPU's own interrupt cannot be moved: stop what profiles or traces this CPU (irq_work, pmu), or check its temperature and errors (apic)"
        }
        None => "move the interrupt to another CPU (/proc/irq/N/smp_affinity_list), or lower the rate of its device",
    }
}

pub(super) fn advice(detail: &HolderDetail) -> Option<&'static str> {
    Some(match detail {
        HolderDetail::Inherited { .. } => {
            "shorten the work that it does while it holds the lock, or do not share that lock with real-time threads"
        }
        HolderDetail::Raised(_) => {
            "it ran above its own priority: find what raises it (a lock with priority inheritance, or a call of sched_setscheduler)"
        }
        HolderDetail::TimersOf { at_least: 1, .. } => {
            "a kernel timer ran that long: its function shows what sets it (tick_*: the regular tick, which nohz_full= removes; hrtimer_wakeup and posix_*: a program; perf_*: a profiler)"
        }
        HolderDetail::Timers(_) | HolderDetail::TimersOf { .. } => {
            "many timers expired at once: find who sets them (/proc/timer_list), spread them, give them slack \
                (PR_SET_TIMERSLACK), or keep the threads that set them off this CPU"
        }
        HolderDetail::At(_) => {
            "the function shows who queued that work: keep it off this CPU (/sys/devices/virtual/workqueue/cpumask, or isolate the CPU), or stop what queues it"
        }
        HolderDetail::FarAbove(_) => {
            "this interrupt is usually short, so the virtual machine may have been paused: give it its own CPUs on the host"
        }
        HolderDetail::OtherRun => "end the other run of backwall",
        _ => return None,
    })
}
