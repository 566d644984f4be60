// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every setting that the tool knows and that can be changed while the machine runs, one file a subject.
//!
//! - `application`: what the threads of the watched application have themselves
//! - `audit`: what the kernel writes down of system calls
//! - `cgroup`: quotas and sets of processors of the control groups that what is measured is in
//! - `frequency`: governor and limits of the frequency of the measured processor
//! - `idle`: idle states that take long to leave
//! - `interrupts`: where devices' interrupts run
//! - `memory`: huge pages, gathering of pages, swap, merging, moving of pages between nodes
//! - `periodic`: what the kernel does again and again on every processor
//! - `tests`: what each would write on a machine of files
//! - `throttling`: what is taken from real-time threads for others
//! - `threads`: threads of the kernel, and programs above the measured one
//! - `timers`: timers that move between processors
//! - `workqueues`: where work that is bound to no processor runs, and how RCU waits
mod application;
mod audit;
mod cgroup;
mod frequency;
mod idle;
mod interrupts;
mod memory;
mod periodic;
mod threads;
mod throttling;
mod timers;
mod workqueues;

use crate::settings::setting::Setting;

/// All of them, what usually costs most first.
pub const ALL: [Setting; 29] = [
    frequency::GOVERNOR,
    frequency::CEILING,
    frequency::FLOOR,
    frequency::PREFERENCE,
    idle::STATES,
    threads::ABOVE,
    interrupts::AFFINITY,
    threads::INTERRUPTS,
    threads::KERNEL,
    throttling::THROTTLING,
    throttling::FAIR_SERVER,
    throttling::EXT_SERVER,
    cgroup::QUOTA,
    cgroup::CPUSET,
    application::SCHEDULING,
    application::PROCESSOR,
    application::MEMORY,
    workqueues::UNBOUND,
    workqueues::EXPEDITED,
    timers::MIGRATION,
    memory::HUGE_PAGES,
    memory::COMPACTION,
    memory::SWAPPINESS,
    memory::MERGING,
    memory::BALANCING,
    periodic::STATISTICS,
    periodic::WATCHDOG,
    periodic::WRITEBACK,
    audit::AUDIT,
];

/// Those of the threads of the application that is measured.
pub(crate) const OF_APPLICATION: [Setting; 3] = [application::SCHEDULING, application::PROCESSOR, application::MEMORY];

pub fn named(name: &str) -> Option<&'static Setting> {
    static KNOWN: [Setting; ALL.len()] = ALL;
    KNOWN.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
pub(crate) mod tests;
