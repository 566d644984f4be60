// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one piece of a measurement adds to a run: figures, stages, loads, and warnings.
//!
//! Every measurement returns a `Part`; only [`crate::session::assemble::Assembly::take`] adds parts to the run.
use crate::loads::load::LoadsHeard;
use crate::phase::{Phase, PhaseHeard};
use crate::stream::identity::{device, origin};
use crate::stream::probe_report::ProbeReport;
use backwall_ftrace::TraceError;
use backwall_ftrace::attached::{self, AttachReport};
use backwall_ftrace::flight::{FlightReport, Snapshot};
use backwall_model::{
    Blame, Device, InvalidPhase, Key, LoadProgress, MeasuredPhase, Origin, Results, SelfCheck, Series, Stages, Warning,
};
use backwall_stats::SeriesBuilder;
use backwall_trace::TraceReport;
use backwall_trace::chain::ChainSoFar;
use backwall_wire::EndReason;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug, Default)]
pub struct Part {
    /// The machine. The first part that has a machine sets the run's device.
    pub identity: Option<(Origin, Device)>,
    pub said: Vec<(&'static str, String)>,
    pub values: BTreeMap<String, u64>,
    pub found: Results,
    pub later_values: LaterValues,
    pub series: Vec<Series>,
    pub stages: Vec<Stages>,
    /// Causes of individual responses among the worst of a series.
    pub blames: Vec<BlamedResponse>,
    pub self_check: Option<SelfCheck>,
    pub loads: Vec<LoadProgress>,
    pub phases: Vec<MeasuredPhase>,
    pub doubts: Vec<(Option<InvalidPhase>, String)>,
    pub once: Vec<Warning>,
    pub warnings: Vec<Warning>,
    /// The operation (`osbench` row) that the warnings belong to.
    pub row: Option<String>,
    pub failure: Option<String>,
    pub interrupted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LaterValues {
    #[default]
    Join,
    Bear(String),
    Leave,
}

fn blames_of(all: &[Stages]) -> Vec<BlamedResponse> {
    let blames = all.iter().flat_map(|stages| {
        let of = Whose::Key(stages.key.clone());
        stages.worst.iter().filter_map(move |worst| {
            let blame = worst.blame.clone()?;
            Some(BlamedResponse { of: of.clone(), seq: worst.seq, value: worst.value, blame })
        })
    });
    blames.collect()
}

#[derive(Clone, Debug)]
pub struct BlamedResponse {
    pub of: Whose,
    pub seq: u64,
    pub value: u64,
    pub blame: Blame,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Key(Key),
    Load(String),
}

impl Whose {
    pub(crate) fn is(&self, series: &Series) -> bool {
        match self {
            Whose::Key(key) => series.key == *key,
            Whose::Load(load) => series.key.load == *load,
        }
    }
}

impl Part {
    pub fn of_stream(heard: ProbeReport) -> Self {
        let series = heard.series.iter().map(SeriesBuilder::build).collect();
        Self::of_made(heard, series)
    }

    pub fn of_made(heard: ProbeReport, series: Vec<Series>) -> Self {
        Self {
            identity: identity(&heard),
            interrupted: heard.ending != Some(EndReason::Done),
            values: heard.values,
            series,
            warnings: heard.warnings,
            ..Self::default()
        }
    }

    pub fn of_loads(LoadsHeard { progress, warnings, failure, .. }: LoadsHeard) -> Self {
        let doubts = failure.iter().map(|failure| (None, failure.clone())).collect();
        Self { loads: progress, warnings, doubts, failure, ..Self::default() }
    }

    /// The results of a phase as parts, of one CPU or of `several`. A traced phase adds its stages, not its figures.
    pub fn of_phase(phase: &Phase, several: bool, mut measured: PhaseHeard) -> Vec<Self> {
        let key = || measured.heard.series.first().map(|series| series.build().key);
        let (key, trace) = (measured.heard.trace.is_some().then(key).flatten(), measured.heard.trace.take());
        let traced = trace.map(|trace| Self::of_trace(phase, key, trace));
        let flight = measured.heard.flight.take().map(|flight| Self::of_flight(phase, several, flight));
        let figures = Self::of_figures(phase, measured);
        [traced, Some(figures), flight].into_iter().flatten().collect()
    }

    pub(crate) fn of_figures(phase: &Phase, measured: PhaseHeard) -> Self {
        let series = if phase.traced { Vec::new() } else { worst_first(&measured.heard.series) };
        let whole = Self::of_measured(phase, phase.traced, measured);
        match phase.traced {
            true => Self { values: BTreeMap::new(), loads: Vec::new(), ..whole },
            false => Self { series, ..whole },
        }
    }

    /// A part with the given `series` as its figures, even if the phase was traced.
    pub fn of_phase_as(phase: &Phase, series: Vec<Series>, mut measured: PhaseHeard) -> Self {
        measured.heard.series.clear();
        let whole = Self::of_measured(phase, false, measured);
        Self { series, later_values: LaterValues::Join, ..whole }
    }

    /// The part without its series. `beside`: this phase is traced, so the run takes its figures from an untraced phase.
    fn of_measured(phase: &Phase, beside: bool, measured: PhaseHeard) -> Self {
        let place = phase.title();
        let phases = vec![measured_of(phase, &measured)];
        let (identity, interrupted) = (identity(&measured.heard), !measured.whole());
        let PhaseHeard { heard, loads, failure, doubts, .. } = measured;
        let spoiled = || Some(InvalidPhase { traced: beside, ..phase.spoiled() });
        let doubts = doubts.into_iter().chain(loads.failure.clone()).map(|doubt| (spoiled(), doubt)).collect();
        let died = failure.as_ref().map(|failure| Warning::new(Warning::FAILED, failure));
        let warnings = heard.warnings.into_iter().chain(loads.warnings).chain(died);
        Self {
            identity,
            values: heard.values,
            loads: loads.progress,
            phases,
            doubts,
            warnings: warnings.map(|warning| warning.of(&place)).collect(),
            failure: failure.or(loads.failure).map(|failure| format!("{place}: {failure}")),
            later_values: LaterValues::Bear(place),
            interrupted,
            ..Self::default()
        }
    }

    pub fn of_operation(heard: &ProbeReport, series: Series) -> Self {
        Self {
            identity: identity(heard),
            interrupted: heard.ending == Some(EndReason::Interrupted),
            values: heard.values.clone(),
            later_values: LaterValues::Leave,
            warnings: heard.warnings.clone(),
            row: Some(series.key.label()),
            series: vec![series],
            ..Self::default()
        }
    }

    /// The stages of the series with this key; none if the probe sent no series.
    pub fn of_trace(phase: &Phase, key: Option<Key>, trace: Result<TraceReport, TraceError>) -> Self {
        let report = match trace {
            Ok(report) => report,
            Err(error) => {
                let said = format!("no stages for load {}: {error}", phase.load);
                return Self { warnings: vec![Warning::new("no-stages", said)], ..Self::default() };
            }
        };
        let (once, said) = (without_stacks(), unrecorded());
        let Some(key) = key else { return Self { once, said, ..Self::default() } };
        let place = format!("load {}, traced", phase.load);
        Self {
            once,
            said,
            stages: vec![report.stages(key)],
            self_check: report.joined.self_check,
            warnings: report.warnings.into_iter().map(|warning| warning.of(&place)).collect(),
            ..Self::default()
        }
    }

    /// The results of following the user's threads for this time.
    pub fn of_attached(report: AttachReport, elapsed: Duration) -> Self {
        let Key { name: measure, load, idle, .. } = attached::key();
        let how = match report.by_program {
            true => "taken in the interrupts of late timers, by a program in the kernel",
            false => "taken in every interrupt of the timer, by a trigger",
        };
        let once = if report.by_program { Vec::new() } else { without_stacks() };
        let how = once.is_empty().then_some(how);
        let (mut series, mut stages) = (report.series, report.stages);
        for ChainSoFar { tally, .. } in report.chains.iter().filter(|chain| chain.tally.due() > 0) {
            series.push(tally.series());
            series.extend(tally.others());
            stages.extend(tally.stages(report.events_lost));
        }
        Self {
            said: how.into_iter().map(|how| ("stacks", how.to_string())).chain(unrecorded()).collect(),
            once,
            phases: vec![MeasuredPhase { measure, load, idle, traced: false, ns: nanoseconds(elapsed) }],
            series,
            stages,
            warnings: report.warnings,
            ..Self::default()
        }
    }

    /// The causes of missed deadlines. If a job that missed its deadline is also among the worst of its series, its
    /// cause is stored there too.
    pub fn of_missed(missed: Vec<Stages>) -> Self {
        Self { blames: blames_of(&missed), stages: missed, ..Self::default() }
    }

    /// As [`Part::of_trace`], for a phase whose traced responses are its figures: their causes belong to these responses.
    pub fn of_own_trace(phase: &Phase, key: Option<Key>, trace: TraceReport) -> Self {
        let part = Self::of_trace(phase, key, Ok(trace));
        Self { blames: blames_of(&part.stages), ..part }
    }

    /// The flight recorder's results. The causes that it found go to the worst responses of the phase's newest series.
    fn of_flight(phase: &Phase, several: bool, flight: FlightReport) -> Self {
        let place = phase.title();
        let mut part = Self::default();
        for Snapshot { sample, cpu, blame, told, name } in flight.snapshots {
            let of = Whose::Load(phase.load.clone());
            part.blames.push(BlamedResponse { of, seq: sample.seq, value: sample.latency(), blame });
            let whose = if several { format!(" on CPU {cpu}") } else { String::new() };
            let seq = sample.seq;
            let said = format!("response {seq}{whose} crossed the limit: {told}; its trace is in trace/{name}");
            part.warnings.push(Warning::new("crossed", said));
        }
        for Snapshot { sample, blame, .. } in flight.worst {
            part.blames.push(BlamedResponse {
                of: Whose::Load(phase.load.clone()),
                seq: sample.seq,
                value: sample.latency(),
                blame,
            });
        }
        part.warnings.extend(flight.warnings);
        let counted =
            |count: u64, kind: &'static str, said: &dyn Fn() -> String| (count > 0).then(|| Warning::new(kind, said()));
        let more = counted(flight.more, "crossed-unkept", &|| {
            format!("{} more responses crossed the limit; backwall kept no trace of them", flight.more)
        });
        let held = counted(flight.while_held, "crossed-meanwhile", &|| {
            format!("{} responses crossed the limit while backwall read the trace of an earlier one", flight.while_held)
        });
        let lost = counted(flight.events_lost, "trace-lost", &|| {
            format!("the flight recorder lost {} events", flight.events_lost)
        });
        let failure = flight.failure.map(|error| {
            Warning::new(
                "trace-unkept",
                format!(
                    "a response crossed the limit, but its trace cannot be stored: \
                {error}"
                ),
            )
        });
        part.warnings.extend([more, held, lost, failure].into_iter().flatten());
        part.warnings = part.warnings.into_iter().map(|warning| warning.of(&place)).collect();
        part
    }
}

fn identity(heard: &ProbeReport) -> Option<(Origin, Device)> {
    heard.hello.as_ref().map(|hello| (origin(hello), device(hello, &heard.texts)))
}

/// Changes of the machine that cannot be reported, because this kernel has no events for them.
fn unrecorded() -> Vec<(&'static str, String)> {
    backwall_ftrace::unrecorded().map(|what| ("unrecorded", what)).into_iter().collect()
}

/// A warning if this machine provides no kernel stacks, which would name the code that delayed an interrupt.
fn without_stacks() -> Vec<Warning> {
    let said =
        |reason| format!("the kernel gave no stack, so the code that delayed a late interrupt is unknown: {reason}");
    backwall_ftrace::no_stacks().map(|reason| Warning::new("no-stacks", said(reason))).into_iter().collect()
}

fn measured_of(phase: &Phase, measured: &PhaseHeard) -> MeasuredPhase {
    let heard = &measured.heard;
    let due = heard.series.iter().map(SeriesBuilder::due_so_far).max().unwrap_or(0);
    let scheduled = heard.schedule.zip(heard.hello.as_ref());
    let scheduled = scheduled.map(|(schedule, hello)| hello.rate.ns_of(schedule.period.get()).saturating_mul(due));
    let measure = heard.asked.get("measure").cloned().unwrap_or_default();
    MeasuredPhase { measure, ns: scheduled.unwrap_or(nanoseconds(measured.elapsed)), ..of_phase(phase) }
}

pub(crate) fn of_phase(phase: &Phase) -> MeasuredPhase {
    let (load, idle) = (phase.load.clone(), phase.idle.name().to_string());
    MeasuredPhase { load, idle, traced: phase.traced, ..MeasuredPhase::default() }
}

fn nanoseconds(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// The series of a phase. With several CPUs, the one with the largest response comes first.
fn worst_first(heard: &[SeriesBuilder]) -> Vec<Series> {
    let mut series: Vec<Series> = heard.iter().map(SeriesBuilder::build).collect();
    if series.iter().any(|series| series.key.cpu.is_some()) {
        series.sort_by_key(|series| Reverse(series.max));
    }
    series
}
