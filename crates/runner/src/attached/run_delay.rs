// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the kernel's own counters: how long each followed thread was ready without a CPU, and which programs used its CPUs. The
//! counters also cover what a recording misses: a loop that was late before the recording began, or for longer than the part of
//! the recording that backwall keeps.
#![expect(clippy::disallowed_methods, reason = "reads files")]
use super::attachee::Attachee;
use crate::conditions::busy::{Program, programs};
use backwall_model::Warning;
use backwall_model::units::ranges::ranges;
use backwall_os::affinity;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// backwall does not warn below this share of the time, because threads that share a CPU always wait that much.
const LEAST_SHARE: f64 = 0.1;
const NAMED: usize = 3;

type Programs = BTreeMap<i32, Program>;

pub(super) struct RunDelays {
    waited_ns: Vec<Option<u64>>,
    programs: Programs,
}

impl RunDelays {
    pub(super) fn begin(all: &[Attachee]) -> Self {
        Self { waited_ns: all.iter().map(waited).collect(), programs: programs(Path::new("/proc")) }
    }

    /// A warning about the thread that waited longest for a CPU, if it waited long.
    pub(super) fn warning(&self, all: &[Attachee], length: Duration) -> Option<Warning> {
        let since = |(one, before): (&Attachee, &Option<u64>)| Some(waited(one)?.saturating_sub((*before)?));
        let delays = all.iter().zip(&self.waited_ns).filter_map(|pair| Some((pair.0, since(pair)?)));
        let (thread, ns) = delays.max_by_key(|(_, ns)| *ns)?;
        let cpus: Vec<u32> =
            thread.thread.allowed().map_or(affinity::online(), |list| ranges(&list).flatten().collect());
        let names = most(&self.programs, &programs(Path::new("/proc")), thread.thread.process, &cpus);
        let text = told(Duration::from_nanos(ns), length, &names)?;
        let warning = Warning::new(Warning::RUN_DELAY, text).of(thread.followed().label());
        let is_ordinary = thread.thread.real_time == 0;
        Some(if is_ordinary { warning.mended_by("give it a real-time priority") } else { warning })
    }
}

/// `/proc/PID/task/TID/schedstat`: nanoseconds on a CPU, nanoseconds on a runqueue, and number of times on a CPU.
fn waited(one: &Attachee) -> Option<u64> {
    std::fs::read_to_string(one.thread.folder.join("schedstat")).ok()?.split_whitespace().nth(1)?.parse().ok()
}

/// The programs that used these CPUs most, except the followed program and backwall.
fn most(before: &Programs, after: &Programs, own: i32, cpus: &[u32]) -> Vec<String> {
    let others = after.iter().filter(|(id, program)| **id != own && !program.is_ours && cpus.contains(&program.cpu));
    let mut used: BTreeMap<&str, u64> = BTreeMap::new();
    for (id, program) in others {
        let known = before.get(id).filter(|known| known.name == program.name).map_or(0, |known| known.ticks);
        *used.entry(&program.name).or_default() += program.ticks.saturating_sub(known);
    }
    let mut used: Vec<(&str, u64)> = used.into_iter().filter(|(_, ticks)| *ticks > 0).collect();
    used.sort_by_key(|(_, ticks)| std::cmp::Reverse(*ticks));
    used.into_iter().take(NAMED).map(|(name, _)| name.to_string()).collect()
}

fn told(waited: Duration, length: Duration, names: &[String]) -> Option<String> {
    let (waited, length) = (waited.as_secs_f64(), length.as_secs_f64());
    let is_long = waited >= length * LEAST_SHARE;
    let who = if names.is_empty() { String::new() } else { format!("; main users of its CPUs: {}", names.join(", ")) };
    is_long.then(|| format!("the thread waited {waited:.1} s of {length:.1} s for a CPU{who}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_used_the_cpus_of_a_thread_that_waited_is_named_with_how_long_it_did() {
        let of =
            |name: &str, ticks, cpu, is_ours| Program { name: name.into(), ticks, is_ours, is_kernels: false, cpu };
        let before = Programs::from([(7, of("hog", 100, 1, false)), (9, of("loop", 5, 1, false))]);
        let after = Programs::from([
            (7, of("hog", 300, 1, false)),
            (8, of("busy", 250, 1, false)),
            (9, of("loop", 400, 1, false)),
            (10, of("elsewhere", 999, 0, false)),
            (11, of("backwall", 999, 1, true)),
        ]);
        let names = most(&before, &after, 9, &[1]);
        assert_eq!(names, ["busy", "hog"]);
        let told = |ms| told(Duration::from_millis(ms), Duration::from_secs(8), &names);
        assert_eq!(
            told(5_300).unwrap(),
            "the thread waited 5.3 s of 8.0 s for a CPU; main users of its CPUs: busy, hog"
        );
        assert_eq!(told(700), None, "its share of a CPU");
    }
}
