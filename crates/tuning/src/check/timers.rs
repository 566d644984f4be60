// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether timers of other CPUs may be moved to the measured CPU.
use super::{Machine, Reading};

pub(super) fn migration(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/sys/kernel/timer_migration";
    let why = "a CPU that goes idle hands its timers to a busy one, where a real-time thread may delay them";
    match machine.number(FILE) {
        Ok(0) => Reading::good(format!("{FILE}: 0"), "timers stay where they were set"),
        Ok(value) => Reading::note(format!("{FILE}: {value}"), why)
            .fix(format!("keep timers on the CPU that sets them\necho 0 > {FILE}")),
        Err(unread) => Reading::unknown(&unread, why),
    }
}
