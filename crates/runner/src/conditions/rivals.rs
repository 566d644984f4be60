// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time threads that the scheduler prefers to the probe. backwall looks for them at intervals during a phase, so it misses
//! short-lived ones, which only a trace shows. `occupied.rs` finds other runs.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use backwall_model::Warning;
use backwall_os::threads::{self, Thread};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// backwall does not look more often, because each look takes some milliseconds on another CPU.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const NAMED: usize = 5;

#[derive(Debug)]
pub struct Rivals {
    cpus: Vec<u32>,
    priority: u32,
    looked: Option<Instant>,
    above: BTreeMap<i32, String>,
}

impl Rivals {
    pub fn of(cpus: &[u32], priority: u32) -> Self {
        Self { cpus: cpus.to_vec(), priority, looked: None, above: BTreeMap::new() }
    }

    pub fn look(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        threads::all().iter().for_each(|thread| self.see(thread));
    }

    fn see(&mut self, thread: &Thread) {
        let above = |cpu: &u32| threads::rivals(thread, *cpu, self.priority.max(1));
        if !threads::is_ours(thread) && self.cpus.iter().any(above) {
            self.above.insert(thread.id, thread.to_string());
        }
    }

    pub fn warning(&self) -> Option<Warning> {
        let cpus: Vec<String> = self.cpus.iter().map(u32::to_string).collect();
        let (priority, cpu) = (self.priority, cpus.join(", "));
        (!self.above.is_empty()).then(|| {
            let which = match priority {
                0 => "real-time threads".to_string(),
                _ => format!("real-time threads with priority {priority} or higher"),
            };
            let said = format!("{which} may run on CPU {cpu}: {}", named(&self.above));
            Warning::new("rivals", said)
        })
    }
}

fn named(threads: &BTreeMap<i32, String>) -> String {
    let mut names: Vec<String> = threads.values().take(NAMED).cloned().collect();
    if threads.len() > NAMED {
        names.push(format!("{} more", threads.len() - NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(id: i32, name: &str, real_time: u32) -> Thread {
        Thread {
            id,
            process: id,
            parent: 1,
            name: name.into(),
            real_time,
            state: 'S',
            flags: 0,
            began: 0,
            folder: "/nowhere".into(),
        }
    }

    #[test]
    fn threads_above_are_named_those_of_another_run_too_and_the_rest_is_not() {
        let mut rivals = Rivals::of(&[1], 95);
        for seen in [
            thread(10, "control", 97),
            thread(11, "irq/9-eth0", 50),
            thread(12, "bw-wakeup", 95),
            thread(13, "bw-spin", 0),
            thread(14, "cc1", 0),
            Thread { parent: 2, ..thread(15, "migration/1", 99) },
        ] {
            rivals.see(&seen);
        }
        assert_eq!(
            rivals.warning().unwrap().text,
            "real-time threads with priority 95 or higher may run on CPU 1: control (10, real-time 97), \
             bw-wakeup (12, real-time 95)"
        );
    }

    #[test]
    fn our_own_probe_is_no_rival() {
        let mut rivals = Rivals::of(&[1], 95);
        rivals.see(&Thread { parent: std::process::id() as i32, ..thread(12, "bw-wakeup", 95) });
        assert_eq!(rivals.warning(), None);
    }
}
