// SPDX-License-Identifier: MIT OR Apache-2.0
//! One phase: starts the loads, runs the probe, ends the loads.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use crate::Watch;
use crate::conditions::busy::Busy;
use crate::conditions::heat::Heat;
use crate::conditions::occupied::Occupied;
use crate::conditions::pinned::Pinned;
use crate::conditions::quotas::Quotas;
use crate::conditions::rivals::Rivals;
use crate::device::probe::{ALL, NONE, Probe};
use crate::loads::load::{Loads, LoadsHeard, PlacedLoad};
use crate::loads::own_load::{OwnCommand, OwnLoad};
use crate::schedule::Schedule;
use crate::session::door::Door;
use crate::session::progress::Bar;
use crate::stream::child::{Child, refusal};
use crate::stream::keep::Keeper;
use crate::stream::probe_report::{Conditions, ProbeReport, listen};
use backwall_ftrace::Recorder;
use backwall_ftrace::flight::{Flight, FlightPlan, Limit};
use backwall_model::units::Nanoseconds;
use backwall_model::{InvalidPhase, Key, LoadProgress, NO_LOAD, Policy, Warning};
use backwall_os::Stop;
use backwall_os::container::Container;
use backwall_os::refusal::{Result, unable};
use backwall_trace::TraceConfig;
use backwall_wire::EndReason;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait for the probe's first record, and for the probe's end after the planned time. Then backwall kills the probe.
const GRACE: Duration = Duration::from_secs(10);
/// How long a probe may send nothing, in addition to two periods: an overloaded machine may keep it from running.
const SILENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(100);
/// Minimum SCHED_DEADLINE runtime per period, in nanoseconds.
const RUNTIME_NS: u64 = 20_000;

#[derive(Clone, Debug)]
pub struct Setup {
    pub measure: String,
    pub periodic: bool,
    pub cpus: Vec<u32>,
    pub policy: Policy,
    /// Real-time priority of the measured threads; 0 is the ordinary scheduler.
    pub priority: u32,
    pub schedule: Schedule,
    pub best_effort: bool,
}

impl Setup {
    /// The SCHED_DEADLINE runtime per period: a tenth of the period, far more than a response takes, within the kernel's limits.
    pub fn runtime(&self) -> Option<u64> {
        let period = self.schedule.period.0;
        let tenth = (period / 10).max(RUNTIME_NS).min(period / 2);
        (self.policy == Policy::Deadline).then_some(tenth)
    }

    /// Whether the measured threads are ordinary ones, or become ordinary if the machine refuses real-time priority.
    fn may_be_ordinary(&self) -> bool {
        self.best_effort || self.policy == Policy::Other || (self.policy != Policy::Deadline && self.priority == 0)
    }

    pub fn keys(&self, load: &str, idle: Idle) -> Vec<Key> {
        let key = Key::new(&self.measure, load, idle.name());
        if self.cpus.len() < 2 {
            return vec![key];
        }
        let shared = |cpu: u32| self.cpus.iter().filter(|other| **other == cpu).count() > 1;
        let thread = |at: usize, cpu| shared(cpu).then(|| ("thread".to_string(), at.to_string()));
        let of = |(at, cpu): (usize, &u32)| Key {
            cpu: Some(*cpu),
            variant: thread(at, *cpu).into_iter().collect(),
            ..key.clone()
        };
        self.cpus.iter().enumerate().map(of).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Idle {
    /// Leave C-states as they are
    AsIs,
    /// Disable C-states
    Off,
}

impl Idle {
    pub fn name(self) -> &'static str {
        match self {
            Idle::AsIs => "as-is",
            Idle::Off => "off",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Phase {
    /// The requested load: `none`, `all`, or a name.
    pub load: String,
    pub placed: Vec<PlacedLoad>,
    pub own: Option<OwnCommand>,
    pub idle: Idle,
    pub length: Nanoseconds,
    /// Whether the kernel's trace is recorded. Figures of a traced phase never become the headline.
    pub traced: bool,
    pub toggled: bool,
    /// Number of responses to keep individually with the kernel's timestamps, if traced.
    pub keep: usize,
}

impl Phase {
    pub fn spoiled(&self) -> InvalidPhase {
        InvalidPhase { load: self.load.clone(), idle: self.idle.name().to_string(), traced: self.traced }
    }

    // The phase's name in the table of the series: `idle, C-states off`, `load (8 kinds)`.
    fn shown(&self) -> String {
        let kinds: BTreeSet<&str> = self.placed.iter().map(|placed| placed.name.as_str()).collect();
        let load = match self.load.as_str() {
            NONE => "idle".to_string(),
            ALL if kinds.len() > 1 => format!("load ({} kinds)", kinds.len()),
            ALL => "all loads".to_string(),
            load => format!("load {load}"),
        };
        let idle = if self.idle == Idle::Off { ", C-states off" } else { "" };
        let traced = if self.traced { ", traced" } else { "" };
        format!("{load}{idle}{traced}")
    }

    pub fn title(&self) -> String {
        self.spoiled().to_string()
    }
}

pub struct PhaseHeard {
    pub heard: ProbeReport,
    pub loads: LoadsHeard,
    /// Why the probe ended early without a request; one line.
    pub failure: Option<String>,
    pub doubts: Vec<String>,
    pub elapsed: Duration,
}

pub struct Glance<'a> {
    pub elapsed: Duration,
    loads: &'a Loads,
    watch: &'a Watch,
    load: &'a str,
}

impl Glance<'_> {
    /// The probe's output and the loads' progress so far; `None` before the first record.
    pub fn so_far(&self) -> Option<(ProbeReport, Vec<LoadProgress>)> {
        Some((self.watch.so_far()?, self.loads.so_far(self.load)))
    }
}

impl PhaseHeard {
    pub fn whole(&self) -> bool {
        self.heard.ending == Some(EndReason::Done)
    }
}

pub struct Session<'a> {
    pub probe: &'a Probe,
    pub stop: &'a Stop,
    pub bar: Bar,
    pub watch: Arc<Watch>,
    pub keeper: Option<Keeper>,
    /// Keeps the trace around responses above a limit, in the untraced phases.
    pub flight: Option<FlightPlan>,
    pub door: Door,
}

/// Runs one phase to its end, or until stopped. If the machine refuses it, that is an error. If the probe dies, its output so far
/// is kept. Calls `look` ten times a second.
pub fn run(
    session: &mut Session<'_>,
    setup: &Setup,
    phase: &Phase,
    look: &mut dyn FnMut(Glance<'_>),
) -> Result<PhaseHeard> {
    session.bar.phase(&phase.shown());
    let recorder = recorder(session, setup, phase)?;
    let (flight, unrecorded) = flight(session, setup, phase)?;
    let burden = Burden::start(session, setup, phase)?;
    let occupied = Occupied::begin(processors(session.probe, setup, phase));
    let keeper = session.keeper.clone().filter(|_| !phase.traced);
    let (load, idle) = (phase.load.clone(), phase.idle.name().to_string());
    let conditions = Conditions { load: Some(load), idle: Some(idle), recorder, flight, keeper };
    let watch = session.watch.clone();
    let listen = move |stream| listen(stream, conditions, &watch);
    let mut child = Child::start(session.probe, &arguments(setup, phase), &setup.cpus, listen)?;
    let (pinned, heat) = (Pinned::to(&setup.cpus), Heat::of(&setup.cpus));
    let quotas = Quotas::of_probe(session.probe, child.id(), setup.may_be_ordinary());
    let mut beside = Beside { pinned, occupied, rivals: Rivals::of(&setup.cpus, setup.priority) };
    let idle_phase = phase.load == NO_LOAD && !phase.traced && session.probe.device().is_here();
    let busy = idle_phase.then(Busy::begin).flatten();
    let begun = Instant::now();
    let silent = follow(&mut child, (setup, phase), session, &mut beside, &mut |elapsed, watch| {
        look(Glance { elapsed, loads: &burden.loads, watch, load: &phase.load });
    });
    let elapsed = begun.elapsed();
    let Beside { pinned, occupied, rivals } = beside;
    let busy = busy.and_then(|busy| busy.warning());
    let throttled = quotas.warnings();
    session.bar.passed(Duration::from_nanos(phase.length.0));
    let (heard, status, complaint) = child.finish();
    let mut heard = heard.unwrap_or_default();
    heard.warnings.extend(unrecorded);
    if session.probe.device().is_here() && heard.hello.is_some() {
        heard.warnings.extend(rivals.warning());
        heard.warnings.extend(throttled);
        heard.warnings.extend(busy);
    }
    let loads = burden.finish(&phase.load);
    if heard.hello.is_none() && session.stop.asked() && ended_by_request(status) {
        return Ok(PhaseHeard { heard, loads, failure: None, doubts: Vec::new(), elapsed });
    }
    let complaint = match silent {
        Some(silence) if complaint.is_empty() => silence,
        Some(silence) => format!("{silence} ({complaint})"),
        None => complaint,
    };
    let doubts =
        pinned.moved().chain(heat.throttled()).chain(occupied.sentence()).chain(loads.still.iter().cloned()).collect();
    Ok(PhaseHeard { doubts, elapsed, ..judge(heard, loads, status, complaint)? })
}

struct Burden {
    loads: Loads,
    own: Option<OwnLoad>,
}

impl Burden {
    fn start(session: &Session<'_>, setup: &Setup, phase: &Phase) -> Result<Self> {
        let mut loads = Loads::start(session.probe, &phase.placed, &setup.cpus, setup.best_effort)?;
        let own = phase.own.as_ref().map(OwnLoad::start).transpose()?;
        loads.prove_alive(session.stop)?;
        own.iter().try_for_each(|own| own.prove_alive(session.stop))?;
        Ok(Self { loads, own })
    }

    fn finish(self, load: &str) -> LoadsHeard {
        let mut heard = self.loads.finish(load);
        self.own.into_iter().for_each(|own| own.finish(&mut heard));
        heard
    }
}

fn trace_config(setup: &Setup, phase: &Phase) -> TraceConfig {
    let cpu = setup.cpus.first().copied().unwrap_or(0);
    let virtual_machine = backwall_tuning::check::is_virtual(&backwall_tuning::check::Machine::this(cpu));
    let steady = phase.toggled.then(|| Duration::from_nanos(phase.length.0).saturating_sub(backwall_ftrace::TOGGLED));
    TraceConfig { cpu, keep: phase.keep, virtual_machine, steady }
}

fn recorder(session: &Session<'_>, setup: &Setup, phase: &Phase) -> Result<Option<Recorder>> {
    if !phase.traced {
        return Ok(None);
    }
    let told = session.watch.clone();
    let tell = move |latency, blame: &backwall_model::Blame| told.blamed(latency, blame);
    let started = Recorder::start(trace_config(setup, phase), tell)
        .and_then(|recorder| recorder.answering(session.door.answering()).map(|()| recorder));
    started.map(Some).map_err(|error| unable(error.to_string()))
}

/// The flight recorder for an untraced phase. If the user asked only for the causes of the worst responses, a failure becomes a
/// warning, because the traced phases still explain some of them.
fn flight(session: &Session<'_>, setup: &Setup, phase: &Phase) -> Result<(Option<Flight>, Option<Warning>)> {
    let Some(plan) = session.flight.as_ref().filter(|_| !phase.traced) else { return Ok((None, None)) };
    let stretch = if plan.stretch > 1 { format!("stretch{}-", plan.stretch) } else { String::new() };
    let label = format!("{stretch}{}-{}-{}", setup.measure, phase.load, phase.idle.name());
    let config = trace_config(setup, phase);
    let cpus = if setup.cpus.is_empty() { vec![config.cpu] } else { setup.cpus.clone() };
    let flight = Flight::start(config, &cpus, plan.clone(), &label);
    let flight = flight.and_then(|flight| flight.answering(session.door.answering()));
    match flight {
        Ok(flight) => Ok((Some(flight), None)),
        Err(error) if plan.limit == Limit::Worst => {
            // In a container the error says how to start the container with this permission.
            let by_sudo = !rustix::process::geteuid().is_root() && Container::of_this_process().is_none();
            let why = if !by_sudo { error.to_string() } else { "the kernel's trace needs root: sudo".to_string() };
            Ok((None, Some(Warning::new(Warning::UNRECORDED, why))))
        }
        Err(error) => Err(unable(error.to_string())),
    }
}

fn processors(probe: &Probe, setup: &Setup, phase: &Phase) -> Vec<u32> {
    let used = phase.placed.iter().map(|placed| placed.cpu).chain(setup.cpus.iter().copied());
    if probe.device().is_here() { used.collect() } else { Vec::new() }
}

struct Beside {
    pinned: Pinned,
    occupied: Occupied,
    rivals: Rivals,
}

/// Waits until the probe's stream ends, the user stops, or the probe hangs; returns one line if it hangs.
fn follow(
    child: &mut Child<ProbeReport>,
    (setup, phase): (&Setup, &Phase),
    session: &Session<'_>,
    beside: &mut Beside,
    look: &mut dyn FnMut(Duration, &Watch),
) -> Option<String> {
    let start = Instant::now();
    let mut patience = Patience::begin(setup.schedule.period, phase.length, session.watch.records());
    while !child.wait(LOOK) {
        beside.rivals.look();
        session.bar.show(start.elapsed(), || session.watch.seen());
        beside.pinned.look(child.id(), start.elapsed());
        beside.occupied.look();
        look(start.elapsed(), &session.watch);
        let hangs = patience.over(start.elapsed(), session.watch.records());
        if session.stop.asked() || session.watch.ended() || hangs.is_some() {
            child.stop();
            return hangs;
        }
    }
    None
}

struct Patience {
    silence: Duration,
    length: Duration,
    records: u64,
    spoke_at: Duration,
}

impl Patience {
    fn begin(period: Nanoseconds, length: Nanoseconds, records: u64) -> Self {
        let silence = SILENCE + 2 * Duration::from_nanos(period.0);
        Self { silence, length: Duration::from_nanos(length.0), records, spoke_at: Duration::ZERO }
    }

    /// The reason to stop waiting for the probe after this time and this many records.
    fn over(&mut self, elapsed: Duration, records: u64) -> Option<String> {
        if self.records != records {
            (self.records, self.spoke_at) = (records, elapsed);
        }
        let silent = elapsed.saturating_sub(self.spoke_at);
        let began = self.spoke_at > Duration::ZERO;
        if silent > if began { self.silence } else { GRACE } {
            let said = if began { "has sent nothing more" } else { "has sent nothing" };
            return Some(format!("the probe {said} for {:.0} s, so backwall ended it", silent.as_secs_f64()));
        }
        let beyond = elapsed.saturating_sub(self.length);
        (beyond > GRACE).then(|| {
            format!(
                "the probe did not end within {:.0} s after its planned end, so backwall ended it",
                beyond.as_secs_f64()
            )
        })
    }
}

/// Whether the process ended because backwall asked it to, before or after it installed its signal handler.
fn ended_by_request(status: ExitStatus) -> bool {
    status.success() || status.signal() == Some(Signal::TERM.as_raw())
}

/// A probe that fails before its first record is an error. After that, the phase keeps its records and stores the failure.
fn judge(mut heard: ProbeReport, loads: LoadsHeard, status: ExitStatus, complaint: String) -> Result<PhaseHeard> {
    let why = match complaint {
        told if !told.is_empty() => told,
        _ if !status.success() => status.to_string(),
        _ if heard.hello.is_none() => "the probe ended before its first record".to_owned(),
        _ => "the probe ended without its final totals".to_owned(),
    };
    if heard.hello.is_none() {
        // A recorder that could not start does not explain why the probe failed.
        let first = heard.warnings.iter().find(|warning| warning.kind != Warning::UNRECORDED);
        let because = first.map(|warning| format!(" ({warning})")).unwrap_or_default();
        return Err(refusal(status, format!("probe: {why}{because}")));
    }
    let failed = !status.success() || heard.ending.is_none();
    // A failing probe gives its reason twice, in the stream and on standard error. Keep one.
    heard.warnings.retain(|warning| !failed || warning.text != why);
    let failure = failed.then(|| format!("the probe ended early: {why}"));
    Ok(PhaseHeard { heard, loads, failure, doubts: Vec::new(), elapsed: Duration::ZERO })
}

fn arguments(setup: &Setup, phase: &Phase) -> Vec<String> {
    let options = [
        ("--for-ns", phase.length.0.to_string()),
        ("--priority", setup.priority.to_string()),
        ("--idle", phase.idle.name().to_string()),
    ];
    let schedule = setup.schedule.arguments(setup.periodic);
    let mut arguments = vec!["measure".to_string(), setup.measure.clone()];
    arguments.extend(
        options.into_iter().chain(schedule).chain(placing(setup)).flat_map(|(name, value)| [name.to_string(), value]),
    );
    arguments.extend(setup.best_effort.then(|| "--best-effort".to_string()));
    arguments
}

fn placing(setup: &Setup) -> Vec<(&'static str, String)> {
    let cpus: Vec<String> = setup.cpus.iter().map(u32::to_string).collect();
    let runtime = setup.runtime().map(|runtime| ("--runtime-ns", runtime.to_string()));
    let policy = match setup.policy {
        Policy::Fifo | Policy::Other => None,
        Policy::Rr => Some(("--policy", "rr".to_string())),
        Policy::Deadline => Some(("--policy", "deadline".to_string())),
    };
    let cpus = (!cpus.is_empty()).then(|| ("--cpu", cpus.join(",")));
    cpus.into_iter().chain(policy).chain(runtime).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_that_hangs_is_waited_for_so_long_and_the_line_says_what_it_did() {
        let seconds = Duration::from_secs;
        let day = Nanoseconds(86_400_000_000_000);
        let mut patience = Patience::begin(Nanoseconds(1_000_000), day, 7);
        assert_eq!(patience.over(seconds(10), 7), None);
        assert_eq!(patience.over(seconds(11), 7).unwrap(), "the probe has sent nothing for 11 s, so backwall ended it");
        assert_eq!(patience.over(seconds(12), 8), None);
        assert_eq!(patience.over(seconds(72), 8), None);
        assert_eq!(
            patience.over(seconds(73), 8).unwrap(),
            "the probe has sent nothing more for 61 s, so backwall ended it"
        );
        let mut slow = Patience::begin(Nanoseconds(1_000_000), Nanoseconds(5_000_000_000), 0);
        assert_eq!((slow.over(seconds(1), 1), slow.over(seconds(15), 2)), (None, None));
        assert_eq!(
            slow.over(seconds(16), 3).unwrap(),
            "the probe did not end within 11 s after its planned end, so backwall ended it"
        );
        let mut rare = Patience::begin(Nanoseconds(3_600_000_000_000), day, 0);
        assert_eq!((rare.over(seconds(1), 1), rare.over(seconds(7_000), 1)), (None, None));
    }
}
