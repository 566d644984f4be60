// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock source behind CLOCK_MONOTONIC.
use super::{Machine, Reading};

/// Clock sources that a program reads without a system call, within tens of nanoseconds.
const QUICK: [&str; 5] = ["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase"];

pub(super) fn source(machine: &Machine) -> Reading {
    const FILE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match machine.read(FILE) {
        Ok(name) if QUICK.contains(&name.as_str()) => {
            Reading::good(format!("{FILE}: {name}"), "a program reads this clock without a system call")
        }
        Ok(name) => Reading::bad(
            format!("{FILE}: {name}"),
            "each reading of the clock is a system call and often a slow access to a device",
        )
        .fix(
            "check the kernel log for why it rejected tsc; boot with clocksource=tsc tsc=reliable only if tsc is sound",
        ),
        Err(unread) => Reading::unknown(&unread, "how long a reading of the clock takes"),
    }
}
