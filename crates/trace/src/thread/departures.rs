// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that left a CPU without a record: some kernels record no switch from some of their threads.
use crate::event::{Name, Thread};
use std::collections::BTreeMap;
use std::fmt;

/// Threads that left a CPU without a record, with counts. Printed as the end of a sentence, or as nothing.
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
        let mut before = "; no record of the switch away from";
        for (id, (name, count)) in &self.threads {
            let times = if *count == 1 { "once".to_string() } else { format!("{count} times") };
            match (id, *name == Name::default()) {
                (0, _) => write!(f, "{before} idle ({times})"),
                (_, true) => write!(f, "{before} thread {id} ({times})"),
                (_, false) => write!(f, "{before} {name} {id} ({times})"),
            }?;
            before = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_is_named_as_far_as_it_is_known_and_all_are_counted() {
        let mut departures = Departures::default();
        assert_eq!(departures.to_string(), "");
        for (id, name) in [(75, ""), (75, "worker"), (75, ""), (0, "swapper/1"), (80, "")] {
            departures.add(Thread { name: Name::new(name.as_bytes()), ..Thread::numbered(id) });
        }
        let told = "; no record of the switch away from idle (once), worker 75 (3 times), thread 80 (once)";
        assert_eq!((departures.count(), departures.to_string().as_str()), (5, told));
    }
}
