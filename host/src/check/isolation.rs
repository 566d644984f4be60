// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the measured processor is kept free of other threads, of the tick, and of RCU's callbacks.
use super::{Machine, Reading, cpu_list};

/// `isolcpus=`: the scheduler moves no ordinary thread there.
pub(super) fn isolcpus(machine: &Machine) -> Reading {
    let why = "ordinary threads are kept off an isolated processor, and with them their kernel code";
    listed(machine, "/sys/devices/system/cpu/isolated", "isolcpus", why)
}

/// `nohz_full=`: no periodic tick while one thread runs.
pub(super) fn nohz_full(machine: &Machine) -> Reading {
    const FILE: &str = "/sys/devices/system/cpu/nohz_full";
    let why = "without it the tick interrupts a running thread at every jiffy";
    if machine.read(FILE).is_err() && machine.has("/sys/devices/system/cpu/online") {
        return Reading::note(
            format!("{FILE}: no such file"),
            format!("{why}; this kernel was built without the option"),
        );
    }
    listed(machine, FILE, "nohz_full", why)
}

/// `rcu_nocbs=` on the boot line.
pub(super) fn rcu_nocbs(machine: &Machine) -> Reading {
    let why = "RCU's callbacks run in threads that can be placed elsewhere, instead of in interrupts of this processor";
    let line = match machine.read("/proc/cmdline") {
        Ok(line) => line,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let list = line.split_whitespace().find_map(|word| word.strip_prefix("rcu_nocbs="));
    judge(machine, "/proc/cmdline", list.unwrap_or(""), "rcu_nocbs", why)
}

fn listed(machine: &Machine, file: &str, option: &str, why: &str) -> Reading {
    match machine.read(file) {
        Ok(list) => judge(machine, file, &list, option, why),
        Err(unread) => Reading::unknown(&unread, why),
    }
}

fn judge(machine: &Machine, place: &str, list: &str, option: &str, why: &str) -> Reading {
    let cpu = machine.cpu;
    let shown = if list.is_empty() || list == "(null)" { "none" } else { list };
    let found = format!("{place}: {option} {shown}");
    if list == "all" || cpu_list::contains(list, cpu) {
        return Reading::good(found, why);
    }
    let online = machine.read("/sys/devices/system/cpu/online").unwrap_or_default();
    match cpu_list::other(&online, cpu) {
        Some(_) => Reading::note(found, why).fix(format!("boot with {option}={cpu}")),
        None => Reading::note(found, format!("{why}; a machine with one processor has nowhere else to put them")),
    }
}
