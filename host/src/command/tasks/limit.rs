// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks limit`: the largest number of events in 10 ms, found by search, and what the cost of a switch lets expect.
//!
//! A generator hands each event to one of ten threads in turn, which are less urgent than it: a switch to the event's thread
//! and one back. Events come evenly, so that each costs both.
use super::super::deliver::{self, Output};
use super::limit_search::{Answer, FEW, Found, RULES, search};
use super::ready::counted;
use crate::affinity;
use crate::exit::{Exit, unable};
use crate::invocation;
use crate::options::Global;
use crate::probe::Probe;
use crate::processors;
use crate::report::limit::{Limit, text};
use crate::run::picture::TaskRow;
use crate::run::{Extension, IDLE_AS_IS, NO_LOAD, Origin, Plan, Planned, Run, Series, Tasks};
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::jobs::{self, JobsHeard, Phase};
use crate::session::progress::Bar;
use crate::session::task_set::{self, Asked, Measured};
use crate::store::RunFolder;
use crate::tasks::arrivals::Release;
use crate::tasks::handed::{Handed, Scheduling, Task, Work};
use crate::tasks::set::{Organisation, Overrun};
use crate::units::Unit;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Periods of a trial: long enough that one event too many in each piles up beyond the deadline, short enough to starve nobody.
const PERIODS: u64 = 30;
/// Something else may have had the processor: what is not borne once is tried again.
const TRIES: u32 = 2;
/// Of an event, beside the switches.
const COMPUTATION_NS: u64 = 1_000;
const PRIORITY: u32 = 80;
/// What the probe counts when the system makes no more threads for events (`wire/SET.md`).
const THREADLESS: &str = "jobs_without_thread";

/// Arguments of `backwall tasks limit`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The processor [default: an isolated one, else the last]
    #[arg(short = 'a', long, value_name = "N")]
    cpu: Option<u32>,
    /// Create a thread for each event instead of waking one that exists
    #[arg(long)]
    thread_per_event: bool,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    probe: Option<PathBuf>,
}

/// Searches, and delivers the last trial that held.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    global.without("tasks limit", &["--verbose", "--seed"])?;
    let rules = deliver::rules(global)?;
    let probe = args.probe.as_deref().map_or_else(Probe::carried, |file| Ok(Probe::file(file)))?;
    let cpu = processors::choose_one(args.cpu)?.cpus[0];
    let organisation = if args.thread_per_event { Organisation::ThreadPerEvent } else { Organisation::Pool };
    let demands = deliver::applicable(rules, planned())?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "tasks-limit", started)?;
    let run = Run::begin(Origin::Measured, plan(cpu, organisation, global), invocation::words(), started);
    let mut assembly = Assembly::begin(run);
    let _kept_off = affinity::KeptOff::processors(&[cpu]);
    let stop = Stop::on_signals()?;
    let mut bench = Bench::new(&probe, &stop, cpu, organisation, global.quiet);
    let found = bench.search()?;
    let limit = limit_of(&found, organisation);
    let Some(mut shown) = found.best.or(found.few) else {
        return Err(unable("interrupted before the first trial was done: nothing is known"));
    };
    shown.heard.values.extend(limit.values());
    assembly.take_made(shown.heard, shown.series);
    if found.interrupted {
        assembly.interrupt();
    }
    bench.doubts.iter().for_each(|doubt| assembly.discredit(doubt));
    let said = |_: &Run| text(&limit);
    let output = Output { text: Some(&said), ..Output::USUAL };
    deliver::deliver(assembly.finish(), &demands, &folder, global, output)
}

/// What a search found, with what the cost of a switch lets expect.
pub(super) fn limit_of(found: &Found<JobsHeard>, organisation: Organisation) -> Limit {
    Limit {
        rules: RULES,
        events: found.events,
        fails_at: found.fails_at,
        switch_ns: found.few.as_ref().map_or(0, |few| switch_ns(&few.series)),
        thread_per_event: organisation == Organisation::ThreadPerEvent,
        interrupted: found.interrupted,
    }
}

fn phase() -> Phase {
    Phase { load: NO_LOAD.to_string(), idle: IDLE_AS_IS.to_string() }
}

fn names() -> impl Iterator<Item = String> {
    (1..=RULES.threads).map(|number| format!("thread {number}"))
}

fn planned() -> Vec<Planned> {
    names().flat_map(|name| jobs::keys(&name, &phase())).map(|key| Planned { key, unit: Unit::Ns }).collect()
}

fn plan(cpu: u32, organisation: Organisation, global: &Global) -> Plan {
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![NO_LOAD.to_string()],
        cpu: Some(cpu),
        idle: IDLE_AS_IS.to_string(),
        seed: global.seed(),
        require: global.require.clone(),
        extension: Extension::Tasks(Tasks {
            set: "limit".to_string(),
            organisation: organisation.name().to_string(),
            when_overrun: Overrun::Queue.name().to_string(),
            work: Work::Loop.name().to_string(),
            set_cpus: vec![cpu],
            allow_starvation: false,
        }),
        ..Plan::default()
    }
}

/// What trials are made with.
pub(super) struct Bench<'a> {
    probe: &'a Probe,
    stop: &'a Stop,
    cpu: u32,
    organisation: Organisation,
    quiet: bool,
    /// Why the figures are no evidence, from all trials.
    pub(super) doubts: BTreeSet<String>,
}

impl<'a> Bench<'a> {
    /// Of one processor.
    pub(super) fn new(probe: &'a Probe, stop: &'a Stop, cpu: u32, organisation: Organisation, quiet: bool) -> Self {
        Self { probe, stop, cpu, organisation, quiet, doubts: BTreeSet::new() }
    }

    /// Tries numbers of events until the largest that is borne is known.
    pub(super) fn search(&mut self) -> anyhow::Result<Found<JobsHeard>> {
        search(|events| self.attempt(events))
    }

    /// Tries a number of events, again where they are not borne. Threads that cannot be made for that many are not borne; for the
    /// fewest they are the machine's refusal.
    fn attempt(&mut self, events: u64) -> anyhow::Result<Answer<JobsHeard>> {
        let mut tries = 1;
        loop {
            let measured = self.trial(events);
            if self.stop.asked() {
                return Ok(Answer::Interrupted(measured.ok().map(|measured| measured.jobs)));
            }
            let Measured { jobs, failure, doubts, .. } = measured?;
            self.doubts.extend(doubts);
            let crowded = events > FEW && jobs.heard.values.contains_key(THREADLESS);
            match failure {
                Some(failure) if !crowded => return Err(unable(failure)),
                None if holds(&jobs) => return Ok(Answer::Borne(jobs)),
                _ if tries == TRIES => return Ok(Answer::NotBorne(jobs)),
                _ => tries += 1,
            }
        }
    }

    fn trial(&self, events: u64) -> anyhow::Result<Measured> {
        let set = self.set(events);
        let length = Duration::from_nanos(set.end_ns);
        let asked = Asked {
            bytes: &set.bytes(),
            tasks: counted(&set.tasks),
            phase: phase(),
            cpus: &[self.cpu],
            loads: &[],
            length,
            best_effort: false,
        };
        task_set::run(self.probe, self.stop, &Bar::new(length, self.quiet), asked)
    }

    fn set(&self, events: u64) -> Handed {
        let at = |event: u64| event * RULES.period_ns / events;
        let releases = |thread: u64| {
            let own = (thread..events * PERIODS).step_by(RULES.threads as usize).map(at);
            own.map(|at| Release { nominal_ns: at, arrival_ns: at }).collect()
        };
        let task = |(name, thread): (String, u64)| Task {
            name,
            computation_ns: COMPUTATION_NS,
            deadline_ns: RULES.deadline_ns,
            scheduling: Scheduling::Fifo(PRIORITY),
            cpu: Some(self.cpu),
            sections: Vec::new(),
            releases: releases(thread),
        };
        Handed {
            tasks: names().zip(0..).map(task).collect(),
            locks: Vec::new(),
            end_ns: (PERIODS + 1) * RULES.period_ns,
            overrun: Overrun::Queue,
            organisation: self.organisation,
            work: Work::Loop,
            idle_off: false,
            best_effort: false,
            generator_priority: PRIORITY + 1,
        }
    }
}

/// One that did not come to its end, or in which nothing was due, says nothing.
fn holds(trial: &JobsHeard) -> bool {
    let missed: u64 = trial.fates.iter().map(|fates| fates.missed()).sum();
    let nominal: u64 = trial.fates.iter().map(|fates| fates.nominal).sum();
    trial.heard.is_done() && nominal > 0 && missed * RULES.one_late_of <= nominal
}

/// From the generator's handing over to the first instruction of the event's thread, mean over all events.
fn switch_ns(series: &[Series]) -> u64 {
    let mean = |name: &str| {
        let named = || series.iter().filter(|one| one.key.name == name);
        let total: f64 = named().filter_map(|one| Some(one.mean? * one.counted() as f64)).sum();
        total / named().map(Series::counted).sum::<u64>().max(1) as f64
    };
    (mean(TaskRow::START) - mean(TaskRow::RELEASE)).max(0.0).round() as u64
}
