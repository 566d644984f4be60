// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trials of `backwall bench events`: a number of events per period, on this machine or a guest.
use super::search::{Answer, LimitSearch, RULES, RULES_OF_DETENT, search};
use crate::device::probe::Probe;
use crate::session::progress::Bar;
use crate::tasks::guest::Guest;
use crate::tasks::jobs::{JobsHeard, Phase};
use crate::tasks::ready::counted;
use crate::tasks::task_set::{self, TaskSetRequest, TaskSetResult};
use backwall_model::picture::TaskRow;
use backwall_model::units::Unit;
use backwall_model::{IDLE_AS_IS, NO_LOAD, Series};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_os::refusal::{Result, unable};
use backwall_tasks::arrivals::Release;
use backwall_tasks::handed::{RunnableSet, Scheduling, Task, Work};
use backwall_tasks::limit::{Rules, calculated};
use backwall_tasks::set::{Organisation, Overrun};
use std::collections::BTreeSet;
use std::time::Duration;

/// Periods per trial: enough for surplus events to accumulate beyond the deadline, but so few that other programs do not starve.
const PERIODS: u64 = 30;
/// Detent runs nothing else, so shorter trials suffice: 1 % too many events, half of the search's tolerance, accumulates within
/// these periods.
const PERIODS_OF_DETENT: u64 = 10;
/// Attempts per number of events, because another program may have used the CPU. In the lab one attempt suffices.
const TRIES: u32 = 2;
const PRIORITY: u32 = 80;
/// The probe's counter of events without a thread (`wire/SET.md`).
const THREADLESS: &str = "jobs_without_thread";

/// The time from the generator's hand-over to the first instruction of the event's thread: the mean over all events, in the unit
/// of the series.
pub fn switch(series: &[Series]) -> u64 {
    let mean = |name: &str| {
        let named = || series.iter().filter(|one| one.key.name == name);
        let total: f64 = named().filter_map(|one| Some(one.mean? * one.counted() as f64)).sum();
        total / named().map(Series::counted).sum::<u64>().max(1) as f64
    };
    (mean(TaskRow::START) - mean(TaskRow::RELEASE)).max(0.0).round() as u64
}

pub fn phase() -> Phase {
    Phase { load: NO_LOAD.to_string(), idle: IDLE_AS_IS.to_string() }
}

pub fn names() -> impl Iterator<Item = String> {
    (1..=RULES.threads).map(|number| format!("thread {number}"))
}

enum Place<'a> {
    Here { probe: &'a Probe, stop: &'a Stop, quiet: bool },
    Guest(&'a dyn Guest),
}

pub struct Bench<'a> {
    place: Place<'a>,
    pub cpu: u32,
    pub organisation: Organisation,
    pub rules: Rules,
    pub doubts: BTreeSet<String>,
}

impl<'a> Bench<'a> {
    pub fn here(probe: &'a Probe, stop: &'a Stop, cpu: u32, organisation: Organisation, quiet: bool) -> Self {
        let place = Place::Here { probe, stop, quiet };
        Self { place, cpu, organisation, rules: RULES, doubts: BTreeSet::new() }
    }

    pub fn guest(guest: &'a dyn Guest, organisation: Organisation) -> Self {
        Self { place: Place::Guest(guest), cpu: 0, organisation, rules: RULES_OF_DETENT, doubts: BTreeSet::new() }
    }

    pub fn unit(&self) -> Unit {
        match self.place {
            Place::Here { .. } => Unit::Ns,
            Place::Guest(_) => Unit::Instructions,
        }
    }

    fn is_stopped(&self) -> bool {
        match self.place {
            Place::Here { stop, .. } => stop.asked(),
            Place::Guest(guest) => guest.is_stopped(),
        }
    }

    fn periods(&self) -> u64 {
        match self.place {
            Place::Here { .. } => PERIODS,
            Place::Guest(_) => PERIODS_OF_DETENT,
        }
    }

    fn tries(&self) -> u32 {
        match self.place {
            Place::Here { .. } => TRIES,
            Place::Guest(_) => 1,
        }
    }

    pub fn search(&mut self) -> Result<LimitSearch<JobsHeard>> {
        let cpus = [self.cpu];
        let here = matches!(self.place, Place::Here { .. });
        let _kept_off = here.then(|| affinity::KeptOff::all_threads(&cpus));
        let rules = self.rules;
        let expected = |few: &JobsHeard| calculated(rules.period_ns, switch(&few.series), rules.computation_ns);
        search(rules.few, expected, |events| self.attempt(events))
    }

    /// Tries a number of events, and again if it fails. If the machine cannot create the threads, that number fails too; for the
    /// smallest number the refusal is an error.
    fn attempt(&mut self, events: u64) -> Result<Answer<JobsHeard>> {
        let mut tries = 1;
        loop {
            let measured = self.trial(events);
            if self.is_stopped() {
                return Ok(Answer::Interrupted(measured.ok().map(|measured| measured.jobs)));
            }
            let TaskSetResult { jobs, failure, doubts, .. } = measured?;
            self.doubts.extend(doubts);
            let crowded = events > self.rules.few && jobs.heard.values.contains_key(THREADLESS);
            match failure {
                Some(failure) if !crowded => return Err(unable(failure)),
                None if self.holds(&jobs) => return Ok(Answer::Served(jobs)),
                _ if tries == self.tries() => return Ok(Answer::Failed(jobs)),
                _ => tries += 1,
            }
        }
    }

    /// An incomplete trial, or one in which no event came due, proves nothing.
    fn holds(&self, trial: &JobsHeard) -> bool {
        let missed: u64 = trial.fates.iter().map(|fates| fates.missed()).sum();
        let nominal: u64 = trial.fates.iter().map(|fates| fates.nominal).sum();
        trial.heard.is_done() && nominal > 0 && missed * self.rules.one_late_of <= nominal
    }

    fn trial(&self, events: u64) -> Result<TaskSetResult> {
        let set = self.set(events);
        let (probe, stop, quiet) = match self.place {
            Place::Here { probe, stop, quiet } => (probe, stop, quiet),
            Place::Guest(guest) => return guest.run(&set, &phase()),
        };
        let length = Duration::from_nanos(set.end_ns);
        let asked = TaskSetRequest {
            bytes: &set.bytes(),
            tasks: counted(&set.tasks),
            phase: phase(),
            cpus: &[self.cpu],
            loads: &[],
            length,
            best_effort: false,
        };
        task_set::run(probe, stop, &Bar::new(length, quiet), asked)
    }

    fn set(&self, events: u64) -> RunnableSet {
        let at = |event: u64| event * self.rules.period_ns / events;
        let releases = |thread: u64| {
            let own = (thread..events * self.periods()).step_by(self.rules.threads as usize).map(at);
            own.map(|at| Release { nominal_ns: at, arrival_ns: at }).collect()
        };
        let task = |(name, thread): (String, u64)| Task {
            name,
            computation_ns: self.rules.computation_ns,
            deadline_ns: self.rules.deadline_ns,
            scheduling: Scheduling::Fifo(PRIORITY),
            cpu: Some(self.cpu),
            sections: Vec::new(),
            releases: releases(thread),
        };
        RunnableSet {
            tasks: names().zip(0..).map(task).collect(),
            locks: Vec::new(),
            end_ns: (self.periods() + 1) * self.rules.period_ns,
            overrun: Overrun::Queue,
            organisation: self.organisation,
            work: Work::Loop,
            idle_off: false,
            best_effort: false,
            generator_priority: PRIORITY + 1,
        }
    }
}
