// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a set to what a probe runs: CPUs and priorities of the machine, and releases. An error names what cannot run.
use super::arrivals::{Release, releases};
use super::fault::Fault;
use super::handed::{
    LOCKS_MOST, NAME_MOST, RELEASES_MOST, RunnableSet, SECTIONS_MOST, Scheduling, TASKS_MOST, Task, Work,
};
use super::set::{LONGEST_NS, Lock, Organisation, Policy, Protocol, Series, Set};
use backwall_stats::random::SplitMix;
use std::collections::{BTreeMap, BTreeSet};

/// Duration if the set has none.
pub const DURATION_NS: u64 = 10_000_000_000;
/// Highest priority of a task. The priority above it is reserved for the thread that releases the jobs.
const PRIORITY_MOST: u32 = 98;

/// Conditions of a run that the set does not contain.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// Time in which jobs are released.
    pub duration_ns: u64,
    /// Seed of the random releases, for series without a seed.
    pub seed: u64,
    /// The machine's CPUs, in the order of the set's CPU numbers.
    pub cpus: &'a [u32],
    /// How jobs compute.
    pub work: Work,
    /// Whether to keep the CPUs out of C-states.
    pub idle_off: bool,
    /// Whether to continue if the machine refuses a permission.
    pub best_effort: bool,
}

impl Set {
    /// The set in the form that runs under these conditions.
    pub fn handed(&self, conditions: &Conditions<'_>) -> Result<RunnableSet, Fault> {
        self.cannot_run().map_or(Ok(()), Err)?;
        if conditions.duration_ns > LONGEST_NS {
            return Err(Fault::of("duration", "must be below two years (--for)"));
        }
        let priorities = self.priorities()?;
        let mut room = RELEASES_MOST;
        let mut tasks = Vec::new();
        for (place, series) in self.series.iter().enumerate() {
            let mut random = SplitMix(series.seed.unwrap_or(conditions.seed.wrapping_add((place as u64) << 32)));
            let releases = releases(series, &mut random, conditions.duration_ns, room).ok_or_else(|| {
                Fault::of("duration", format!("more than {RELEASES_MOST} releases; choose a shorter duration (--for)"))
            })?;
            room -= releases.len();
            tasks.push(self.runs(series, &priorities, self.machine_cpu(series, conditions.cpus)?, releases));
        }
        if tasks.iter().all(|task| task.releases.is_empty()) {
            return Err(Fault::of("duration", "no release; choose a longer duration (--for)"));
        }
        let end_ns = end_ns(&tasks, conditions.duration_ns);
        Ok(RunnableSet {
            locks: self.locks(&tasks),
            generator_priority: tasks
                .iter()
                .filter_map(|task| task.scheduling.priority())
                .max()
                .map_or(0, |top| top + 1),
            tasks,
            end_ns,
            overrun: self.overrun,
            organisation: self.organisation,
            work: conditions.work,
            idle_off: conditions.idle_off,
            best_effort: conditions.best_effort,
        })
    }

    /// The first part of the set that the analysis supports but no system can run, or that exceeds a limit.
    fn cannot_run(&self) -> Option<Fault> {
        if self.reservation.is_some() {
            return Some(Fault::of("reservation", "tasks run uses the whole CPU; leave it out, or use tasks predict"));
        }
        let of_series = |series: &Series| {
            let (field, text) = cannot_compute(series).or_else(|| self.cannot_schedule(series))?;
            Some(Fault::of(format!("series {}: {field}", series.name), text))
        };
        self.too_much().or_else(|| self.series.iter().find_map(of_series))
    }

    fn too_much(&self) -> Option<Fault> {
        let sections: usize = self.series.iter().map(|series| series.section.len()).sum();
        let fits = self.series.len() <= TASKS_MOST && self.lock.len() <= LOCKS_MOST && sections <= SECTIONS_MOST;
        let text = || format!("the limit is {TASKS_MOST} series, {LOCKS_MOST} locks and {SECTIONS_MOST} sections");
        (!fits).then(|| Fault::of("series", text()))
    }

    /// The kernel's requirements for a SCHED_DEADLINE thread: runtime <= deadline <= period, no CPU of its own, and no priority
    /// ceiling.
    fn cannot_schedule(&self, series: &Series) -> Option<Wrong> {
        if series.policy != Policy::Deadline {
            return None;
        }
        let interval_ns = series.period.or(series.mean).map_or(0, |interval| interval.0);
        let deadline_ns = series.deadline.map_or(interval_ns, |deadline| deadline.0);
        let has_ceiling = |lock: &Lock| lock.protocol == Protocol::Ceiling;
        let takes = |lock: &Lock| series.section.iter().any(|section| section.lock == lock.name);
        if series.cpu.is_some() {
            Some(("cpu", "policy = \"deadline\": leave cpu out; the kernel chooses the CPU"))
        } else if self.organisation != Organisation::ThreadPerSeries {
            Some(("policy", "deadline needs organisation = \"thread-per-series\""))
        } else if deadline_ns > interval_ns {
            Some(("deadline", "policy = \"deadline\": must not exceed the period"))
        } else if series.runtime.unwrap_or(series.computation).0 > deadline_ns {
            Some(("runtime", "policy = \"deadline\": must not exceed the deadline"))
        } else if self.lock.iter().any(|lock| has_ceiling(lock) && takes(lock)) {
            Some(("section", "policy = \"deadline\" has no priority for a ceiling; use inheritance"))
        } else {
            None
        }
    }

    fn runs(&self, series: &Series, priorities: &BTreeMap<u32, u32>, cpu: Option<u32>, releases: Vec<Release>) -> Task {
        let priority = series.priority.map_or(0, |priority| priorities[&priority]);
        let interval_ns = series.period.or(series.mean).map_or(0, |interval| interval.0);
        let lock = |name: &str| self.lock.iter().position(|lock| lock.name == name).expect("checked when it was read");
        Task {
            name: series.name.clone(),
            computation_ns: series.computation.0,
            deadline_ns: series.deadline.map_or(interval_ns, |deadline| deadline.0),
            scheduling: match series.policy {
                Policy::Fifo => Scheduling::Fifo(priority),
                Policy::Rr => Scheduling::Rr(priority),
                Policy::Deadline => Scheduling::Deadline {
                    runtime_ns: series.runtime.unwrap_or(series.computation).0,
                    period_ns: interval_ns,
                },
            },
            cpu,
            sections: series.section.iter().map(|section| (lock(&section.lock), section.length.0)).collect(),
            releases,
        }
    }

    fn machine_cpu(&self, series: &Series, cpus: &[u32]) -> Result<Option<u32>, Fault> {
        if series.policy == Policy::Deadline {
            return Ok(None);
        }
        let number = self.cpu_of(series)?;
        let found = cpus.get(number as usize).copied();
        found.map(Some).ok_or_else(|| {
            let text =
                format!("the set uses CPU {number}, but the number of CPUs is {}; name more with --cpu", cpus.len());
            Fault::of(format!("series {}: cpu", series.name), text)
        })
    }

    fn priorities(&self) -> Result<BTreeMap<u32, u32>, Fault> {
        let all: BTreeSet<u32> = self.series.iter().filter_map(|series| series.priority).collect();
        if all.iter().all(|priority| (1..=PRIORITY_MOST).contains(priority)) {
            return Ok(all.into_iter().map(|priority| (priority, priority)).collect());
        }
        match all.len() as u32 {
            0..=PRIORITY_MOST => Ok(all.into_iter().zip(1..).collect()),
            several => Err(Fault::of(
                "priority",
                format!("{several} different priorities exceed the limit of {PRIORITY_MOST}"),
            )),
        }
    }

    /// Whether the series run with other priorities than the set states.
    pub fn priorities_change(&self) -> bool {
        self.series.iter().filter_map(|series| series.priority).any(|priority| !(1..=PRIORITY_MOST).contains(&priority))
    }

    /// Each lock with the highest priority of the tasks that take it.
    fn locks(&self, tasks: &[Task]) -> Vec<(Protocol, u32)> {
        let ceiling = |lock: usize| {
            let takers = tasks.iter().filter(|task| task.sections.iter().any(|(of, _)| *of == lock));
            takers.filter_map(|task| task.scheduling.priority()).max().unwrap_or(1)
        };
        self.lock.iter().enumerate().map(|(place, lock)| (lock.protocol, ceiling(place))).collect()
    }
}

/// The longest deadline after the last arrival. Jitter can move that arrival beyond the duration.
fn end_ns(tasks: &[Task], duration_ns: u64) -> u64 {
    let arrivals = tasks.iter().filter_map(|task| task.releases.last()).map(|release| release.arrival_ns);
    let longest_ns = tasks.iter().map(|task| task.deadline_ns).max().unwrap_or(0);
    arrivals.fold(duration_ns, u64::max).saturating_add(longest_ns)
}

/// A field of a series, and why the series cannot run.
type Wrong = (&'static str, &'static str);

fn cannot_compute(series: &Series) -> Option<Wrong> {
    if series.name.len() > NAME_MOST {
        Some(("name", "too long for tasks run"))
    } else if series.stretch.0.max(series.last_stretch.0) > 0 {
        Some(("stretch", "tasks run cannot disable preemption; leave it out, or use tasks predict"))
    } else if section_total(series) > series.computation.0 {
        Some(("section", "the critical sections together are longer than the computation"))
    } else {
        None
    }
}

fn section_total(series: &Series) -> u64 {
    series.section.iter().fold(0, |total, section| total.saturating_add(section.length.0))
}
