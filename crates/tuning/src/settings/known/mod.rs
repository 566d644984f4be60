// SPDX-License-Identifier: MIT OR Apache-2.0
//! All known settings that can be changed at run time, one file per subject.
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

pub(crate) const OF_APPLICATION: [Setting; 3] = [application::SCHEDULING, application::PROCESSOR, application::MEMORY];

pub fn named(name: &str) -> Option<&'static Setting> {
    static KNOWN: [Setting; ALL.len()] = ALL;
    KNOWN.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
pub(crate) mod tests;
