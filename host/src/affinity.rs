// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which processors this process may use, and keeping our own threads off the measured one.
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors this process may use, in order; never empty on a machine that answers.
pub fn allowed() -> Vec<u32> {
    sched_getaffinity(None).map_or(vec![0], |set| listed(&set))
}

/// The processors on line that a thread may use, in order; `None` when it has ended.
pub fn of(thread: u32) -> Option<Vec<u32>> {
    Some(listed(&sched_getaffinity(Pid::from_raw(i32::try_from(thread).ok()?)).ok()?))
}

fn listed(set: &CpuSet) -> Vec<u32> {
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
}

/// While it lives, the calling thread keeps off one processor, where there is another.
#[derive(Debug)]
pub struct KeptOff(Option<CpuSet>);

impl KeptOff {
    /// Moves the calling thread; children started from now on inherit it.
    pub fn processor(cpu: u32) -> Self {
        let Ok(before) = sched_getaffinity(None) else { return Self(None) };
        let mut others = before;
        if (cpu as usize) < CpuSet::MAX_CPU {
            others.unset(cpu as usize);
        }
        let moved = others.count() > 0 && sched_setaffinity(None, &others).is_ok();
        Self(moved.then_some(before))
    }
}

impl Drop for KeptOff {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = sched_setaffinity(None, before);
        }
    }
}
