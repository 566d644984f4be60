// SPDX-License-Identifier: MIT OR Apache-2.0
//! One phase: loads up, probe through, loads down.
use super::child::Child;
use super::heard::{Conditions, Heard, listen};
use super::keep::Keeper;
use super::load::{Loads, LoadsHeard, Placed};
use super::occupied::Occupied;
use super::pinned::Pinned;
use super::progress::Bar;
use super::rivals::Rivals;
use super::{Stop, Watch};
use crate::check;
use crate::exit::{Exit, Refusal, unable};
use crate::probe::Probe;
use crate::run::Overrun;
use crate::trace::flight::{Flight, FlightPlan};
use crate::trace::{self, Recorder, TraceConfig};
use crate::units::{Nanoseconds, Unit};
use crate::wire::EndReason;
use rustix::process::Signal;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a probe may take beyond its time, or to its first record, before it is ended by force.
const GRACE: Duration = Duration::from_secs(10);
/// How long a probe that has begun may be silent beyond two periods: a machine that is overloaded may starve it so long.
const SILENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(100);
/// Releases before the steady state: a tenth of a second's worth, at least so many, at most so many.
const WARMUP: (u64, u64) = (10, 1_000);

/// What stays the same over all phases of a session.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The measure's name.
    pub measure: String,
    /// Whether it answers releases of a schedule; others repeat what they do.
    pub periodic: bool,
    /// The processor of the measured thread.
    pub cpu: u32,
    /// SCHED_FIFO priority; 0 is the ordinary scheduler.
    pub priority: u32,
    /// Distance of releases.
    pub period: Nanoseconds,
    /// An answer later than this is late; without it, one later than the period.
    pub deadline: Option<Nanoseconds>,
    /// The overload rule.
    pub overrun: Overrun,
    /// Go on when the machine refuses.
    pub best_effort: bool,
}

/// What is done about idle states in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Idle {
    /// Nothing.
    AsIs,
    /// The processors are kept out of them.
    Off,
}

impl Idle {
    /// As it is typed and stored.
    pub fn name(self) -> &'static str {
        match self {
            Idle::AsIs => "as-is",
            Idle::Off => "off",
        }
    }
}

/// One phase to run.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The load as it was asked for: `none`, `all`, or a name.
    pub load: String,
    /// What that means: each load on its processor.
    pub placed: Vec<Placed>,
    /// What is done about idle states.
    pub idle: Idle,
    /// How long it measures.
    pub length: Nanoseconds,
    /// Whether the kernel's trace is recorded; its figures then are not for the headline.
    pub traced: bool,
    /// Whether its last part measures what tracing costs.
    pub toggled: bool,
    /// How many responses to keep one by one with the kernel's stamps, when traced.
    pub keep: usize,
}

impl Phase {
    /// Its conditions in words.
    pub fn title(&self) -> String {
        let traced = if self.traced { ", traced" } else { "" };
        format!("load {}, idle {}{traced}", self.load, self.idle.name())
    }
}

/// What came of a phase.
pub struct Measured {
    /// What the probe said.
    pub heard: Heard,
    /// What the loads did.
    pub loads: LoadsHeard,
    /// Why the probe ended before its time, other than by a request; one line.
    pub failure: Option<String>,
    /// Why the figures are no evidence of what was asked for.
    pub doubts: Vec<String>,
}

impl Measured {
    /// Whether all that was planned was measured.
    pub fn whole(&self) -> bool {
        self.heard.ending == Some(EndReason::Done)
    }
}

/// What the phases of a session use in turn.
pub struct Session<'a> {
    /// The probe program.
    pub probe: &'a Probe,
    /// Ends the session early.
    pub stop: &'a Stop,
    /// Shows how far it is.
    pub bar: Bar,
    /// The worst response of all phases so far.
    pub watch: Arc<Watch>,
    /// Takes every sample of the untraced phases.
    pub keeper: Option<Keeper>,
    /// Keeps the trace around responses of the untraced phases that cross a limit.
    pub flight: Option<FlightPlan>,
}

/// Runs one phase to its end, or until it is stopped. A machine that refuses is an error; a
/// probe that dies on the way is not: what it said is kept.
pub fn run(session: &mut Session<'_>, setup: &Setup, phase: &Phase) -> anyhow::Result<Measured> {
    session.bar.phase(&phase.title());
    let recorder = phase.traced.then(|| Recorder::start(trace_config(setup, phase))).transpose();
    let recorder = recorder.map_err(|error| unable(error.to_string()))?;
    let flight = flight(session, setup, phase)?;
    let mut loads = Loads::start(session.probe, &phase.placed, setup.cpu, setup.best_effort)?;
    loads.prove_alive(session.stop)?;
    let occupied = Occupied::begin(processors(session.probe, setup, phase));
    let keeper = session.keeper.take_if(|_| !phase.traced);
    let (load, idle) = (phase.load.clone(), phase.idle.name().to_string());
    let conditions = Conditions { load: Some(load), idle: Some(idle), recorder, flight, keeper };
    let told = session.watch.clone();
    let listen = move |stream| listen(stream, conditions, &told);
    let mut child = Child::start(session.probe, &arguments(setup, phase), setup.cpu, listen)?;
    let mut beside = Beside { pinned: Pinned::to(setup.cpu), occupied, rivals: Rivals::of(setup.cpu, setup.priority) };
    let silent = follow(&mut child, (setup, phase), session, &mut beside);
    let Beside { pinned, occupied, rivals } = beside;
    session.bar.passed(Duration::from_nanos(phase.length.0));
    let (heard, status, complaint) = child.finish();
    let mut heard = heard.unwrap_or_default();
    if heard.hello.as_ref().is_some_and(|hello| hello.device == "linux") {
        heard.warnings.extend(rivals.warnings());
    }
    session.keeper = session.keeper.take().or(heard.keeper.take());
    let loads = loads.finish(&phase.load);
    if heard.hello.is_none() && session.stop.asked() && ended_by_request(status) {
        return Ok(Measured { heard, loads, failure: None, doubts: Vec::new() });
    }
    let complaint = match silent {
        Some(silence) if complaint.is_empty() => silence,
        Some(silence) => format!("{silence} ({complaint})"),
        None => complaint,
    };
    let doubts = pinned.moved().into_iter().chain(occupied.sentence()).chain(loads.still.iter().cloned()).collect();
    Ok(Measured { doubts, ..judge(heard, loads, status, complaint)? })
}

fn trace_config(setup: &Setup, phase: &Phase) -> TraceConfig {
    let virtual_machine = check::is_virtual(&check::Machine::this(setup.cpu));
    let steady = phase.toggled.then(|| Duration::from_nanos(phase.length.0).saturating_sub(trace::TOGGLED));
    TraceConfig { cpu: setup.cpu, keep: phase.keep, virtual_machine, steady }
}

/// The flight recorder, where it was asked for; the traced phases are traced anyway.
fn flight(session: &Session<'_>, setup: &Setup, phase: &Phase) -> anyhow::Result<Option<Flight>> {
    let Some(plan) = session.flight.as_ref().filter(|_| !phase.traced) else { return Ok(None) };
    let label = format!("{}-{}-{}", setup.measure, phase.load, phase.idle.name());
    let flight = Flight::start(trace_config(setup, phase), plan.clone(), &label);
    flight.map(Some).map_err(|error| unable(error.to_string()))
}

/// Those that the phase uses, of this machine.
fn processors(probe: &Probe, setup: &Setup, phase: &Phase) -> Vec<u32> {
    let used = phase.placed.iter().map(|placed| placed.cpu).chain([setup.cpu]);
    if probe.is_carried() { used.collect() } else { Vec::new() }
}

/// What is looked at beside the measurement.
struct Beside {
    pinned: Pinned,
    occupied: Occupied,
    rivals: Rivals,
}

/// Waits for the end of the probe's stream, for a request to stop, or for a probe that hangs: then a line about it.
fn follow(
    child: &mut Child<Heard>,
    (setup, phase): (&Setup, &Phase),
    session: &Session<'_>,
    beside: &mut Beside,
) -> Option<String> {
    let start = Instant::now();
    let mut patience = Patience::begin(setup.period, phase.length, session.watch.records());
    while !child.wait(LOOK) {
        beside.rivals.look();
        session.bar.show(start.elapsed(), session.watch.worst(), Unit::Ns);
        session.watch.thread().into_iter().for_each(|thread| beside.pinned.look(child.id(), thread, start.elapsed()));
        beside.occupied.look();
        let hangs = patience.over(start.elapsed(), session.watch.records());
        if session.stop.asked() || session.watch.ended() || hangs.is_some() {
            child.stop();
            return hangs;
        }
    }
    None
}

/// How long a probe is waited for.
struct Patience {
    silence: Duration,
    limit: Duration,
    records: u64,
    spoke_at: Duration,
}

impl Patience {
    /// `records` came from earlier phases.
    fn begin(period: Nanoseconds, length: Nanoseconds, records: u64) -> Self {
        let silence = SILENCE + 2 * Duration::from_nanos(period.0);
        Self { silence, limit: Duration::from_nanos(length.0) + GRACE, records, spoke_at: Duration::ZERO }
    }

    /// Why it is not waited for any longer at `elapsed`, when so many records have come.
    fn over(&mut self, elapsed: Duration, records: u64) -> Option<String> {
        if self.records != records {
            (self.records, self.spoke_at) = (records, elapsed);
        }
        let silent = elapsed.saturating_sub(self.spoke_at);
        let began = self.spoke_at > Duration::ZERO;
        if elapsed > self.limit || silent > if began { self.silence } else { GRACE } {
            let said = if began { "has said nothing more" } else { "has not said anything" };
            return Some(format!("it {said} for {:.0} s, and was ended", silent.as_secs_f64()));
        }
        None
    }
}

/// As a process ends that is told to stop, before or after it catches the request.
fn ended_by_request(status: ExitStatus) -> bool {
    status.success() || status.signal() == Some(Signal::TERM.as_raw())
}

/// A probe that refused before its first record is an error; afterwards it is a failure on record.
fn judge(mut heard: Heard, loads: LoadsHeard, status: ExitStatus, complaint: String) -> anyhow::Result<Measured> {
    let why = if complaint.is_empty() { status.to_string() } else { complaint };
    if heard.hello.is_none() {
        let exit = if status.code() == Some(2) { Exit::Usage } else { Exit::Unable };
        let because = heard.warnings.first().map(|warning| format!(" ({warning})")).unwrap_or_default();
        return Err(Refusal { exit, text: format!("probe: {why}{because}") }.into());
    }
    let failed = !status.success() || heard.ending.is_none();
    // A probe that fails says why twice: on the stream and beside it.
    heard.warnings.retain(|warning| !failed || *warning != why);
    let failure = failed.then(|| format!("the probe ended before its time: {why}"));
    Ok(Measured { heard, loads, failure, doubts: Vec::new() })
}

fn arguments(setup: &Setup, phase: &Phase) -> Vec<String> {
    let warmup = (100_000_000 / setup.period.0.max(1)).clamp(WARMUP.0, WARMUP.1);
    let overrun = match setup.overrun {
        Overrun::Skip => "skip",
        Overrun::Queue => "queue",
    };
    let options = [
        ("--for-ns", phase.length.0.to_string()),
        ("--warmup", warmup.to_string()),
        ("--cpu", setup.cpu.to_string()),
        ("--priority", setup.priority.to_string()),
        ("--idle", phase.idle.name().to_string()),
    ];
    let schedule = [("--period-ns", setup.period.0.to_string()), ("--overrun", overrun.to_string())];
    let deadline = setup.deadline.map(|deadline| ("--deadline-ns", deadline.0.to_string()));
    let schedule = schedule.into_iter().chain(deadline).filter(|_| setup.periodic);
    let mut arguments = vec!["measure".to_string(), setup.measure.clone()];
    arguments.extend(options.into_iter().chain(schedule).flat_map(|(name, value)| [name.to_string(), value]));
    arguments.extend(setup.best_effort.then(|| "--best-effort".to_string()));
    arguments
}

/// The processor to measure on, and where the loads of a phase go: one of each on every allowed processor.
pub fn place(names: &[String], cpus: &[u32]) -> Vec<Placed> {
    let of_one = |name: &String| cpus.iter().map(|cpu| Placed { name: name.clone(), cpu: *cpu }).collect::<Vec<_>>();
    names.iter().flat_map(of_one).collect()
}

/// The processor that was asked for, or the last one allowed.
pub fn measured_cpu(asked: Option<u32>, allowed: &[u32]) -> anyhow::Result<u32> {
    let last = *allowed.last().expect("a process may use at least one processor");
    match asked {
        None => Ok(last),
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu),
        Some(cpu) => Err(unable(format!("--cpu {cpu}: this process may use CPU {allowed:?} only (see taskset)"))),
    }
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
        assert_eq!(patience.over(seconds(11), 7).unwrap(), "it has not said anything for 11 s, and was ended");
        assert_eq!(patience.over(seconds(12), 8), None);
        assert_eq!(patience.over(seconds(72), 8), None);
        assert_eq!(patience.over(seconds(73), 8).unwrap(), "it has said nothing more for 61 s, and was ended");
        let mut rare = Patience::begin(Nanoseconds(3_600_000_000_000), day, 0);
        assert_eq!((rare.over(seconds(1), 1), rare.over(seconds(7_000), 1)), (None, None));
    }
}
