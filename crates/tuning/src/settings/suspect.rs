// SPDX-License-Identifier: MIT OR Apache-2.0
//! What used the time of a late response. Each class contains the causes that the same settings can reduce.
use backwall_model::{Cause, Culprit, Holder, HolderDetail, Limit, OwnInterrupt};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspect {
    Device,
    Call,
    Timers,
    Softirq,
    InterruptThread,
    Kernel(&'static str),
    Above,
    Share,
    /// No thread ran although one was ready: the ready thread's control group had used up its quota, or allows other CPUs only.
    Nobody,
    Quota,
    /// A page fault: the memory was not present.
    Fault,
    Of(Cause),
}

/// Kernel threads that may run on any CPU, by name prefix.
pub(crate) const MOVABLE: &[Suspect] = &[
    Suspect::Kernel("rcu"),
    Suspect::Kernel("ksmd"),
    Suspect::Kernel("kswapd"),
    Suspect::Kernel("kcompactd"),
    Suspect::Kernel("khugepaged"),
    Suspect::Kernel("kauditd"),
];
/// Name prefixes of the kernel threads that a setting addresses; interrupt threads are not among them.
const KERNELS: [&str; 9] =
    ["kworker/", "migration/", "rcu", "ksmd", "kswapd", "kcompactd", "khugepaged", "kauditd", "ksoftirqd/"];
const INTERRUPT_THREAD: &str = "irq/";

impl Suspect {
    pub(crate) fn is(self, cause: Cause, culprit: Option<&Culprit>) -> bool {
        match self {
            Self::Device => interrupt(culprit) == Some(None),
            Self::Call => interrupt(culprit) == Some(Some(OwnInterrupt::Call)),
            Self::Timers => interrupt(culprit) == Some(Some(OwnInterrupt::Timer)),
            Self::Softirq => matches!(culprit.map(|culprit| &culprit.holder), Some(Holder::Softirq(_))),
            Self::InterruptThread => thread(culprit).is_some_and(|name| name.starts_with(INTERRUPT_THREAD)),
            Self::Kernel(begins) => thread(culprit).is_some_and(|name| name.starts_with(begins)),
            Self::Above => cause == Cause::Interference && thread(culprit).is_some_and(is_a_program),
            Self::Share => cause == Cause::FairShare && thread(culprit).is_some_and(is_a_program),
            Self::Nobody => cause == Cause::FairShare && culprit.is_some_and(Culprit::is_idle),
            Self::Quota => {
                let of_group =
                    |culprit: &Culprit| matches!(culprit.more, Some(HolderDetail::UsedUp { limit: Limit::Quota, .. }));
                cause == Cause::Quota && culprit.is_some_and(of_group)
            }
            Self::Fault => matches!(cause, Cause::PageFault | Cause::AfterFault),
            Self::Of(own) => cause == own,
        }
    }
}

/// The CPU's own interrupt that held the CPU; `Some(None)`: a device's interrupt held it.
fn interrupt(culprit: Option<&Culprit>) -> Option<Option<OwnInterrupt>> {
    match culprit {
        // Timer functions belong to no device, whatever the name of their interrupt.
        Some(Culprit { more: Some(HolderDetail::Timers(_) | HolderDetail::TimersOf { .. }), .. }) => {
            Some(Some(OwnInterrupt::Timer))
        }
        Some(Culprit { holder: Holder::Interrupt(name), .. }) => Some(OwnInterrupt::from_name(name)),
        _ => None,
    }
}

fn thread(culprit: Option<&Culprit>) -> Option<&str> {
    match &culprit?.holder {
        Holder::Thread(thread) => thread.name.as_deref(),
        _ => None,
    }
}

fn is_a_program(name: &str) -> bool {
    let is_of_the_kernel = KERNELS.iter().chain([&INTERRUPT_THREAD]).any(|begins| name.starts_with(begins));
    !is_of_the_kernel && backwall_model::own_thread(name).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::known::ALL;
    use backwall_model::Thread;

    fn of(holder: Holder) -> Option<Culprit> {
        Some(Culprit { holder, more: None })
    }

    fn named(name: &str) -> Option<Culprit> {
        of(Holder::Thread(Thread { name: Some(name.to_string()), id: None, priority: None, series: false }))
    }

    fn against(cause: Cause, culprit: Option<Culprit>) -> Vec<&'static str> {
        let helps = |suspect: &Suspect| suspect.is(cause, culprit.as_ref());
        ALL.iter().filter(|setting| setting.against.iter().any(helps)).map(|setting| setting.name).collect()
    }

    // Responses with one cause each, and every setting that may help.
    #[test]
    fn each_cause_leads_to_the_settings_that_mend_it() {
        let interrupt = |name: &str| of(Holder::Interrupt(name.to_string()));
        let timers =
            Some(Culprit { holder: Holder::Interrupt("xhci_hcd".into()), more: Some(HolderDetail::Timers(10)) });
        let used_up =
            |limit| Some(Culprit { holder: Holder::Unknown, more: Some(HolderDetail::UsedUp { limit, group: None }) });
        for (cause, culprit, settings) in [
            (Cause::Interference, named("bf-burn"), &["real-time-threads", "app-priority", "app-cpu"][..]),
            (Cause::FairShare, named("bf-burn"), &["app-priority", "app-cpu"]),
            (Cause::FairShare, of(Holder::Idle), &["quota", "cpuset"]),
            (Cause::Interference, named("ksmd"), &["kernel-threads", "page-merging"]),
            (Cause::Interference, named("kworker/u8:2"), &["workqueues", "vm-statistics", "writeback"]),
            (Cause::Interference, named("irq/16-eth0"), &["interrupt-threads"]),
            (Cause::Interference, interrupt("eth0"), &["interrupt-affinity"]),
            (Cause::Interference, interrupt("reschedule"), &["rcu-expedited"]),
            (Cause::Interference, interrupt("ipi"), &["rcu-expedited"]),
            (Cause::Interference, interrupt("irq_work"), &[]),
            (Cause::Interference, interrupt("local_timer"), &["timer-migration", "watchdog"]),
            (Cause::Interference, interrupt("arch_timer"), &["timer-migration", "watchdog"]),
            (Cause::Interference, timers, &["timer-migration", "watchdog"]),
            (Cause::Interference, of(Holder::Softirq(3)), &["interrupt-affinity"]),
            (Cause::Throttling, named("sh"), &["throttling", "fair-server", "ext-server"]),
            (Cause::TimerSlack, None, &["app-priority"]),
            (Cause::IdleExit, None, &["idle-states"]),
            (Cause::PageFault, None, &["app-memory", "huge-pages", "swappiness", "page-merging", "numa-balancing"]),
            (Cause::Interference, named(backwall_model::RECORDER_THREAD), &[]),
            (Cause::Quota, used_up(Limit::Quota), &["quota"]),
            (Cause::Quota, used_up(Limit::Budget), &[]),
            (Cause::Masked, named("bf-burn"), &[]),
            (Cause::Unexplained, None, &[]),
        ] {
            assert_eq!(against(cause, culprit.clone()), settings, "{cause:?} {culprit:?}");
        }
    }

    #[test]
    fn every_setting_is_against_something_but_for_what_no_cause_tells() {
        let silent: Vec<&str> =
            ALL.iter().filter(|setting| setting.against.is_empty()).map(|setting| setting.name).collect();
        assert_eq!(silent, [""; 0]);
    }
}
