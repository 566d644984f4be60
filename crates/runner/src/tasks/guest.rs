// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the task set on a lab guest instead of on this machine.
use crate::tasks::jobs::Phase;
use crate::tasks::ready::Ready;
use crate::tasks::task_set::TaskSetResult;
use backwall_os::refusal::{Result, usage};
use backwall_tasks::handed::{RunnableSet, Work};

pub trait Guest {
    fn run(&self, handed: &RunnableSet, phase: &Phase) -> Result<TaskSetResult>;

    fn is_stopped(&self) -> bool;
}

pub fn measure(ready: &Ready, guest: &dyn Guest) -> Result<TaskSetResult> {
    if ready.handed.work == Work::CpuTime {
        return Err(usage("--work cpu-time: Detent does not count a thread's CPU time; leave it out"));
    }
    guest.run(&ready.handed, &ready.phase)
}
