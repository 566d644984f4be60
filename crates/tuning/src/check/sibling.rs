// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simultaneous multithreading: whether another CPU shares the measured one's core.
use super::{Machine, Reading, cpu_list};

pub(super) fn smt(machine: &Machine) -> Reading {
    let why = "two CPUs of one core share its caches and execution units: load on one slows the other";
    let file = format!("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", machine.cpu);
    match machine.read(&file) {
        Err(unread) => Reading::unknown(&unread, why),
        Ok(list) => match cpu_list::other(&list, machine.cpu) {
            None => Reading::good(format!("{file}: {list}"), "no other CPU is known to share this core"),
            Some(other) => Reading::note(format!("{file}: {list}"), why).fix(format!(
                "boot with nosmt, or take the sibling offline\necho 0 > /sys/devices/system/cpu/cpu{other}/online"
            )),
        },
    }
}
