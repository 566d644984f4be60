// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measured phases to a run.
use super::phase::{Measured, Phase};
use super::steal;
use crate::check::{self, Machine};
use crate::run::{Device, Origin, Run, Series, Stages};
use crate::stats::SeriesBuilder;
use crate::trace::{TraceError, TraceReport};
use crate::units::Unit;
use crate::wire::{DeviceKind, Hello};
use std::collections::BTreeMap;
use std::time::Instant;

/// A run that grows phase by phase.
#[derive(Debug)]
pub struct Assembly {
    run: Run,
    begun: Instant,
    steal_before: Option<u64>,
    failure: Option<String>,
}

impl Assembly {
    /// A run that begins now.
    pub fn begin(run: Run) -> Self {
        Self { run, begun: Instant::now(), steal_before: steal::ticks(), failure: None }
    }

    /// Takes all that a phase measured; of a traced one the stages, not the figures.
    pub fn take(&mut self, phase: &Phase, mut measured: Measured) {
        if let Some(trace) = measured.heard.trace.take() {
            self.take_trace(phase, &measured.heard.series, trace);
        }
        self.take_rest(phase, measured);
    }

    fn take_rest(&mut self, phase: &Phase, measured: Measured) {
        let place = phase.title();
        let run = &mut self.run;
        run.interrupted |= !measured.whole();
        let first = run.series.is_empty();
        if let (true, Some(hello)) = (first, &measured.heard.hello) {
            run.origin = origin(hello);
            run.device = device(hello, &measured.heard.texts);
        }
        if !phase.traced {
            let named = |name: &String| if first { name.clone() } else { format!("{name}[{place}]") };
            run.values.extend(measured.heard.values.iter().map(|(name, value)| (named(name), *value)));
            run.series.extend(measured.heard.series.iter().map(SeriesBuilder::build));
            run.loads.extend(measured.loads.progress);
        }
        run.evidence &= measured.loads.failure.is_none();
        let failures = measured.failure.into_iter().chain(measured.loads.failure);
        let failures: Vec<String> = failures.map(|failure| format!("{place}: {failure}")).collect();
        let warnings = measured.heard.warnings.into_iter().chain(measured.loads.warnings);
        run.warnings.extend(warnings.map(|warning| format!("{place}: {warning}")));
        run.warnings.extend(failures.iter().cloned());
        self.failure = self.failure.take().or(failures.into_iter().next());
    }

    /// The stages under their phase's name, and what tracing cost: the median with it less the median without.
    pub fn take_trace(&mut self, phase: &Phase, traced: &[SeriesBuilder], trace: Result<TraceReport, TraceError>) {
        let report = match trace {
            Ok(report) => report,
            Err(error) => return self.warn(format!("no stages for load {}: {error}", phase.load)),
        };
        let Some(series) = traced.first().map(SeriesBuilder::build) else { return };
        let plain = self.run.series_of(&series.key);
        let cost = plain.and_then(|plain| Some(median(&series)? as i64 - median(plain)? as i64));
        self.run.stages.push(Stages { key: series.key, tracing_cost_ns: cost, ..report.stages });
        self.run.self_check = self.run.self_check.take().or(report.self_check);
        self.run
            .warnings
            .extend(report.warnings.iter().map(|warning| format!("load {}, traced: {warning}", phase.load)));
    }

    /// Adds a sentence for the user.
    pub fn warn(&mut self, warning: String) {
        self.run.warnings.push(warning);
    }

    /// The run may not be used as evidence, because of `why`.
    pub fn discredit(&mut self, why: &str) {
        self.run.evidence = false;
        self.warn(format!("no evidence: {why}"));
    }

    /// The machine refused `phase` after others were measured: they are kept.
    pub fn refused(&mut self, phase: &Phase, error: &anyhow::Error) {
        let line = format!("{}: {error:#}", phase.title());
        self.warn(line.clone());
        self.failure.get_or_insert(line);
        self.interrupt();
    }

    /// Whether anything was measured so far.
    pub fn has_figures(&self) -> bool {
        !self.run.series.is_empty()
    }

    /// The first thing that died or was refused on the way, with its place; one line.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The run ended before all was measured.
    pub fn interrupt(&mut self) {
        self.run.interrupted = true;
    }

    /// The run as it stands, with what was read of the machine.
    pub fn finish(mut self) -> Run {
        self.run.seconds = self.begun.elapsed().as_secs_f64();
        let steal = self.steal_before.zip(steal::ticks()).map(|(before, after)| after.saturating_sub(before));
        if steal.is_none() {
            self.warn("steal time cannot be read from /proc/stat".to_string());
        }
        self.run.environment.steal_ticks = steal.unwrap_or(0);
        if self.run.device.kind == "linux" {
            read_machine(&mut self.run);
        }
        self.run
    }
}

/// What `backwall check` reads, into the run.
fn read_machine(run: &mut Run) {
    let machine = Machine::this(run.plan.cpu.unwrap_or(0));
    run.environment.throttled = check::throttled(&machine);
    run.environment.checks = check::all_of(&machine);
    let said = std::mem::take(&mut run.device.preemption);
    run.device.preemption = format!("{said} ({})", check::preemption_model(&machine)).trim_start().to_string();
}

fn median(series: &Series) -> Option<u64> {
    series.quantiles.iter().find(|quantile| quantile.q == 0.5)?.value
}

fn origin(hello: &Hello) -> Origin {
    match (hello.device, hello.unit) {
        (_, Unit::Instructions) => Origin::Emulated,
        (DeviceKind::Fake, Unit::Ns) => Origin::Simulated,
        (_, Unit::Ns) => Origin::Measured,
    }
}

fn device(hello: &Hello, texts: &BTreeMap<String, String>) -> Device {
    let mut more = texts.clone();
    more.remove("probe_tid");
    let mut take = |key: &str| more.remove(key).unwrap_or_default();
    let (kernel, cpu, cpus, preemption) = (take("kernel"), take("cpu"), take("cpus"), take("preemption"));
    let source = take("clock_source");
    let clock = if source.is_empty() { hello.clock.clone() } else { format!("{} ({source})", hello.clock) };
    Device {
        kind: hello.device.name().to_string(),
        kernel,
        cpu,
        cpus: cpus.parse().unwrap_or(0),
        clock,
        clock_hz: hello.rate.hz(),
        preemption,
        more,
    }
}
