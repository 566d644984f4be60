// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall run`: measures this machine.
use super::deliver::{self, Output};
use crate::affinity;
use crate::exit::{Exit, unable, usage};
use crate::invocation;
use crate::options::Global;
use crate::probe::{ALL, Catalogue, NONE, Probe};
use crate::rights;
use crate::run::{Extension, Key, Origin, Overrun, Plan, Planned, Run};
use crate::samples::SamplesError;
use crate::session::Stop;
use crate::session::assemble::Assembly;
use crate::session::keep::Keeper;
use crate::session::phase::{self, Idle, Phase, Session, Setup};
use crate::session::progress::Bar;
use crate::store::RunFolder;
use crate::trace;
use crate::trace::flight::FlightPlan;
use crate::units::{self, Nanoseconds, Unit};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// Length of a phase of the tour, and of the quick one.
const FOR: Nanoseconds = Nanoseconds(15_000_000_000);
const FOR_QUICK: Nanoseconds = Nanoseconds(1_500_000_000);
/// The longest phase the probe takes: a year.
const FOR_MAX: Nanoseconds = Nanoseconds(8_760 * 3_600_000_000_000);
/// What the probe takes as a period.
const PERIODS: RangeInclusive<Nanoseconds> = Nanoseconds(1_000)..=Nanoseconds(3_600_000_000_000);
/// A traced phase lasts a third of an untraced one, within these limits in nanoseconds.
const TRACED: (u64, u64) = (1_000_000_000, 5_000_000_000);
/// One at least so long goes on to measure what tracing costs.
const COSTED: u64 = 3_000_000_000;

/// Arguments of `backwall run`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A tour of about ten seconds instead of a minute
    #[arg(long)]
    quick: bool,
    /// Length of each phase, such as 30s [default: 15s; with --quick 1.5s]
    #[arg(long = "for", value_name = "TIME", value_parser = units::duration)]
    length: Option<Nanoseconds>,
    /// What to measure (repeatable) [default: wakeup]
    #[arg(long, value_name = "NAME")]
    measure: Vec<String>,
    /// The load of a phase: its name, none, or all (repeatable) [default: none, then all]
    #[arg(long, value_name = "NAME|none|all")]
    load: Vec<String>,
    /// The processor to measure on [default: the last one allowed]
    #[arg(long, value_name = "N")]
    cpu: Option<u32>,
    /// SCHED_FIFO priority of the measured thread; 0 is the ordinary scheduler
    #[arg(long, value_name = "P", default_value_t = 95, value_parser = clap::value_parser!(u32).range(0..=99))]
    priority: u32,
    /// Distance of releases; a bare number is microseconds
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = units::period)]
    period: Nanoseconds,
    /// A response later than this is late [default: the period]; a bare number is microseconds
    #[arg(long, value_name = "TIME", value_parser = units::period)]
    deadline: Option<Nanoseconds>,
    /// What to do with releases that came due while a response was late
    #[arg(long, value_enum, default_value_t)]
    overrun: Overrun,
    /// Leave idle states as they are, or keep the processors out of them [default: the tour tries both]
    #[arg(long, value_enum)]
    idle: Option<Idle>,
    /// Go on without the rights that are missing; the run is then no evidence
    #[arg(long)]
    best_effort: bool,
    /// End at the first response that takes longer: the trace around it is kept in trace/, its cause named
    #[arg(long, value_name = "TIME", value_parser = units::duration, conflicts_with = "snapshot_above")]
    stop_above: Option<Nanoseconds>,
    /// Keep the trace around each response that takes longer, name its cause, and go on
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    snapshot_above: Option<Nanoseconds>,
    /// Keep every sample in samples.parquet
    #[arg(long)]
    keep_samples: bool,
    /// The program to use as probe instead of the one inside this tool
    #[arg(long, value_name = "FILE", hide = true)]
    probe: Option<PathBuf>,
}

impl Args {
    /// With `--best-effort`, idle states stay as they are where they cannot be held off: no figure bears a wrong label.
    fn idle(&self) -> Idle {
        let asked = self.idle.unwrap_or(Idle::AsIs);
        if asked == Idle::Off && self.goes_without_idle_off() { Idle::AsIs } else { asked }
    }

    /// The flight recorder, whose snapshots go into the run's folder.
    fn flight(&self, folder: &RunFolder) -> Option<FlightPlan> {
        let above = self.stop_above.or(self.snapshot_above)?;
        Some(FlightPlan { above_ns: above.0, ends: self.stop_above.is_some(), folder: folder.path().join("trace") })
    }

    fn goes_without_idle_off(&self) -> bool {
        self.best_effort && !rights::idle_can_be_held()
    }
}

/// Measures, and delivers what was measured.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let rules = deliver::rules(global)?;
    let job = Job::new(args)?;
    deliver::applicable(&rules, &job.planned())?;
    let started = jiff::Timestamp::now();
    let folder = RunFolder::create(global.out.as_deref(), "run", started)?;
    let mut assembly =
        Assembly::begin(Run::begin(Origin::Measured, plan(args, global, &job), invocation::words(), started));
    let keeper = args.keep_samples.then(|| Keeper::begin(folder.handle())).transpose();
    let plans = (keeper.map_err(refused)?, args.flight(&folder));
    let keeper = job.measure(plans, global.quiet, &mut assembly)?;
    let kept = keeper.map_or(Ok(()), Keeper::finish).map_err(refused);
    kept.as_ref().err().into_iter().for_each(|error| assembly.warn(error.to_string()));
    if args.goes_without_idle_off() {
        assembly.warn("no figure with idle states off: /dev/cpu_dma_latency cannot be written".to_string());
    }
    if args.flight(&folder).is_some() {
        assembly.warn("the flight recorder was on: what it costs is part of every figure".to_string());
    }
    if args.best_effort {
        assembly.discredit("--best-effort allowed the probe to go on without what the machine refuses");
    }
    let failure = assembly.failure().map(unable);
    let exit = deliver::deliver(assembly.finish(), &rules, &folder, global, Output::USUAL)?;
    failure.map_or(kept.map(|()| exit), Err)
}

fn refused(error: SamplesError) -> anyhow::Error {
    unable(error.to_string())
}

/// What is to be done, checked against what this machine and the probe offer.
struct Job {
    probe: Probe,
    cpu: u32,
    setups: Vec<Setup>,
    steps: Vec<Step>,
}

/// A phase, and whether the run goes on when the machine refuses it.
#[derive(Debug)]
struct Step {
    phase: Phase,
    optional: bool,
}

impl Job {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let probe = args.probe.as_deref().map_or_else(Probe::carried, |file| Ok(Probe::file(file)))?;
        let catalogue = probe.catalogue()?;
        let allowed = affinity::allowed();
        let cpu = phase::measured_cpu(args.cpu, &allowed)?;
        let setups = setups(args, &catalogue, cpu)?;
        let mut steps = headline(args, &catalogue, &allowed)?;
        // The clock of another probe need not be the kernel's.
        let stages = if args.probe.is_none() { traced(&steps, args.idle()) } else { Vec::new() };
        steps.extend(stages);
        Ok(Self { probe, cpu, setups, steps })
    }

    fn length(&self) -> Duration {
        let one_pass: u64 = self.steps.iter().map(|step| step.phase.length.0).sum();
        Duration::from_nanos(one_pass.saturating_mul(self.setups.len() as u64))
    }

    /// The series of every untraced phase of every measure.
    fn planned(&self) -> Vec<Planned> {
        let phases = self.setups.iter().flat_map(|setup| self.untraced().map(move |phase| (setup, phase)));
        let of_phase = |(setup, phase): (&Setup, &Phase)| Planned {
            key: Key::new(&setup.measure, &phase.load, phase.idle.name()),
            unit: Unit::Ns,
        };
        phases.map(of_phase).collect()
    }

    /// Every step of every measure, until something dies or is refused; it is an error when nothing was measured.
    fn measure(
        &self,
        (keeper, flight): (Option<Keeper>, Option<FlightPlan>),
        quiet: bool,
        assembly: &mut Assembly,
    ) -> anyhow::Result<Option<Keeper>> {
        let stop = Stop::on_signals()?;
        let _kept_off = affinity::KeptOff::processor(self.cpu);
        let bar = Bar::new(self.length(), quiet);
        let mut session = Session { probe: &self.probe, stop: &stop, bar, watch: Default::default(), keeper, flight };
        for (setup, step) in self.setups.iter().flat_map(|setup| self.steps.iter().map(move |step| (setup, step))) {
            if stop.asked() {
                assembly.interrupt();
            }
            if stop.asked() || session.watch.ended() || assembly.failure().is_some() {
                break;
            }
            match phase::run(&mut session, setup, &step.phase) {
                Ok(measured) => assembly.take(&step.phase, measured),
                Err(error) if step.optional => assembly.warn(format!("{}: {error:#}", without(&step.phase))),
                Err(error) if assembly.has_figures() => assembly.refused(&step.phase, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(session.keeper)
    }

    /// The phases whose figures the run shows.
    fn untraced(&self) -> impl Iterator<Item = &Phase> {
        self.steps.iter().map(|step| &step.phase).filter(|phase| !phase.traced)
    }
}

fn without(phase: &Phase) -> String {
    if phase.traced {
        return format!("no stages for load {}", phase.load);
    }
    format!("load {}, idle {} was not measured", phase.load, phase.idle.name())
}

/// The phases: those asked for, or the tour: without load, without idle states, with all loads.
fn headline(args: &Args, catalogue: &Catalogue, cpus: &[u32]) -> anyhow::Result<Vec<Step>> {
    let length = args.length.unwrap_or(if args.quick { FOR_QUICK } else { FOR });
    if !PERIODS.contains(&args.period) {
        return Err(usage("--period: from 1us to 1h"));
    }
    if args.deadline.is_some_and(|deadline| deadline.0 == 0 || deadline > FOR_MAX) {
        return Err(usage("--deadline: from 1ns to 8760h; leave it out for one period"));
    }
    if length > FOR_MAX {
        return Err(usage("--for: at most 8760h, which is a year"));
    }
    if length < args.period {
        return Err(usage("--for is shorter than one --period: nothing would be measured"));
    }
    let idle = args.idle();
    let step = |load: &str, idle: Idle, optional: bool| -> anyhow::Result<Step> {
        let placed = phase::place(&loads_of(catalogue, load)?, cpus);
        let phase = Phase { load: load.to_string(), placed, idle, length, traced: false, toggled: false, keep: 0 };
        Ok(Step { phase, optional })
    };
    if let Some(twice) =
        args.load.iter().enumerate().find_map(|(at, load)| args.load[..at].contains(load).then_some(load))
    {
        return Err(usage(format!("--load {twice} twice: a run has one phase per load; use --for for a longer one")));
    }
    if !args.load.is_empty() {
        return args.load.iter().map(|load| step(load, idle, false)).collect();
    }
    let mut steps = vec![step(NONE, idle, false)?];
    if args.idle.is_none() && !args.goes_without_idle_off() {
        steps.push(step(NONE, Idle::Off, true)?);
    }
    steps.push(step(ALL, idle, false)?);
    Ok(steps)
}

/// A shorter traced phase for each load as it was measured with `idle`; a machine without a trace goes without.
fn traced(steps: &[Step], idle: Idle) -> Vec<Step> {
    let mut seen = Vec::new();
    let mut traced = Vec::new();
    for Step { phase, .. } in steps.iter().filter(|step| step.phase.idle == idle) {
        if !seen.contains(&&phase.load) {
            seen.push(&phase.load);
            let steady = (phase.length.0 / 3).clamp(TRACED.0, TRACED.1).min(phase.length.0);
            let toggled = steady >= COSTED;
            let more = if toggled { trace::TOGGLED.as_nanos() as u64 } else { 0 };
            let phase = Phase { length: Nanoseconds(steady + more), traced: true, toggled, ..phase.clone() };
            traced.push(Step { phase, optional: true });
        }
    }
    traced
}

fn loads_of(catalogue: &Catalogue, load: &str) -> anyhow::Result<Vec<String>> {
    let known = || catalogue.loads.join(", ");
    catalogue.loads_of(load).ok_or_else(|| usage(format!("--load {load}: there are none, all, {}", known())))
}

fn setups(args: &Args, catalogue: &Catalogue, cpu: u32) -> anyhow::Result<Vec<Setup>> {
    let setup = |measure: String| {
        if !catalogue.measures.contains(&measure) {
            return Err(usage(format!("--measure {measure}: there is {}", catalogue.measures.join(", "))));
        }
        let Args { priority, period, deadline, overrun, best_effort, .. } = *args;
        let periodic = !catalogue.counted.contains(&measure);
        Ok(Setup { measure, periodic, cpu, priority, period, deadline, overrun, best_effort })
    };
    measures(args).into_iter().map(setup).collect()
}

fn measures(args: &Args) -> Vec<String> {
    if args.measure.is_empty() { vec!["wakeup".to_string()] } else { args.measure.clone() }
}

fn plan(args: &Args, global: &Global, job: &Job) -> Plan {
    Plan {
        measures: measures(args),
        loads: job.untraced().map(|phase| phase.load.clone()).collect(),
        phase_ns: Some(job.steps[0].phase.length),
        cpu: Some(job.cpu),
        priority: Some(args.priority),
        period_ns: Some(args.period),
        deadline_ns: args.deadline,
        overrun: Some(args.overrun),
        idle: job.untraced().map(|phase| phase.idle.name()).collect::<Vec<_>>().join(", "),
        keep_samples: Some(args.keep_samples),
        seed: global.seed,
        extension: Extension::Run,
    }
}
