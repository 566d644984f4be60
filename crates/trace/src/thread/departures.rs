// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that left a CPU without a record: some kernels record no switch from some of their threads.
use crate::event::{Name, Thread};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// Threads that left a CPU without a record, with counts. Prints the thread with most of them, and the number of other threads.
#[derive(Clone, Debug, Default)]
pub struct Departures {
    threads: BTreeMap<i32, (Name, u64)>,
}

impl Departures {
    /// Notes that a thread left its CPU without a record.
    pub fn add(&mut self, thread: Thread) {
        let (name, count) = self.threads.entry(thread.id).or_default();
        // Only a switch to the thread shows its name.
        if thread.name != Name::default() {
            *name = thread.name;
        }
        *count += 1;
    }

    /// Number of departures without a recorded switch, for all threads together.
    pub fn count(&self) -> u64 {
        self.threads.values().map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Departures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.threads.iter().max_by_key(|(id, (_, count))| (*count, Reverse(**id)));
        let Some((id, (name, count))) = most else { return Ok(()) };
        match (id, *name == Name::default()) {
            (0, _) => f.write_str("idle"),
            (_, true) => write!(f, "thread {id}"),
            (_, false) => write!(f, "{name} {id}"),
        }?;
        match (self.threads.len() - 1, count) {
            (0, _) => Ok(()),
            (others, 1) => write!(f, " (once) and {others} more"),
            (others, _) => write!(f, " ({count} times) and {others} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_with_the_most_is_named_as_far_as_it_is_known_and_all_are_counted() {
        let mut departures = Departures::default();
        assert_eq!(departures.to_string(), "");
        for (id, name) in [(75, ""), (75, "worker"), (75, ""), (0, "swapper/1"), (80, "")] {
            departures.add(Thread { name: Name::new(name.as_bytes()), ..Thread::numbered(id) });
        }
        assert_eq!((departures.count(), departures.to_string().as_str()), (5, "worker 75 (3 times) and 2 more"));
        let mut one = Departures::default();
        one.add(Thread::numbered(80));
        assert_eq!(one.to_string(), "thread 80");
    }
}
