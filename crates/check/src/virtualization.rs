// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a hypervisor lies below this kernel, and what it took.
use super::{Machine, Reading};

/// The processor's own flag; `false` where it cannot be read.
pub(super) fn flagged(machine: &Machine) -> bool {
    machine.read("/proc/cpuinfo").is_ok_and(|text| has_flag(&text))
}

fn has_flag(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().find(|row| row.starts_with("flags") || row.starts_with("Features"));
    flags.unwrap_or_default().split_whitespace().any(|flag| flag == "hypervisor")
}

/// The processor's own flag, with the maker's name where the firmware tells it.
pub(super) fn hypervisor(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/cpuinfo";
    let why = "a hypervisor may take the processor at any moment; this kernel cannot prevent it and sees only a part of it as steal";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let flagged = has_flag(&text);
    let maker = machine.read("/sys/hypervisor/type").or_else(|_| machine.read("/sys/class/dmi/id/sys_vendor")).ok();
    match (flagged, maker) {
        (true, Some(maker)) => Reading::note(format!("{FILE}: flag hypervisor; {maker}"), why).fix(OWN),
        (true, None) => Reading::note(format!("{FILE}: flag hypervisor"), why).fix(OWN),
        (false, _) => Reading::good(format!("{FILE}: no flag hypervisor"), "no hypervisor shows itself"),
    }
}

const OWN: &str = "measure on hardware, or give each virtual processor one of its own on the host";

/// Share of processor time taken since boot, from the first row of `/proc/stat`.
pub(super) fn steal(machine: &Machine) -> Reading {
    const FILE: &str = "/proc/stat";
    const STEAL: usize = 7;
    let why = "time in which the hypervisor ran something else on this machine's processors";
    let text = match machine.read(FILE) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    let row = text.lines().find_map(|row| row.strip_prefix("cpu "));
    // The first eight numbers are all time there is; the guests' shares that follow are counted in them already.
    let ticks: Vec<u64> =
        row.unwrap_or_default().split_whitespace().take(8).filter_map(|word| word.parse().ok()).collect();
    let Some(steal) = ticks.get(STEAL) else { return Reading::unknown(&machine.strange(FILE, &text), why) };
    let all = ticks.iter().fold(0u64, |sum, ticks| sum.saturating_add(*ticks)).max(1);
    let found = format!("{FILE}: {steal} of {all} ticks since boot ({:.3} %)", 100.0 * *steal as f64 / all as f64);
    if *steal == 0 { Reading::good(found, why) } else { Reading::bad(found, why).fix(OWN) }
}
