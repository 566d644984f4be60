// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether this kernel runs on a hypervisor, and the steal time.
use super::{Machine, Reading, device_tree};

/// Whether a hypervisor is visible; `false` if unreadable.
pub(super) fn flagged(machine: &Machine) -> bool {
    machine.read(FILE).is_ok_and(|text| flag(&text).unwrap_or_else(|| without_a_flag(machine).is_some()))
}

const FILE: &str = "/proc/cpuinfo";

/// Whether a PC's CPU has the flag; `None` for other CPUs, which have no such flag.
fn flag(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|row| row.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Device tree names that only hypervisors and emulators use.
const MADE_UP: [&str; 4] = ["dummy-virt", "xenvm", "riscv-virtio", "qemu"];
const MAKERS: [&str; 5] = ["QEMU", "VMware", "Xen", "Parallels", "KVM"];

fn without_a_flag(machine: &Machine) -> Option<String> {
    let kind = machine.read("/sys/hypervisor/type").ok().map(|kind| format!("/sys/hypervisor/type: {kind}"));
    let below = || {
        let node = device_tree::texts(machine, "hypervisor/compatible").into_iter().next()?;
        Some(format!("{}/hypervisor: {node}", device_tree::TREE))
    };
    let made_up = || {
        let kinds = device_tree::texts(machine, "compatible");
        let kind = kinds.into_iter().find(|kind| MADE_UP.iter().any(|name| kind.contains(name)))?;
        Some(format!("{}/compatible: {kind}", device_tree::TREE))
    };
    let maker = || {
        let maker = machine.read(MAKER).ok()?;
        MAKERS.iter().any(|name| maker.contains(name)).then(|| format!("{MAKER}: {maker}"))
    };
    kind.or_else(below).or_else(made_up).or_else(maker)
}

const MAKER: &str = "/sys/class/dmi/id/sys_vendor";

/// Reports the CPU's own flag, with the hypervisor's maker if the firmware names it. On a CPU without this flag, looks
/// for other evidence.
pub(super) fn hypervisor(machine: &Machine) -> Reading {
    let why = "a hypervisor may take the CPU at any moment; this kernel cannot prevent it and sees only part of it as \
        steal time";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let maker = machine.read("/sys/hypervisor/type").or_else(|_| machine.read(MAKER)).ok();
    match (flag(&text), maker) {
        (Some(true), Some(maker)) => Reading::note(format!("{FILE}: flag hypervisor; {maker}"), why).fix(OWN),
        (Some(true), None) => Reading::note(format!("{FILE}: flag hypervisor"), why).fix(OWN),
        (Some(false), _) => Reading::good(format!("{FILE}: no flag hypervisor"), "no sign of a hypervisor"),
        (None, _) => match without_a_flag(machine) {
            Some(found) => Reading::note(found, why).fix(OWN),
            None => Reading::note(
                format!("{FILE}: this kind of CPU has no flag for it"),
                "nothing here names a hypervisor, but that does not prove there is none",
            ),
        },
    }
}

const OWN: &str = "measure on hardware, or give each vCPU its own CPU on the host";

/// Share of CPU time that the hypervisor has taken since boot, from the first row of `/proc/stat`.
pub(super) fn steal(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/stat";
    const STEAL: usize = 7;
    let why = "time in which the hypervisor ran something else on this machine's CPUs";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let row = text.lines().find_map(|row| row.strip_prefix("cpu "));
    // The first eight numbers cover all time; they already include the guest times that follow.
    let ticks: Vec<u64> =
        row.unwrap_or_default().split_whitespace().take(8).filter_map(|word| word.parse().ok()).collect();
    let Some(steal) = ticks.get(STEAL) else { return Reading::unknown(&machine.strange(FILE, &text), why) };
    let all = ticks.iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks)).max(1);
    let found = format!("{FILE}: {steal} of {all} ticks since boot ({:.3} %)", 100.0 * *steal as f64 / all as f64);
    if *steal == 0 { Reading::good(found, why) } else { Reading::bad(found, why).fix(OWN) }
}
