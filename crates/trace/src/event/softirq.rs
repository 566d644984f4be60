// SPDX-License-Identifier: MIT OR Apache-2.0
//! Softirq names by number, part of the kernel's interface to user space.

pub(crate) const NAMES: [&str; 10] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

/// Whether the softirq has this name.
pub fn is_named(number: u8, name: &str) -> bool {
    NAMES.get(number as usize).map_or_else(|| number.to_string() == name, |own| *own == name)
}

/// Whether a softirq can have this name. A softirq that backwall does not know is named by its number.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name) || name.parse::<u8>().is_ok()
}

/// The softirq's name, or its number if this version does not know it.
pub fn name(number: u8) -> String {
    NAMES.get(number as usize).map_or_else(|| number.to_string(), |name| name.to_string())
}
