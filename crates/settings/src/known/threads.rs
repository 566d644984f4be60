// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that need not run on the measured processor, or not above the measured thread. They can be moved only on the
//! machine on which this process runs.
use crate::machine::{Machine, processors};
use crate::place::{Known, Place};
use crate::setting::{Change, Setting};
use system::threads::{Thread, is_of_another_run, is_ours};

/// The thread that all others of the kernel come from.
const PARENT: i32 = 2;
/// A priority that a program other than the measured one seldom needs more than.
const ORDINARY_PRIORITY: u32 = 49;

/// Threads of the kernel that are bound to no processor.
pub const KERNEL: Setting = Setting {
    name: "kernel-threads",
    checks: &["kernel threads"],
    causes: &["kernel-thread", "preempted"],
    does: "moves threads of the kernel that may run anywhere to the other processors",
    harm: "what these threads do has fewer processors",
    changes: |machine| {
        let Some(others) = machine.others() else { return Vec::new() };
        let moved = |thread: &Thread| {
            let allowed = processors(&thread.allowed()?);
            let free = allowed.contains(&machine.cpu) && allowed.len() > 1;
            let place = Place::Processors { thread: Known::of(thread) };
            (free && may_move(thread)).then(|| Change::to(machine, place, others.as_str())).flatten()
        };
        of_this_machine(machine).iter().filter(|thread| thread.parent == PARENT).filter_map(moved).collect()
    },
};

/// Programs of real-time priority above the ordinary ones.
pub const ABOVE: Setting = Setting {
    name: "real-time-threads",
    checks: &["real-time threads"],
    causes: &["preempted"],
    does: "lowers programs with a priority of 50 and more that may run on the measured processor to 49",
    harm: "what these programs do in time is done later when the measured thread runs; some of them reset it",
    changes: |machine| {
        let lowered = |thread: &Thread| {
            let place = Place::Scheduling { thread: Known::of(thread) };
            let now = place.read(machine).ok()?;
            let (policy, priority) = now.split_once(' ')?;
            let above = priority.parse::<u32>().ok()? > ORDINARY_PRIORITY;
            above.then(|| Change::to(machine, place.clone(), format!("{policy} {ORDINARY_PRIORITY}"))).flatten()
        };
        let is_a_program = |thread: &&Thread| thread.parent != PARENT && thread.id != PARENT;
        let not_ours = |thread: &&Thread| !is_ours(thread) && !is_of_another_run(thread);
        let threads = of_this_machine(machine);
        let chosen = threads.iter().filter(is_a_program).filter(not_ours);
        chosen.filter(|thread| thread.may_run_on(machine.cpu)).filter_map(lowered).collect()
    },
};

fn of_this_machine(machine: &Machine) -> Vec<Thread> {
    if machine.is_this() { machine.threads() } else { Vec::new() }
}

/// The kernel marks the threads whose processors are its own affair; it refuses to move them (PF_NO_SETAFFINITY).
fn may_move(thread: &Thread) -> bool {
    const NO_SETAFFINITY: u64 = 0x0400_0000;
    thread.flags & NO_SETAFFINITY == 0
}
