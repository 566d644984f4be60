// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which CPUs this process may use, and how to keep its own threads off the measured CPUs.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use crate::threads;
use backwall_model::units::ranges::ranges;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::path::Path;

/// The CPUs that this process may use, in order; never empty if the kernel answers.
pub fn allowed() -> Vec<u32> {
    sched_getaffinity(None).map_or(vec![0], |set| listed(&set))
}

/// Every online CPU, also those that this process may not use. Without a list from the kernel: the CPUs of this process.
pub fn online() -> Vec<u32> {
    const ONLINE: &str = "/sys/devices/system/cpu/online";
    let text = std::fs::read_to_string(ONLINE).unwrap_or_default();
    let cpus: Vec<u32> = ranges(&text).flatten().collect();
    if cpus.is_empty() { allowed() } else { cpus }
}

fn listed(set: &CpuSet) -> Vec<u32> {
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
}

/// Whether the kernel lets this process run on a CPU, even one outside its current affinity. A temporary thread tries it.
pub fn grants(cpu: u32) -> bool {
    let mut only = CpuSet::new();
    if cpu as usize >= CpuSet::MAX_CPU {
        return false;
    }
    only.set(cpu as usize);
    let tried = std::thread::Builder::new().spawn(move || sched_setaffinity(None, &only).is_ok());
    // If no thread can be started to try it, assume yes; the later use then reports the error.
    tried.map_or(true, |thread| thread.join().unwrap_or(false))
}

/// While this value lives, threads of this process avoid some CPUs, if there are other CPUs.
#[derive(Debug)]
pub struct KeptOff(Vec<(Option<Pid>, CpuSet)>);

impl KeptOff {
    /// Moves the calling thread off these CPUs. Threads and processes that it starts from now on inherit this.
    pub fn processors(cpus: &[u32]) -> Self {
        Self(moved(None, cpus).into_iter().collect())
    }

    /// Moves every existing thread of this process off these CPUs. A later thread inherits the affinity of the one that starts
    /// it.
    pub fn all_threads(cpus: &[u32]) -> Self {
        let own = threads::numbered(Path::new("/proc/self/task"));
        Self(own.filter_map(|(id, _)| moved(Some(Pid::from_raw(id)?), cpus)).collect())
    }
}

/// The previous affinity of a thread that was moved off these CPUs; `None` if it was not moved.
fn moved(thread: Option<Pid>, cpus: &[u32]) -> Option<(Option<Pid>, CpuSet)> {
    let before = sched_getaffinity(thread).ok()?;
    let mut others = before;
    let known = cpus.iter().map(|cpu| *cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
    known.for_each(|cpu| others.unset(cpu));
    let differs = others.count() > 0 && others.count() < before.count();
    (differs && sched_setaffinity(thread, &others).is_ok()).then_some((thread, before))
}

impl Drop for KeptOff {
    fn drop(&mut self) {
        for (thread, before) in &self.0 {
            let _ = sched_setaffinity(*thread, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn all_threads_leave_a_processor_and_get_it_back() {
        let all = allowed();
        let (ends, ended) = channel::<()>();
        let (tells, told) = channel();
        let older = std::thread::spawn(move || {
            tells.send(rustix::thread::gettid()).unwrap();
            let _ = ended.recv();
        });
        let id = told.recv().unwrap();
        let of_older = || listed(&sched_getaffinity(Some(id)).unwrap());
        let last = all[all.len() - 1];
        let kept_off = KeptOff::all_threads(&[last]);
        let without: Vec<u32> = all.iter().copied().filter(|cpu| *cpu != last).collect();
        let expected = if without.is_empty() { &all } else { &without };
        assert_eq!((&of_older(), &allowed()), (expected, expected));
        let all_cpus = KeptOff::all_threads(expected);
        assert_eq!(&of_older(), expected, "where there is no other they stay");
        drop((all_cpus, kept_off));
        assert_eq!((of_older(), allowed()), (all.clone(), all));
        drop(ends);
        older.join().unwrap();
    }
}
