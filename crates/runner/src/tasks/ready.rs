// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prepares a task set: reads it, assigns CPUs, predicts it, and refuses it if it cannot run.
use crate::device::probe::Probe;
use crate::device::processors::{self, Processors};
use crate::loads;
use crate::loads::load::PlacedLoad;
use crate::loads::placing::place;
use crate::phase::Idle;
use crate::tasks::jobs::{self, JobCounter, Phase};
use crate::tasks::{beside, constants};
use backwall_model::picture::Predicted;
use backwall_model::units::{Nanoseconds, Unit, tenths};
use backwall_model::{IDLE_AS_IS, IDLE_OFF, NO_LOAD, PlannedSeries};
use backwall_os::affinity;
use backwall_os::refusal::{Result, bad_input, usage};
use backwall_os::regular_file;
use backwall_tasks::assign::{Assign, Placing};
use backwall_tasks::constants::costs;
use backwall_tasks::detent;
use backwall_tasks::fault::Fault;
use backwall_tasks::handed::{RunnableSet, Task, Work};
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::runnable::{Conditions, DURATION_NS};
use backwall_tasks::set::Set;
use backwall_tasks::starvation;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub struct SetOptions {
    pub set: PathBuf,
    /// Time in which jobs are released; `None`: the time that the set states.
    pub length: Option<Nanoseconds>,
    pub cpu: Option<Processors>,
    pub guest: Option<String>,
    pub work: Work,
    pub load: Option<String>,
    pub idle: Idle,
    pub assign: Option<Assign>,
    pub constants: Vec<String>,
    pub allow_starvation: bool,
    pub best_effort: bool,
    pub seed: u64,
    pub quiet: bool,
}

#[derive(Debug)]
pub struct Ready {
    pub set: Set,
    pub guest: Option<String>,
    pub handed: RunnableSet,
    pub duration_ns: u64,
    pub cpus: Vec<u32>,
    pub loads: Vec<PlacedLoad>,
    pub phase: Phase,
    pub predicted: BTreeMap<String, Predicted>,
}

pub fn ready(asked: &SetOptions, probe: &Probe) -> Result<Ready> {
    let (set, known) = set_and_constants(asked)?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", asked.set.display()));
    let cpus = if let Some(guest) = &asked.guest { guest_cpus(asked, &set, guest)? } else { cpus(asked, &set)? };
    let duration_ns = asked.length.map(|length| length.0).or(set.duration.map(|time| time.0)).unwrap_or(DURATION_NS);
    let conditions = Conditions {
        duration_ns,
        seed: asked.seed,
        cpus: &cpus,
        work: asked.work,
        idle_off: asked.idle == Idle::Off,
        best_effort: asked.best_effort,
    };
    let handed = set.handed(&conditions).map_err(in_set)?;
    let load = asked.load.clone().or(set.load.clone()).unwrap_or_else(|| NO_LOAD.to_string());
    let loads = if asked.guest.is_some() {
        loads::parse(&load).map_err(usage)?;
        Vec::new()
    } else {
        refuse_starvation(asked, &handed)?;
        place(&probe.catalogue()?, &load, &affinity::allowed())?
    };
    let grid_ns = if asked.guest.is_some() { detent::TICK_PERIOD_NS } else { 1 };
    let predicted = beside::predicted(&made(&set, asked), &handed.tasks, grid_ns, &known).map_err(in_set)?;
    let idle = if asked.idle == Idle::Off { IDLE_OFF } else { IDLE_AS_IS }.to_string();
    let guest = asked.guest.clone();
    Ok(Ready { guest, handed, duration_ns, cpus, loads, phase: Phase { load, idle }, predicted, set })
}

/// Reads the set from its file, assigns CPUs if requested, and adds the system's constants.
fn set_and_constants(asked: &SetOptions) -> Result<(Set, Vec<Constant>)> {
    let set = backwall_tasks::read(&asked.set, regular_file::open(&asked.set)).map_err(bad_input)?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", asked.set.display()));
    let known = match asked.guest {
        Some(_) => constants::known_of_guest(&asked.constants, &set, &asked.set)?,
        None => constants::known(&asked.constants, &set, &asked.set, asked.quiet)?,
    };
    let set = match asked.assign {
        Some(how) => set.assigned(how, Placing::Priorities, costs(&known).map_err(in_set)?).map_err(in_set)?,
        None => set,
    };
    Ok((set, known))
}

/// The set that will run. On a guest it has no interrupts, because only real devices raise them.
fn made(set: &Set, asked: &SetOptions) -> Set {
    let interrupt = if asked.guest.is_some() { Vec::new() } else { set.interrupt.clone() };
    Set { interrupt, ..set.clone() }
}

fn guest_cpus(asked: &SetOptions, set: &Set, guest: &str) -> Result<Vec<u32>> {
    match set.processor_count() {
        1 => Ok(vec![0]),
        several => {
            Err(usage(format!("{}: uses {several} CPUs, but {guest} has one; leave out --guest", asked.set.display())))
        }
    }
}

fn cpus(asked: &SetOptions, set: &Set) -> Result<Vec<u32>> {
    match (&asked.cpu, set.processor_count()) {
        (None, 2..) => Ok(affinity::allowed()),
        (named, _) => Ok(processors::choose(named.as_ref())?.cpus),
    }
}

/// Refuses a set that would keep a CPU busy with real-time threads all the time: backwall and the kernel's own work on that CPU
/// would starve.
fn refuse_starvation(asked: &SetOptions, handed: &RunnableSet) -> Result<()> {
    let worst = starvation::busiest(handed).into_iter().max_by_key(|(_, used_ns)| *used_ns);
    let Some((cpu, used_ns)) = worst.filter(|(_, used_ns)| *used_ns > starvation::MOST_NS && !asked.allow_starvation)
    else {
        return Ok(());
    };
    let percent = tenths(used_ns as f64 * 100.0 / starvation::STRETCH_NS as f64);
    Err(usage(format!(
        "{}: its real-time threads would use {percent} % of CPU {cpu} and starve everything else there; make the set \
            shorter (--for) or lighter, or use --allow-starvation",
        asked.set.display()
    )))
}

pub fn counted(tasks: &[Task]) -> Vec<JobCounter> {
    let counted = |task: &Task| JobCounter {
        name: task.name.clone(),
        deadline_ns: task.deadline_ns,
        nominal_ns: task.releases.iter().map(|release| release.nominal_ns).collect(),
    };
    tasks.iter().map(counted).collect()
}

impl Ready {
    pub fn planned(&self, unit: Unit) -> Vec<PlannedSeries> {
        let keys = self.handed.tasks.iter().flat_map(|task| jobs::keys(&task.name, &self.phase));
        keys.map(|key| PlannedSeries { key, unit }).collect()
    }

    /// The CPUs of the tasks; empty if the kernel chooses them.
    pub fn used(&self) -> Vec<u32> {
        let tasks = &self.handed.tasks;
        let anywhere = tasks.iter().any(|task| task.cpu.is_none());
        let taken = |cpu: &&u32| !anywhere && tasks.iter().any(|task| task.cpu == Some(**cpu));
        self.cpus.iter().filter(taken).copied().collect()
    }
}
