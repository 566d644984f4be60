// SPDX-License-Identifier: MIT OR Apache-2.0
//! One traced phase of `iltiming`: the timer's interrupt is the ISR, the probe's thread the IST.
use crate::Stop;
use crate::phase::{self, Phase, PhaseHeard, Session, Setup};
use crate::progress::Bar;
use device::probe::Probe;
use record::{Recorder, TraceError};
use run::{Iltiming, Series, Span};
use stats::SeriesBuilder;
use std::time::Duration;
use system::affinity;
use trace::{Matched, TraceReport};
use units::{Nanoseconds, Unit};

/// One traced phase. Where the kernel's trace is refused the IST is measured without it: nothing tells of the ISR then.
pub fn measure(
    stop: &Stop,
    setup: &Setup,
    phase: &Phase,
    quiet: bool,
) -> anyhow::Result<(PhaseHeard, Result<TraceReport, TraceError>)> {
    let probe = Probe::carried()?;
    let _kept_off = affinity::KeptOff::processors(&setup.cpus);
    let bar = Bar::new(Duration::from_nanos(phase.length.0), quiet);
    let mut session = Session { probe: &probe, stop, bar, watch: Default::default(), keeper: None, flight: None };
    let refused = setup.cpus.first().and_then(|cpu| Recorder::refused(*cpu));
    let phase = Phase { traced: refused.is_none(), ..phase.clone() };
    let mut measured = phase::run(&mut session, setup, &phase, &mut |_| {})?;
    let trace = match refused {
        Some(refused) => Err(refused),
        None => measured.heard.trace.take().expect("the phase is traced"),
    };
    Ok((measured, trace))
}

/// `ist` is the probe's own reading; `isr` and `handoff` need the kernel's stamps, and lack what it did not show. Without
/// them there is the `ist` alone.
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

/// A series over the interrupts for which `value` is known; the others of `ist` count as lost.
fn stamped(
    name: &str,
    (from, to): (&str, &str),
    period: Nanoseconds,
    matched: &[Matched],
    ist: &Series,
    value: impl Fn(&Matched) -> Option<u64>,
) -> Series {
    let mut builder = SeriesBuilder::new(ist.key.with_name(name), Span::new(from, to, Unit::Ns));
    builder.warmup(ist.warmup);
    for matched in matched {
        let at = matched.sample.seq.saturating_mul(period.0);
        if let Some(value) = value(matched) {
            builder.sample(matched.sample.seq, at, value, false);
        }
    }
    builder.lost(0, ist.due.unwrap_or(ist.done).saturating_sub(builder.done()));
    builder.build()
}
