// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the measured thread stays on its processor: another program may move it, and a processor that is taken
//! offline loses its threads.
use crate::affinity;
use std::path::Path;
use std::time::Duration;

/// What was seen of the thread's processors so far.
#[derive(Debug)]
pub struct Pinned {
    cpu: u32,
    /// It was seen on its processor alone, as the probe puts it there before the first release.
    placed: bool,
    moved: Option<String>,
}

impl Pinned {
    /// Of a thread that is measured on `cpu`.
    pub fn to(cpu: u32) -> Self {
        Self { cpu, placed: false, moved: None }
    }

    /// Looks where `thread` of `process` may run; the kernel answers without disturbing it.
    pub fn look(&mut self, process: u32, thread: u32, elapsed: Duration) {
        if self.moved.is_some() || !Path::new(&format!("/proc/{process}/task/{thread}")).exists() {
            return;
        }
        self.see(affinity::of(thread), elapsed);
    }

    fn see(&mut self, allowed: Option<Vec<u32>>, elapsed: Duration) {
        let Some(allowed) = allowed else { return };
        if allowed == [self.cpu] {
            self.placed = true;
        } else if self.placed {
            let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
            let (cpu, seconds, list) = (self.cpu, elapsed.as_secs_f64(), list.join(", "));
            self.moved = Some(format!(
                "the measured thread was moved off CPU {cpu} after {seconds:.1} s; it could run on CPU {list}"
            ));
        }
    }

    /// What is to be said about it.
    pub fn moved(self) -> Option<String> {
        self.moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(steps: &[&[u32]]) -> Option<String> {
        let mut pinned = Pinned::to(1);
        steps.iter().for_each(|allowed| pinned.see(Some(allowed.to_vec()), Duration::from_millis(1_250)));
        pinned.see(None, Duration::ZERO);
        pinned.moved()
    }

    #[test]
    fn a_thread_is_moved_once_it_was_placed_and_may_run_elsewhere_even_for_a_moment() {
        assert_eq!(seen(&[&[0, 1], &[1], &[1]]), None);
        assert_eq!(seen(&[&[0, 1]]), None, "it was never placed: the probe has said so itself");
        let moved = "the measured thread was moved off CPU 1 after 1.2 s; it could run on CPU 0, 1";
        assert_eq!(seen(&[&[1], &[0, 1], &[1]]).unwrap(), moved);
        assert!(seen(&[&[1], &[0]]).is_some());
    }

    #[test]
    fn a_thread_that_is_not_of_the_process_is_not_looked_at() {
        let mut pinned = Pinned::to(1);
        pinned.placed = true;
        pinned.look(std::process::id(), 1, Duration::ZERO);
        assert!(pinned.moved.is_none());
    }
}
