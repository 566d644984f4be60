// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks limit`: the largest number of events in 10 ms, found by search, and what the cost of a switch lets expect.
//!
//! A generator hands each event to one of ten threads in turn, which are less urgent than it: a switch to the event's thread
//! and one back. Events come evenly, so that each costs both.
use super::super::deliver::{self, Output};
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
use crate::session::jobs::{self, Counted, JobsHeard, Phase};
use crate::session::progress::Bar;
use crate::session::task_set::{self, Asked};
use crate::store::RunFolder;
use crate::tasks::arrivals::Release;
use crate::tasks::handed::{Handed, Scheduling, Task, Work};
use crate::tasks::set::{Organisation, Overrun};
use crate::units::Unit;
use std::path::PathBuf;
use std::time::Duration;

/// Events are counted in so much.
const PERIOD_NS: u64 = 10_000_000;
/// Periods of a trial: long enough that one event too many in each piles up beyond the deadline, short enough to starve nobody.
const PERIODS: u64 = 30;
/// An event is done within it: that of the paper's Table III.
const DEADLINE_NS: u64 = 1_000_000;
/// Of so many events one may be late: a machine has other things to do.
const ONE_LATE_OF: u64 = 100;
/// Threads that take events in turn.
const THREADS: u64 = 10;
/// Of an event, beside the switches.
const COMPUTATION_NS: u64 = 1_000;
const PRIORITY: u32 = 80;
/// So few that each finds the processor idle: the cost of a switch is taken there.
const FEW: u64 = 20;
/// More are not tried.
const MOST: u64 = 40_000;
/// A bracket is narrow enough when it is no wider than its number of events divided by this.
const NARROWNESS: u64 = 50;
/// What the probe says (`probe/port/linux_tasks.c`) when it ends a set because it cannot hold all threads that have not run yet.
const TOO_FAST: &str = "too many threads wait for their first instruction";

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
    let bench = Bench { probe: &probe, stop: Stop::on_signals()?, cpu, organisation, quiet: global.quiet };
    let (limit, mut best) = bench.search()?;
    best.heard.values.extend(limit.values());
    assembly.take_made(best.heard, best.series);
    if bench.stop.asked() {
        assembly.interrupt();
    }
    let said = |_: &Run| text(&limit);
    let output = Output { text: Some(&said), ..Output::USUAL };
    deliver::deliver(assembly.finish(), &demands, &folder, global, output)
}

fn phase() -> Phase {
    Phase { load: NO_LOAD.to_string(), idle: IDLE_AS_IS.to_string() }
}

fn names() -> impl Iterator<Item = String> {
    (1..=THREADS).map(|number| format!("thread {number}"))
}

fn planned() -> Vec<Planned> {
    names().flat_map(|name| jobs::keys(&name, &phase())).map(|key| Planned { key, unit: Unit::Ns }).collect()
}

fn plan(cpu: u32, organisation: Organisation, global: &Global) -> Plan {
    let each = organisation == Organisation::ThreadPerEvent;
    Plan {
        measures: vec!["tasks".to_string()],
        loads: vec![NO_LOAD.to_string()],
        idle: IDLE_AS_IS.to_string(),
        seed: global.seed,
        require: global.require.clone(),
        extension: Extension::Tasks(Tasks {
            set: "limit".to_string(),
            organisation: if each { "thread-per-event" } else { "pool" }.to_string(),
            when_overrun: "queue".to_string(),
            work: "loop".to_string(),
            set_cpus: vec![cpu],
            allow_starvation: false,
        }),
        ..Plan::default()
    }
}

struct Bench<'a> {
    probe: &'a Probe,
    stop: Stop,
    cpu: u32,
    organisation: Organisation,
    quiet: bool,
}

impl Bench<'_> {
    /// By doubling and halving; the limit, and the trial with the most events that held.
    fn search(&self) -> anyhow::Result<(Limit, JobsHeard)> {
        let few = self.trial(FEW)?;
        let switch_ns = switch_ns(&few.series);
        let (mut low, mut best, mut high) = (FEW, few, MOST + 1);
        let mut next = FEW * 2;
        while high - low > low / NARROWNESS + 1 && !self.stop.asked() {
            // Something else may have had the processor: what fails once is tried again.
            let held = self.held(next)?.map_or_else(|| self.held(next), |trial| Ok(Some(trial)))?;
            match held {
                Some(trial) => (low, best) = (next, trial),
                None => high = next,
            }
            next = if high > MOST { (low * 2).min(MOST) } else { low + (high - low) / 2 };
            if low >= MOST {
                break;
            }
        }
        let each = self.organisation == Organisation::ThreadPerEvent;
        Ok((Limit { events: low, fails_at: (high <= MOST).then_some(high), switch_ns, thread_per_event: each }, best))
    }

    /// The trial with so many events, if they were borne. Threads that are made faster than they run are not.
    fn held(&self, events: u64) -> anyhow::Result<Option<JobsHeard>> {
        match self.trial(events) {
            Ok(trial) => Ok(holds(&trial).then_some(trial)),
            Err(error) if error.to_string().contains(TOO_FAST) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn trial(&self, events: u64) -> anyhow::Result<JobsHeard> {
        let set = self.set(events);
        let length = Duration::from_nanos(set.end_ns);
        let counted = set.tasks.iter().map(|task| Counted {
            name: task.name.clone(),
            deadline_ns: task.deadline_ns,
            nominal_ns: task.releases.iter().map(|release| release.nominal_ns).collect(),
        });
        let asked = Asked {
            bytes: &set.bytes(),
            tasks: counted.collect(),
            phase: phase(),
            cpus: &[self.cpu],
            loads: &[],
            length,
            best_effort: false,
        };
        let measured = task_set::run(self.probe, &self.stop, &Bar::new(length, self.quiet), asked)?;
        measured.failure.map_or(Ok(measured.jobs), |failure| Err(unable(failure)))
    }

    fn set(&self, events: u64) -> Handed {
        let at = |event: u64| event * PERIOD_NS / events;
        let releases = |thread: u64| {
            let own = (thread..events * PERIODS).step_by(THREADS as usize).map(at);
            own.map(|at| Release { nominal_ns: at, arrival_ns: at }).collect()
        };
        let task = |(name, thread): (String, u64)| Task {
            name,
            computation_ns: COMPUTATION_NS,
            deadline_ns: DEADLINE_NS,
            scheduling: Scheduling::Fifo(PRIORITY),
            cpu: Some(self.cpu),
            sections: Vec::new(),
            releases: releases(thread),
        };
        Handed {
            tasks: names().zip(0..).map(task).collect(),
            locks: Vec::new(),
            end_ns: PERIODS * PERIOD_NS + PERIOD_NS,
            overrun: Overrun::Queue,
            organisation: self.organisation,
            work: Work::Loop,
            idle_off: false,
            best_effort: false,
            generator_priority: PRIORITY + 1,
        }
    }
}

fn holds(trial: &JobsHeard) -> bool {
    let missed: u64 = trial.fates.iter().map(|fates| fates.missed()).sum();
    let nominal: u64 = trial.fates.iter().map(|fates| fates.nominal).sum();
    missed * ONE_LATE_OF <= nominal
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
