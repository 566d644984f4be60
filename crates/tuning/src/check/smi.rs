// SPDX-License-Identifier: MIT OR Apache-2.0
//! System management interrupts, and whether one occurred during the check.
use super::{Machine, Reading};
use backwall_os::smi::MAKER;

const CPUINFO: &str = "/proc/cpuinfo";

/// The number of system management interrupts since boot, and whether one occurred during the check.
pub(super) fn count(machine: &Machine) -> Reading {
    let why = "firmware stops all CPUs for such an interrupt, often for 100 us and more, and no priority helps";
    let maker = match machine.read(CPUINFO) {
        Ok(text) => text,
        Err(unread) => return Reading::unknown(&unread, why),
    };
    if super::device_tree::is_there(machine) {
        let secure = "the firmware of a board may stop a CPU too, and no priority helps";
        return Reading::note(format!("{CPUINFO}: no such interrupts on this kind of CPU"), secure);
    }
    if !maker.contains(MAKER) {
        return Reading::note(format!("{CPUINFO}: no such count on this CPU"), why);
    }
    let file = machine.msr();
    match (machine.before().smi.as_ref(), machine.smi_later()) {
        (Ok(before), Ok(after)) => judge(&file, *before, after, why),
        (Err(unread), _) => Reading::unknown(unread, why)
            .fix("load the module that counts them, as root; a virtual machine has no count\nmodprobe msr"),
        (_, Err(unread)) => Reading::unknown(&unread, why),
    }
}

fn judge(file: &str, before: u64, after: u64, why: &str) -> Reading {
    let fix = "in the firmware's setup: turn off USB legacy support, power capping and management agents";
    let new = after.saturating_sub(before);
    match (new, after) {
        (0, 0) => Reading::good(format!("{file}: none since boot"), why),
        (0, all) => Reading::note(format!("{file}: {all} since boot, none during this check"), why).fix(fix),
        (new, all) => Reading::bad(format!("{file}: {new} during this check, {all} since boot"), why).fix(fix),
    }
}
