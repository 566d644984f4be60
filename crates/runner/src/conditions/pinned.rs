// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the measured threads stay on their CPUs. Another program may move a thread, and the kernel moves threads away from
//! a CPU that goes offline.
use backwall_model::units::ranges::ranges;
use backwall_os::threads;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

#[derive(Debug)]
pub struct Pinned {
    cpus: Vec<u32>,
    /// Threads that were seen bound to one measured CPU, with that CPU. The probe binds each thread before its first release.
    placed: BTreeMap<u32, u32>,
    moved: BTreeMap<u32, String>,
}

impl Pinned {
    pub fn to(cpus: &[u32]) -> Self {
        Self { cpus: cpus.to_vec(), placed: BTreeMap::new(), moved: BTreeMap::new() }
    }

    /// Reads the affinity of each thread of `process`. The kernel answers without disturbing the threads.
    pub fn look(&mut self, process: u32, elapsed: Duration) {
        for (thread, folder) in threads::numbered(&Path::new("/proc").join(process.to_string()).join("task")) {
            let allowed = threads::allowed(&folder).map(|list| ranges(&list).flatten().collect());
            self.see(thread as u32, allowed, elapsed);
        }
    }

    fn see(&mut self, thread: u32, allowed: Option<Vec<u32>>, elapsed: Duration) {
        let Some(allowed) = allowed else { return };
        match (self.placed.get(&thread), allowed.as_slice()) {
            (None, [cpu]) if self.cpus.contains(cpu) => drop(self.placed.insert(thread, *cpu)),
            (Some(cpu), others) if others != [*cpu] => {
                let list: Vec<String> = others.iter().map(u32::to_string).collect();
                let (seconds, list) = (elapsed.as_secs_f64(), list.join(", "));
                let line = || {
                    format!(
                        "the measured thread was moved off CPU {cpu} after {seconds:.1} s; it could run on CPU {list}"
                    )
                };
                self.moved.entry(thread).or_insert_with(line);
            }
            _ => {}
        }
    }

    pub fn moved(self) -> impl Iterator<Item = String> {
        self.moved.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(steps: &[(u32, &[u32])]) -> Vec<String> {
        let mut pinned = Pinned::to(&[1, 3]);
        let at = Duration::from_millis(1_250);
        steps.iter().for_each(|(thread, allowed)| pinned.see(*thread, Some(allowed.to_vec()), at));
        pinned.see(7, None, Duration::ZERO);
        pinned.moved().collect()
    }

    #[test]
    fn a_thread_is_moved_once_it_was_placed_and_may_run_elsewhere_even_for_a_moment() {
        assert!(seen(&[(7, &[0, 1]), (7, &[1]), (7, &[1])]).is_empty());
        assert!(seen(&[(7, &[0, 1])]).is_empty(), "it was never placed: the probe has said so itself");
        let moved = "the measured thread was moved off CPU 1 after 1.2 s; it could run on CPU 0, 1";
        assert_eq!(seen(&[(7, &[1]), (7, &[0, 1]), (7, &[1])]), [moved]);
        assert_eq!(seen(&[(7, &[1]), (7, &[0])]).len(), 1);
    }

    #[test]
    fn of_several_threads_each_is_looked_at_and_those_that_measure_nothing_are_not() {
        let moved = seen(&[(7, &[1]), (8, &[3]), (9, &[0]), (9, &[0, 2]), (8, &[0, 1, 2]), (7, &[1])]);
        assert_eq!(moved, ["the measured thread was moved off CPU 3 after 1.2 s; it could run on CPU 0, 1, 2"]);
    }
}
