// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the threads of the application that is measured have themselves. They are changed only on the machine on which this process
//! runs; where no application is measured there is nothing to change.
use crate::machine::Machine;
use crate::place::{Known, Place};
use crate::setting::{Change, Setting};
use std::collections::BTreeSet;
use system::threads::Thread;

/// Below the kernel's own helpers of the highest priorities, above threads of interrupts, which have 50.
const PRIORITY: &str = "fifo 80";

/// Policy and priority of threads that have no real-time priority.
pub const SCHEDULING: Setting = Setting {
    name: "app-priority",
    checks: &[],
    causes: &["preempted", "fair-share"],
    does: "gives the watched application's threads that have no real-time priority SCHED_FIFO 80",
    harm: "a thread of it that does not sleep keeps everything below it from its processor",
    changes: |machine| {
        let raised = |thread: &Thread| Change::to(machine, Place::Scheduling { thread: Known::of(thread) }, PRIORITY);
        threads(machine).iter().filter(|thread| thread.real_time == 0).filter_map(raised).collect()
    },
};

/// Where they may run.
pub const PROCESSOR: Setting = Setting {
    name: "app-processor",
    checks: &[],
    causes: &["preempted", "fair-share"],
    does: "lets the watched application's threads run on the measured processor alone",
    harm: "they wait for each other there, and nothing keeps other programs off it",
    changes: |machine| {
        let moved = |thread: &Thread| {
            Change::to(machine, Place::Processors { thread: Known::of(thread) }, machine.cpu.to_string())
        };
        threads(machine).iter().filter_map(moved).collect()
    },
};

/// How much memory they may lock. Only a program itself can lock its memory, so this helps one that asks for it and was refused.
pub const MEMORY: Setting = Setting {
    name: "app-memory",
    checks: &[],
    causes: &["page-fault"],
    does: "lets the watched application lock all the memory that it asks for (mlockall)",
    harm: "memory that is locked is missing elsewhere",
    changes: |machine| {
        let all: BTreeSet<Known> = threads(machine).iter().filter_map(|one| Known::process_of(machine, one)).collect();
        let raised = |thread| Change::to(machine, Place::LockedMemory { thread }, "unlimited unlimited");
        all.into_iter().filter_map(raised).collect()
    },
};

fn threads(machine: &Machine) -> &[Thread] {
    if machine.is_this() { machine.watched() } else { &[] }
}
