// SPDX-License-Identifier: MIT OR Apache-2.0
//! Periodic work of the kernel on every CPU.
use crate::settings::form::Form;
use crate::settings::machine::Machine;
use crate::settings::place::Place;
use crate::settings::setting::{Change, Setting};
use crate::settings::suspect::Suspect;

/// Raises a value to at least `wanted`; larger values stay.
fn at_least(machine: &Machine, path: &str, wanted: u64) -> Vec<Change> {
    let place = Place::file(path, Form::Text);
    let shorter = place.read(machine).ok().and_then(|text| text.parse::<u64>().ok()).is_some_and(|now| now < wanted);
    let change = || Change::to(machine, place, wanted.to_string());
    shorter.then(change).flatten().into_iter().collect()
}

pub const STATISTICS: Setting = Setting {
    name: "vm-statistics",
    checks: &[],
    against: &[Suspect::Kernel("kworker/")],
    does: "updates memory statistics every two minutes instead of every second, in a kernel thread on each CPU",
    harm: "statistics such as those of vmstat are less current",
    changes: |machine| at_least(machine, "/proc/sys/vm/stat_interval", 120),
};

pub const WATCHDOG: Setting = Setting {
    name: "watchdog",
    checks: &[],
    against: &[Suspect::Timers, Suspect::Kernel("migration/")],
    does: "stops the watchdog: its timer, and the highest-priority thread that finds hung CPUs",
    harm: "the kernel no longer reports a hung CPU",
    changes: |machine| {
        Change::to(machine, Place::file("/proc/sys/kernel/watchdog", Form::Text), "0").into_iter().collect()
    },
};

pub const WRITEBACK: Setting = Setting {
    name: "writeback",
    checks: &[],
    against: &[Suspect::Kernel("kworker/u")],
    does: "makes the kernel look for data to write to disks every minute instead of every five seconds",
    harm: "a power failure loses up to a minute more of written data",
    changes: |machine| at_least(machine, "/proc/sys/vm/dirty_writeback_centisecs", 6_000),
};
