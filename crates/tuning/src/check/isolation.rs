// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the measured CPU is kept free of other threads, the tick, and RCU callbacks.
use super::{Machine, Reading, cpu_list};

pub(super) fn isolcpus(machine: &Machine) -> Reading {
    let why = "the scheduler keeps ordinary threads, and the kernel code that they run, off an isolated CPU";
    listed(machine, "/sys/devices/system/cpu/isolated", "isolcpus", why)
}

/// `nohz_full=`: no periodic tick while one thread runs.
pub(super) fn nohz_full(machine: &Machine) -> Reading {
    const FILE: &str = "/sys/devices/system/cpu/nohz_full";
    let why = "without nohz_full the tick interrupts a running thread at every jiffy";
    if machine.read(FILE).is_err() && machine.has("/sys/devices/system/cpu/online") {
        return Reading::note(
            format!("{FILE}: no such file"),
            format!("{why}; this kernel was built without the option"),
        );
    }
    listed(machine, FILE, "nohz_full", why)
}

pub(super) fn rcu_nocbs(machine: &Machine) -> Reading {
    let why = "RCU's callbacks run in threads that can be moved to other CPUs, instead of in interrupts of this CPU";
    let line = match machine.read("/proc/cmdline") {
        Ok(line) => line,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let list = line.split_whitespace().find_map(|word| word.strip_prefix("rcu_nocbs="));
    let implied = machine.read("/sys/devices/system/cpu/nohz_full").unwrap_or_default();
    if cpu_list::contains(&implied, machine.cpu) {
        return Reading::good("/sys/devices/system/cpu/nohz_full: also moves RCU's callbacks", why);
    }
    judge(machine, "/proc/cmdline", list.unwrap_or(""), "rcu_nocbs", why)
}

fn listed(machine: &Machine, file: &str, option: &str, why: &str) -> Reading {
    match machine.read(file) {
        Ok(list) => judge(machine, file, &list, option, why),
        Err(unread) => Reading::unknown(&unread, why),
    }
}

fn judge(machine: &Machine, place: &str, list: &str, option: &str, why: &str) -> Reading {
    let shown = if list.is_empty() || list == "(null)" { "none" } else { list };
    let found = format!("{place}: {option} {shown}");
    if list == "all" || cpu_list::contains(list, machine.cpu) {
        return Reading::good(found, why);
    }
    let isolated = isolated(machine);
    match cpu_list::first(&isolated) {
        Some(_) if cpu_list::contains(&isolated, machine.cpu) => {
            let boot = format!("{option}={isolated}");
            Reading::note(found, why).fix(format!("boot with {boot}")).boot(boot)
        }
        Some(better) => Reading::note(found, why).fix(format!("measure on an isolated CPU: --cpu {better}")),
        None => unisolated(machine, Reading::note(found, why), option),
    }
}

/// For a machine where nothing is isolated: proposes to isolate the measured CPU, or the last CPU if CPU 0 is measured.
fn unisolated(machine: &Machine, reading: Reading, option: &str) -> Reading {
    let online = machine.read("/sys/devices/system/cpu/online").unwrap_or_default();
    let chosen = if machine.cpu == 0 { cpu_list::last(&online) } else { Some(machine.cpu) };
    match chosen.filter(|cpu| *cpu != 0 && cpu_list::other(&online, *cpu).is_some()) {
        None => reading.because("this machine has one CPU, so other threads can run nowhere else"),
        Some(cpu) => {
            let boot = if option == "isolcpus" {
                format!("isolcpus=managed_irq,domain,{cpu}")
            } else {
                format!("{option}={cpu}")
            };
            let there = if cpu == machine.cpu { String::new() } else { format!(" and measure with --cpu {cpu}") };
            reading.fix(format!("boot with {boot}{there}")).boot(boot)
        }
    }
}

/// The CPUs the kernel keeps free; empty if none or unknown.
pub(super) fn isolated(machine: &Machine) -> String {
    machine.read("/sys/devices/system/cpu/isolated").unwrap_or_default()
}
