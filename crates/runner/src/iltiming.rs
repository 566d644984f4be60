// SPDX-License-Identifier: MIT OR Apache-2.0
//! One traced phase of `iltiming`: the timer interrupt is the ISR, and the probe's thread is the IST.
use crate::device::probe::{NONE, Probe};
use crate::loads::load::PlacedLoad;
use crate::phase::{self, Idle, Phase, PhaseHeard, Session, Setup};
use crate::schedule::Schedule;
use crate::session::door::Door;
use crate::session::progress::Bar;
use backwall_ftrace::{Recorder, TraceError};
use backwall_model::units::{Nanoseconds, Unit};
use backwall_model::{Caches, Extension, Iltiming, Key, Plan, PlannedSeries, Policy, Series, Span};
use backwall_os::Stop;
use backwall_os::affinity;
use backwall_stats::SeriesBuilder;
use backwall_trace::{StampedSample, TraceReport};
use std::time::Duration;

const TICK_NS: u64 = 1_000_000;
const HIGHEST: u64 = 0;

#[derive(Clone, Debug)]
pub struct IltimingRequest {
    /// `None`: the highest priority, or an ordinary thread if the kernel refuses real-time priority.
    pub priority: Option<u64>,
    pub idle_threads: Vec<&'static str>,
    /// Milliseconds between interrupts.
    pub ticks: u64,
    pub interrupts: u64,
    pub warm: bool,
}

impl IltimingRequest {
    pub fn highest() -> u32 {
        fifo(HIGHEST)
    }

    pub fn setup(&self, cpu: u32, ordinary: bool) -> Setup {
        Setup {
            periodic: true,
            measure: if self.warm { "wakeup" } else { "wakeup-cold" }.to_string(),
            cpus: vec![cpu],
            policy: if ordinary { Policy::Other } else { Policy::Fifo },
            priority: if ordinary { 0 } else { fifo(self.priority.unwrap_or(HIGHEST)) },
            schedule: Schedule::every(Nanoseconds(self.ticks * TICK_NS)),
            best_effort: false,
        }
    }

    /// The phase of this request. The idle threads run on the CPU of the IST, because the machine of 2002 had a single CPU.
    pub fn phase(&self, cpu: u32) -> Phase {
        let placed = self.idle_threads.iter().map(|name| PlacedLoad::plain(name, cpu)).collect();
        let load = if self.idle_threads.is_empty() { NONE.to_string() } else { self.idle_threads.join("+") };
        let length = Nanoseconds(self.interrupts * self.ticks * TICK_NS);
        Phase {
            load,
            placed,
            own: None,
            idle: Idle::AsIs,
            length,
            traced: true,
            toggled: false,
            keep: self.interrupts as usize,
        }
    }

    pub fn plan(&self, setup: &Setup, phase: &Phase, seed: u64) -> Plan {
        let options = Iltiming {
            ce_priority: self.priority.unwrap_or(HIGHEST),
            ticks: self.ticks,
            interrupts: self.interrupts,
            caches: if self.warm { Caches::Warm } else { Caches::Swept },
        };
        Plan {
            measures: vec!["iltiming".to_string()],
            loads: vec![phase.load.clone()],
            phase_ns: Some(phase.length),
            cpu: setup.cpus.first().copied(),
            priority: Some(setup.priority),
            policy: (setup.policy != Policy::Fifo).then_some(setup.policy),
            period_ns: Some(setup.schedule.period),
            overrun: Some(setup.schedule.overrun),
            idle: phase.idle.name().to_string(),
            seed,
            extension: Extension::Iltiming(options),
            ..Plan::default()
        }
    }
}

/// Maps Windows CE's priorities, 0 (highest) to 255, to SCHED_FIFO 98 to 1; 99 is left to the kernel's own threads.
fn fifo(priority: u64) -> u32 {
    98 - (priority * 97 / 255) as u32
}

pub fn planned(phase: &Phase) -> Vec<PlannedSeries> {
    let of_name = |name| PlannedSeries { key: Key::new(name, &phase.load, phase.idle.name()), unit: Unit::Ns };
    [Iltiming::ISR, Iltiming::IST, Iltiming::HANDOFF].map(of_name).into()
}

/// Measures one traced phase. If the kernel's trace is not permitted, it measures the IST alone, without the ISR.
pub fn measure(
    stop: &Stop,
    setup: &Setup,
    phase: &Phase,
    quiet: bool,
) -> backwall_os::refusal::Result<(PhaseHeard, Result<TraceReport, TraceError>)> {
    let probe = Probe::carried()?;
    let _kept_off = affinity::KeptOff::all_threads(&setup.cpus);
    let bar = Bar::new(Duration::from_nanos(phase.length.0), quiet);
    let door = Door::open("iltiming");
    let mut session = Session { probe: &probe, stop, bar, watch: Default::default(), keeper: None, flight: None, door };
    let refused = setup.cpus.first().and_then(|cpu| Recorder::refused(*cpu));
    let phase = Phase { traced: refused.is_none(), ..phase.clone() };
    let mut measured = phase::run(&mut session, setup, &phase, &mut |_| {})?;
    let trace = match refused {
        Some(refused) => Err(refused),
        None => measured.heard.trace.take().expect("the phase is traced"),
    };
    Ok((measured, trace))
}

/// `ist` is the time that the probe measured. `isr` and `handoff` need the kernel's timestamps and count interrupts without one
/// as lost. Without a trace, the only series is `ist`.
pub fn series(measured: &PhaseHeard, trace: Option<&TraceReport>, period: Nanoseconds) -> Vec<Series> {
    let Some(whole) = measured.heard.series.first().map(SeriesBuilder::build) else { return Vec::new() };
    let ist = Series { key: whole.key.with_name(Iltiming::IST), to: "IST".to_string(), ..whole };
    let Some(trace) = trace else { return vec![ist] };
    let isr = stamped(Iltiming::ISR, ("expiry", "ISR"), period, &trace.kept, &ist, |matched| {
        Some(matched.wake_up.isr_at.saturating_sub(matched.sample.stimulus_ns))
    });
    let handoff = stamped(Iltiming::HANDOFF, ("ISR end", "IST"), period, &trace.kept, &ist, |matched| {
        Some(matched.sample.response_ns.saturating_sub(matched.wake_up.isr_end_at?))
    });
    vec![isr, ist, handoff]
}

/// A series of the interrupts for which `value` is known. The other interrupts of `ist` count as lost.
fn stamped(
    name: &str,
    (from, to): (&str, &str),
    period: Nanoseconds,
    matched: &[StampedSample],
    ist: &Series,
    value: impl Fn(&StampedSample) -> Option<u64>,
) -> Series {
    let mut builder = SeriesBuilder::new(ist.key.with_name(name), Span::new(from, to, Unit::Ns));
    builder.warmup(ist.warmup);
    for matched in matched {
        let at = matched.sample.seq.saturating_mul(period.0);
        if let Some(value) = value(matched) {
            builder.sample(matched.sample.seq, at, value, false);
        }
    }
    builder.missed(0, ist.due.unwrap_or(ist.done).saturating_sub(builder.done()));
    builder.build()
}
