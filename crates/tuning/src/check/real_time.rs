// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that may preempt the probe on the measured CPU, and other runs of backwall.
use super::{Machine, Reading};
use backwall_os::threads::{self, Thread};

/// The default priority of backwall's measurements.
const PRIORITY: u32 = 95;
const NAMED: usize = 5;

pub(super) fn above(machine: &Machine) -> Reading {
    let cpu = machine.cpu;
    let why = "a real-time thread at or above the probe's priority delays it without limit";
    let fix = "move these threads to another CPU (taskset -cp), or measure with a higher --priority";
    let wanted = |thread: &Thread| threads::rivals(thread, cpu, PRIORITY) && !threads::is_ours(thread);
    let none = format!("no real-time thread at priority {PRIORITY} or above may run on CPU {cpu}");
    found(machine, wanted, &none, (why, fix))
}

pub(super) fn other_runs(machine: &Machine) -> Reading {
    let why = "two measurements on one machine disturb each other";
    found(machine, threads::is_of_another_run, "no other run of backwall", (why, "wait until the other run has ended"))
}

fn found(machine: &Machine, wanted: impl Fn(&Thread) -> bool, none: &str, (why, fix): (&str, &str)) -> Reading {
    // This file exists wherever threads are visible.
    if let Err(unread) = machine.read("/proc/stat") {
        return Reading::unknown(&unread, why);
    }
    let found: Vec<Thread> = threads::all_under(&machine.place("/proc")).into_iter().filter(wanted).collect();
    if found.is_empty() {
        Reading::good(format!("/proc: {none}"), why)
    } else {
        Reading::bad(format!("/proc: {}", named(&found)), why).fix(fix)
    }
}

fn named(threads: &[Thread]) -> String {
    let mut names: Vec<String> = threads.iter().take(NAMED).map(Thread::to_string).collect();
    if threads.len() > NAMED {
        names.push(format!("{} more", threads.len() - NAMED));
    }
    names.join(", ")
}
