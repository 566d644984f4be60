// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel threads that may run only on the measured CPU.
use super::{Machine, Reading, cpu_list};
use backwall_os::threads::{self, Thread};

const PARENT: i32 = 2;
/// Kernel threads that every CPU has and that only local work wakes up.
const EVERYWHERE: [&str; 8] =
    ["migration/", "ksoftirqd/", "cpuhp/", "kworker/", "rcuc/", "idle_inject/", "irq_work/", "backlog_napi/"];
const NAMED: usize = 5;

pub(super) fn bound(machine: &Machine) -> Reading {
    let why = "a kernel thread bound to this CPU takes time from the measured thread";
    if let Err(unread) = machine.read("/proc/stat") {
        return Reading::unknown(&unread, why);
    }
    let all = threads::all_under(&machine.place("/proc"));
    let bound: Vec<&Thread> = all.iter().filter(|thread| is_bound(thread, machine.cpu)).collect();
    let Some(first) = bound.first() else {
        return Reading::good(format!("/proc: no thread of the kernel is bound to CPU {}", machine.cpu), why);
    };
    let names: Vec<String> = bound.iter().take(NAMED).map(|thread| thread.to_string()).collect();
    let more = if bound.len() > NAMED { format!(" and {} more", bound.len() - NAMED) } else { String::new() };
    let reading = Reading::note(format!("/proc: bound to CPU {}: {}{more}", machine.cpu, names.join(", ")), why);
    let online = machine.read("/sys/devices/system/cpu/online").unwrap_or_default();
    match cpu_list::other(&online, machine.cpu) {
        Some(other) => reading.fix(format!(
            "move each thread; an interrupt thread follows its interrupt\ntaskset -cp {other} {}",
            first.id
        )),
        None => reading,
    }
}

fn is_bound(thread: &Thread, cpu: u32) -> bool {
    let of_kernel = thread.parent == PARENT;
    let needless = !EVERYWHERE.iter().any(|name| thread.name.starts_with(name));
    of_kernel && needless && thread.allowed().is_some_and(|list| list == cpu.to_string())
}
