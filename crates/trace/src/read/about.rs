// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording states about itself.
use super::tracer::Tracer;
use crate::event::Group;
use crate::write::trace_dat::QuotaRow;
use backwall_model::units::{DisplayedValue, Unit, counted};
use std::collections::BTreeMap;

const NAMES_MAX: usize = 1 << 18;
/// No kernel shows a longer name; the longest is that of a kworker in /proc.
const NAME_BYTES_MAX: usize = 64;
const BEYOND: &str =
    "the recording names more than 262,144 threads; backwall drops the names and processes of the others";

/// What a recording states about itself before its first event.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// `trace.dat version 6` …
    pub form: String,
    /// The timestamp clock, if known: `local`, `mono` …
    pub clock: Option<String>,
    /// The unit of one count of the stamps.
    pub unit: Unit,
    /// The output of `uname`.
    pub system: Option<String>,
    /// Number of CPUs.
    pub cpus: u32,
    /// Names of threads, by thread number.
    pub names: BTreeMap<i32, String>,
    /// Process numbers of threads, if known, by thread number.
    pub processes: BTreeMap<i32, i32>,
    /// Threads that their control group's quota stopped during the recording, with that group.
    pub quotas: BTreeMap<i32, Group>,
    /// Number of events that the rings overwrote or refused, if counted.
    pub lost: Option<u64>,
    /// Whether the events carry need-resched flags, if requested.
    pub marks: bool,
    /// What a latency tracer states about its trace.
    pub tracer: Option<Tracer>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl About {
    /// Whether the stamps use CLOCK_MONOTONIC, as timers do.
    pub fn is_monotonic(&self) -> bool {
        self.clock.as_deref() == Some("mono")
    }

    pub(super) fn name_threads(&mut self, rows: &str) {
        for row in rows.lines() {
            let Some((number, name)) = row.trim().split_once(' ') else { continue };
            if let Ok(number) = number.parse() {
                self.keep_name(number, name.trim());
            }
        }
    }

    pub(super) fn name_thread(&mut self, thread: i32, process: i32, name: &str) {
        self.keep_name(thread, name);
        self.keep_process(thread, process);
    }

    pub(super) fn place_threads(&mut self, rows: &str) {
        let numbers = rows.lines().filter_map(|row| -> Option<(i32, i32)> {
            let (thread, process) = row.trim().split_once(' ')?;
            Some((thread.parse().ok()?, process.trim().parse().ok()?))
        });
        numbers.for_each(|(thread, process)| self.keep_process(thread, process));
    }

    pub(super) fn limit_threads(&mut self, QuotaRow { group, times, ns, threads }: QuotaRow) {
        self.notes.push(format!(
            "a cgroup's CPU quota kept its threads off the CPUs {} for {} in all: {group}",
            counted(times, "time", "times"),
            DisplayedValue(ns, Unit::Ns)
        ));
        let group = Group::named(&group);
        for thread in threads {
            if self.has_room(self.quotas.contains_key(&thread), self.quotas.len()) {
                self.quotas.insert(thread, group);
            }
        }
    }

    fn keep_name(&mut self, thread: i32, name: &str) {
        let known = self.names.contains_key(&thread);
        if self.has_room(known, self.names.len()) {
            let cut = name.char_indices().map(|(at, letter)| at + letter.len_utf8());
            let end = cut.take_while(|end| *end <= NAME_BYTES_MAX).last().unwrap_or(0);
            self.names.insert(thread, name[..end].to_string());
        }
    }

    fn keep_process(&mut self, thread: i32, process: i32) {
        let known = self.processes.contains_key(&thread);
        if self.has_room(known, self.processes.len()) {
            self.processes.insert(thread, process);
        }
    }

    fn has_room(&mut self, known: bool, kept: usize) -> bool {
        let has_room = known || kept < NAMES_MAX;
        if !has_room && self.notes.iter().all(|note| note != BEYOND) {
            self.notes.push(BEYOND.to_string());
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_recording_makes_more_or_longer_names_than_are_kept() {
        let mut about = About::default();
        about.name_thread(1, 1, &"ä".repeat(40_000));
        assert_eq!(about.names[&1], "ä".repeat(NAME_BYTES_MAX / 2));
        let rows: String = (2..NAMES_MAX + 100).map(|thread| format!("{thread} x\n")).collect();
        about.name_threads(&rows);
        about.place_threads(&rows.replace('x', "7"));
        assert_eq!((about.names.len(), about.processes.len()), (NAMES_MAX, NAMES_MAX));
        assert_eq!(about.notes, [BEYOND]);
        // Above the limit, a known thread may still get another name.
        about.name_thread(2, 3, "later");
        assert_eq!((about.names[&2].as_str(), about.processes[&2]), ("later", 3));
    }
}
