// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which processors this process may use, and keeping our own threads off the measured ones.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use backwall_model::units::ranges::ranges;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors this process may use, in order; never empty on a machine that answers.
pub fn allowed() -> Vec<u32> {
    sched_getaffinity(None).map_or(vec![0], |set| listed(&set))
}

/// Every online CPU, also those this process may not use; only its own if that cannot be read.
pub fn online() -> Vec<u32> {
    const ONLINE: &str = "/sys/devices/system/cpu/online";
    let text = std::fs::read_to_string(ONLINE).unwrap_or_default();
    let cpus: Vec<u32> = ranges(&text).flatten().collect();
    if cpus.is_empty() { allowed() } else { cpus }
}

fn listed(set: &CpuSet) -> Vec<u32> {
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
}

/// Whether the kernel lets a thread of this process move to a processor, also one it does not use now; tried by a thread
/// that ends at once.
pub fn grants(cpu: u32) -> bool {
    let mut only = CpuSet::new();
    if cpu as usize >= CpuSet::MAX_CPU {
        return false;
    }
    only.set(cpu as usize);
    let tried = std::thread::Builder::new().spawn(move || sched_setaffinity(None, &only).is_ok());
    // Without a thread to try it with, anyone who uses the processor will be told.
    tried.map_or(true, |thread| thread.join().unwrap_or(false))
}

#[derive(Debug)]
pub struct KeptOff(Option<CpuSet>);

impl KeptOff {
    /// Moves the calling thread; children started from now on inherit it.
    pub fn processors(cpus: &[u32]) -> Self {
        let Ok(before) = sched_getaffinity(None) else { return Self(None) };
        let mut others = before;
        let known = cpus.iter().map(|cpu| *cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
        known.for_each(|cpu| others.unset(cpu));
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
