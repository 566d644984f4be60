// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of tasks before it runs: read, placed on processors, predicted, and refused where it cannot be run.
use super::super::run::place;
use super::options::Args;
use super::{beside, constants};
use crate::affinity;
use crate::exit::usage;
use crate::loads;
use crate::options::Global;
use crate::predict::constant::Constant;
use crate::probe::Probe;
use crate::processors;
use crate::regular_file;
use crate::run::picture::Predicted;
use crate::run::{IDLE_AS_IS, IDLE_OFF, NO_LOAD, Planned};
use crate::session::jobs::{self, Counted, Phase};
use crate::session::load::Placed;
use crate::session::phase::Idle;
use crate::tasks;
use crate::tasks::assign::Placing;
use crate::tasks::constants::costs;
use crate::tasks::detent;
use crate::tasks::fault::Fault;
use crate::tasks::handed::{Handed, Task};
use crate::tasks::runnable::{Conditions, DURATION_NS};
use crate::tasks::set::Set;
use crate::tasks::starvation;
use crate::units::{Unit, tenths};
use std::collections::BTreeMap;

/// A set that is ready to run.
pub(super) struct Ready {
    /// As its file has it.
    pub(super) set: Set,
    /// As the probe takes it.
    pub(super) handed: Handed,
    /// Jobs are released for so long.
    pub(super) duration_ns: u64,
    /// The processors of the machine, in the order of the set's.
    pub(super) cpus: Vec<u32>,
    /// What runs beside it, on this machine.
    pub(super) loads: Vec<Placed>,
    /// For the keys of its series.
    pub(super) phase: Phase,
    /// What the analysis says of each series.
    pub(super) predicted: BTreeMap<String, Predicted>,
}

/// Reads the set, and refuses what cannot be run.
pub(super) fn ready(args: &Args, global: &Global, probe: &Probe) -> anyhow::Result<Ready> {
    let (set, known) = set_and_constants(args, global.quiet)?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", args.set.display()));
    let cpus = if let Some(guest) = &args.guest { guest_cpus(args, &set, guest)? } else { cpus(args, &set)? };
    let duration_ns = args.length.map(|length| length.0).or(set.duration.map(|time| time.0)).unwrap_or(DURATION_NS);
    let conditions = Conditions {
        duration_ns,
        seed: global.seed(),
        cpus: &cpus,
        work: args.work,
        idle_off: args.idle == Idle::Off,
        best_effort: args.best_effort,
    };
    let handed = set.handed(&conditions).map_err(in_set)?;
    let load = args.load.clone().or(set.load.clone()).unwrap_or_else(|| NO_LOAD.to_string());
    let loads = if args.guest.is_some() {
        loads::parse(&load).map_err(usage)?;
        Vec::new()
    } else {
        refuse_starvation(args, &handed)?;
        place(&probe.catalogue()?, &load, &affinity::allowed())?
    };
    let grid_ns = if args.guest.is_some() { detent::TICK_PERIOD_NS } else { 1 };
    let predicted = beside::predicted(&made(&set, args), &handed.tasks, grid_ns, &known).map_err(in_set)?;
    let idle = if args.idle == Idle::Off { IDLE_OFF } else { IDLE_AS_IS }.to_string();
    Ok(Ready { handed, duration_ns, cpus, loads, phase: Phase { load, idle }, predicted, set })
}

/// The set as its file has it, its series on processors where that was asked for, and what the system costs.
fn set_and_constants(args: &Args, quiet: bool) -> anyhow::Result<(Set, Vec<Constant>)> {
    let set = tasks::read(&args.set, regular_file::open(&args.set))?;
    let in_set = |fault: Fault| usage(format!("{}: {fault}", args.set.display()));
    let known = match args.guest {
        Some(_) => constants::known_of_guest(&args.constants, &set, &args.set)?,
        None => constants::known(&args.constants, &set, &args.set, quiet)?,
    };
    let set = match args.assign {
        Some(how) => set.assigned(how, Placing::Priorities, costs(&known).map_err(in_set)?).map_err(in_set)?,
        None => set,
    };
    Ok((set, known))
}

/// The set with what there will be of it: its interrupts come from a machine's devices, and nobody makes them on a guest.
fn made(set: &Set, args: &Args) -> Set {
    let interrupt = if args.guest.is_some() { Vec::new() } else { set.interrupt.clone() };
    Set { interrupt, ..set.clone() }
}

/// That of a guest.
fn guest_cpus(args: &Args, set: &Set, guest: &str) -> anyhow::Result<Vec<u32>> {
    match set.processor_count() {
        1 => Ok(vec![0]),
        several => Err(usage(format!(
            "{}: it has {several} processors, and {guest} has one: leave out --guest",
            args.set.display()
        ))),
    }
}

/// As many as the set has, in its order.
fn cpus(args: &Args, set: &Set) -> anyhow::Result<Vec<u32>> {
    match (&args.cpu, set.processor_count()) {
        (None, 2..) => Ok(affinity::allowed()),
        (asked, _) => Ok(processors::choose(asked.as_ref())?.cpus),
    }
}

/// A processor that real-time threads never leave starves all else on it, this tool and the kernel's own work too.
fn refuse_starvation(args: &Args, handed: &Handed) -> anyhow::Result<()> {
    let worst = starvation::busiest(handed).into_iter().max_by_key(|(_, used_ns)| *used_ns);
    let Some((cpu, used_ns)) = worst.filter(|(_, used_ns)| *used_ns > starvation::MOST_NS && !args.allow_starvation)
    else {
        return Ok(());
    };
    let percent = tenths(used_ns as f64 * 100.0 / starvation::STRETCH_NS as f64);
    Err(usage(format!(
        "{}: its real-time threads would use {percent} % of a second on CPU {cpu} and starve everything else there: \
         make it shorter (--for) or lighter, or allow it with --allow-starvation",
        args.set.display()
    )))
}

/// What is needed to count the jobs of tasks.
pub(super) fn counted(tasks: &[Task]) -> Vec<Counted> {
    let counted = |task: &Task| Counted {
        name: task.name.clone(),
        deadline_ns: task.deadline_ns,
        nominal_ns: task.releases.iter().map(|release| release.nominal_ns).collect(),
    };
    tasks.iter().map(counted).collect()
}

impl Ready {
    /// The figures that it will give.
    pub(super) fn planned(&self, unit: Unit) -> Vec<Planned> {
        let keys = self.handed.tasks.iter().flat_map(|task| jobs::keys(&task.name, &self.phase));
        keys.map(|key| Planned { key, unit }).collect()
    }

    /// Those of the processors on which tasks run; none where the kernel chooses, who may choose any.
    pub(super) fn used(&self) -> Vec<u32> {
        let tasks = &self.handed.tasks;
        let anywhere = tasks.iter().any(|task| task.cpu.is_none());
        let taken = |cpu: &&u32| !anywhere && tasks.iter().any(|task| task.cpu == Some(**cpu));
        self.cpus.iter().filter(taken).copied().collect()
    }
}
