// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a cause's sentence that depend on what is known about the culprit.
use super::culprit::{name, who};
use crate::brief::short_figure;
use backwall_model::units::{DisplayedValue, Unit, grouped};
use backwall_model::{Culprit, Holder, HolderDetail, Limit, Untold};

pub(super) fn after(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::After(ns)) => format!("the {}", DisplayedValue(*ns, Unit::Ns)),
        _ => "a late".into(),
    }
}

/// If the thread delayed itself: how long it had run, if recorded.
pub(super) fn ran_on(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::After(ns)) => {
            format!("it caught up: its own earlier activation ran for {}", short_figure(*ns, Unit::Ns))
        }
        _ => "the thread was still working on an earlier release (or the hypervisor or firmware paused it)".into(),
    }
}

pub(super) fn plugged(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Plugged { cpu, down: true }) => format!("CPU {cpu} went offline"),
        Some(HolderDetail::Plugged { cpu, down: false }) => format!("CPU {cpu} came online"),
        _ => "a CPU went offline or came back".into(),
    }
}

pub(super) fn slowed(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Slowed { mhz, of_mhz, limited }) => {
            let limit = if *limited { ", the highest allowed" } else { "" };
            format!(" at {} MHz of {} MHz{limit}", grouped(u64::from(*mhz)), grouped(u64::from(*of_mhz)))
        }
        _ => " at a lowered frequency".into(),
    }
}

pub(super) fn used_up(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::UsedUp { limit: Limit::Quota, .. }) => {
            format!("its control group{} had used up its quota (cpu.max)", group(culprit))
        }
        Some(HolderDetail::UsedUp { limit: Limit::RealTimeShare, .. }) => {
            "its control group had used up its share for real-time threads (cpu.rt_runtime_us)".into()
        }
        Some(HolderDetail::UsedUp { limit: Limit::Budget, .. }) => {
            "it had used up its own budget (the runtime of SCHED_DEADLINE)".into()
        }
        _ => "it had used up its allowed time".into(),
    }
}

/// The function in which a thread could not be preempted, if the stack at the switch shows it.
pub(super) fn unpreempted(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Masking { .. }) => format!(", in {}", masking(culprit)),
        _ => String::new(),
    }
}

pub(super) fn masking(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Masking { function, caller: Some(caller) }) => format!("{function} (called by {caller})"),
        Some(HolderDetail::Masking { function, caller: None }) => function.clone(),
        _ => "a function of the kernel".into(),
    }
}

pub(super) fn while_it_ran(culprit: Option<&Culprit>) -> String {
    let known = culprit.filter(|culprit| culprit.holder != Holder::Unknown);
    known.map_or(String::new(), |culprit| format!(" while {} ran", who(culprit)))
}

// The thread that was running when the CPU stopped. It delayed nobody.
pub(super) fn with_it(culprit: Option<&Culprit>) -> String {
    let known = culprit.filter(|culprit| culprit.holder != Holder::Unknown);
    known.map_or(String::new(), |culprit| format!(" ({} was running)", who(culprit)))
}

pub(super) fn by_whom(culprit: Option<&Culprit>) -> String {
    match culprit.map(|culprit| &culprit.holder) {
        Some(Holder::Thread(thread)) => format!(" by {}", name(thread)),
        _ => " (by whom was not recorded)".into(),
    }
}

pub(super) fn until(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Until { thread, .. }) => format!(", until {} resumed it", name(thread)),
        _ => String::new(),
    }
}

pub(super) fn group(culprit: Option<&Culprit>) -> String {
    match culprit.and_then(|culprit| culprit.more.as_ref()) {
        Some(HolderDetail::Until { group: Some(group), .. } | HolderDetail::UsedUp { group: Some(group), .. }) => {
            format!(" {}", group.replace(char::is_control, "?"))
        }
        _ => String::new(),
    }
}

pub(super) fn missing(culprit: Option<&Culprit>) -> String {
    let Some(HolderDetail::Untold(untold)) = culprit.and_then(|culprit| culprit.more.as_ref()) else {
        return String::new();
    };
    match untold {
        Untold::NoStack => "; no kernel stack was recorded".into(),
        Untold::Hidden => "; the kernel hides its functions' names, see kernel.kptr_restrict".into(),
        Untold::Cut => "; the stack was cut short".into(),
        Untold::Unnamed => "; a function in the stack has no name".into(),
        Untold::Moment(function) => {
            format!("; {function} disables them only briefly")
        }
        Untold::Itself(function) => {
            format!("; {function} enables them itself, but the stack does not show when")
        }
        Untold::Delivery => "; the delay was no longer than an interrupt's entry may take".into(),
    }
}
