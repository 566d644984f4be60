// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording says of itself.
use std::collections::BTreeMap;

/// Threads whose names are believed: the kernel's own largest number of one.
const NAMES_MAX: usize = 4 << 20;

/// What a recording says of itself before its first event.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// `trace.dat version 6` …
    pub form: String,
    /// The clock of the stamps, where it is told: `local`, `mono` …
    pub clock: Option<String>,
    /// What `uname` said.
    pub system: Option<String>,
    /// Processors.
    pub cpus: u32,
    /// Names of threads by their numbers.
    pub names: BTreeMap<i32, String>,
    /// Threads that are known to belong to a process: its number.
    pub processes: BTreeMap<i32, i32>,
    /// Events that the rings overwrote or refused, where the recorder counted them.
    pub lost: Option<u64>,
    /// Sentences for the user.
    pub notes: Vec<String>,
}

impl About {
    /// Whether the stamps are those of CLOCK_MONOTONIC, by which timers are set.
    pub fn is_monotonic(&self) -> bool {
        self.clock.as_deref() == Some("mono")
    }

    /// Takes rows of a number and a name, as `saved_cmdlines` has them.
    pub(super) fn name_threads(&mut self, rows: &str) {
        for row in rows.lines().take(NAMES_MAX) {
            let Some((number, name)) = row.trim().split_once(' ') else { continue };
            if let Ok(number) = number.parse() {
                self.names.insert(number, name.trim().to_string());
            }
        }
    }

    /// Takes one thread's name and process.
    pub(super) fn name_thread(&mut self, thread: i32, process: i32, name: &str) {
        if self.names.len() < NAMES_MAX {
            self.names.insert(thread, name.to_string());
            self.processes.insert(thread, process);
        }
    }

    /// Takes rows of a thread's number and its process's.
    pub(super) fn place_threads(&mut self, rows: &str) {
        let numbers = rows.lines().take(NAMES_MAX).filter_map(|row| -> Option<(i32, i32)> {
            let (thread, process) = row.trim().split_once(' ')?;
            Some((thread.parse().ok()?, process.trim().parse().ok()?))
        });
        self.processes.extend(numbers);
    }

    /// Takes the text of a ring's `stats`.
    pub(super) fn count_lost(&mut self, statistics: &str) {
        let lost = crate::trace::statistics::lost_in(statistics);
        self.lost = Some(self.lost.unwrap_or(0).saturating_add(lost));
    }
}
