// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measured phases to a run.
use super::clocks;
use super::heard::Heard;
use super::identity::{device, origin};
use super::load::LoadsHeard;
use super::phase::{Phase, PhaseHeard};
use super::resumed;
use super::steal;
use check::{self, Machine};
use record::TraceError;
use record::attached::{self, AttachReport};
use record::flight::{FlightReport, Snapshot};
use run::{
    Ending, Key, LoadProgress, MeasuredPhase, Origin, Picture, Plan, Run, Series, SpoiledPhase, Stages, Stretch,
    Warning,
};
use stats::SeriesBuilder;
use std::cmp::Reverse;
use std::time::{Duration, Instant};
use trace::TraceReport;
use units::{Nanoseconds, grouped};
use wire::EndReason;

/// Less than this of a phase is not worth another start of the probe.
const LEAST_NS: u64 = 1_000_000;

/// A phase that goes on.
pub struct Going<'a> {
    /// Which.
    pub phase: &'a Phase,
    /// What the probe said so far.
    pub heard: Heard,
    /// How far the loads are.
    pub loads: Vec<LoadProgress>,
    /// How long it goes on.
    pub elapsed: Duration,
}

/// A run that grows phase by phase.
#[derive(Clone, Debug)]
pub struct Assembly {
    run: Run,
    /// What earlier stretches of the same run measured.
    before: Option<Box<Run>>,
    begun: Instant,
    steal_before: Option<u64>,
    /// Whether the probe ran on this machine, so that reading this machine tells of the run.
    here: bool,
    failure: Option<String>,
    /// A response crossed the limit that ends the run.
    crossed: bool,
    /// What was said of operations, with the rows of which it was said: what is true of all is told once.
    of_rows: Vec<(Warning, Vec<String>)>,
}

impl Assembly {
    /// A run that begins now.
    pub fn begin(run: Run) -> Self {
        let (begun, steal_before) = (Instant::now(), steal::ticks());
        Self { run, before: None, begun, steal_before, here: true, failure: None, crossed: false, of_rows: Vec::new() }
    }

    /// As [`Assembly::begin`], of a run that can be resumed; `before` is what was measured of it already.
    pub fn begin_stretch(run: Run, before: Option<Run>) -> Self {
        let stretch = Stretch { started: run.started.clone(), ..clocks::stretch(before.as_ref()) };
        let mut assembly = Self::begin(Run { stretches: vec![stretch], ..run });
        assembly.before = before.map(Box::new);
        assembly
    }

    /// A run whose probe ran earlier, or on another machine.
    pub fn elsewhere(run: Run) -> Self {
        Self { steal_before: None, here: false, ..Self::begin(run) }
    }

    /// The number of the stretch that goes on.
    pub fn stretch(&self) -> usize {
        self.before.as_ref().map_or(0, |before| before.stretches.len()) + 1
    }

    /// Changes what was asked.
    pub fn plan(&mut self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.run.plan);
    }

    /// Takes all of a stream that stands alone.
    pub fn take_stream(&mut self, heard: Heard) {
        self.run.interrupted |= heard.ending != Some(EndReason::Done);
        self.identify(&heard);
        self.run.values.extend(heard.values);
        self.run.series.extend(heard.series.iter().map(SeriesBuilder::build));
        self.run.warnings.extend(heard.warnings);
    }

    /// As [`Assembly::take_stream`], of figures that are made into series already.
    pub fn take_made(&mut self, heard: Heard, series: Vec<Series>) {
        self.take_stream(Heard { series: Vec::new(), ..heard });
        self.run.series.extend(series);
    }

    /// Values that the tool itself worked out, by name.
    pub fn values(&mut self, values: Vec<(String, u64)>) {
        self.run.values.extend(values);
    }

    /// How far the loads came, and what was wrong with them.
    pub fn take_loads(&mut self, loads: LoadsHeard) {
        self.run.loads.extend(loads.progress);
        self.run.warnings.extend(loads.warnings);
        if let Some(failure) = loads.failure {
            self.run.spoil(&failure);
            self.failure.get_or_insert(failure);
        }
    }

    /// The first to be heard says what the device is.
    fn identify(&mut self, heard: &Heard) {
        if let (true, Some(hello)) = (self.run.series.is_empty(), &heard.hello) {
            self.run.origin = origin(hello);
            self.run.device = device(hello, &heard.texts);
        }
    }

    /// Takes all that a phase measured; of a traced one the stages, not the figures.
    pub fn take(&mut self, phase: &Phase, mut measured: PhaseHeard) {
        if let Some(trace) = measured.heard.trace.take() {
            self.take_trace(phase, measured.heard.series.first().map(|series| series.build().key), trace);
        }
        let flight = measured.heard.flight.take();
        self.take_rest(phase, measured, phase.traced);
        flight.into_iter().for_each(|flight| self.take_flight(phase, flight));
    }

    /// `beside`: the figures of the run are those of another phase.
    fn take_rest(&mut self, phase: &Phase, measured: PhaseHeard, beside: bool) {
        let place = phase.title();
        self.identify(&measured.heard);
        let run = &mut self.run;
        run.stretches.iter_mut().for_each(|stretch| stretch.phases.push(measured_of(phase, &measured)));
        run.interrupted |= !measured.whole();
        let first = run.series.is_empty();
        if !phase.traced {
            let named = |name: &String| if first { name.clone() } else { format!("{name}[{place}]") };
            run.values.extend(measured.heard.values.iter().map(|(name, value)| (named(name), *value)));
            run.series.extend(worst_first(&measured.heard.series));
            run.loads.extend(measured.loads.progress);
        }
        let spoiled = || SpoiledPhase { traced: beside, ..phase.spoiled() };
        let doubts = measured.doubts.iter().chain(&measured.loads.failure);
        doubts.for_each(|doubt| run.spoil_phase(spoiled(), doubt));
        let failure = measured.failure.as_ref().map(|failure| Warning::new(Warning::FAILED, failure));
        let warnings = measured.heard.warnings.into_iter().chain(measured.loads.warnings).chain(failure);
        run.warnings.extend(warnings.map(|warning| warning.of(&place)));
        let failure = measured.failure.or(measured.loads.failure).map(|failure| format!("{place}: {failure}"));
        self.failure = self.failure.take().or(failure);
    }

    /// As [`Assembly::take`], of a phase whose figures, made into `series`, are those of the run, traced or not.
    pub fn take_as(&mut self, phase: &Phase, series: Vec<Series>, mut measured: PhaseHeard) {
        self.identify(&measured.heard);
        self.run.values.append(&mut measured.heard.values);
        self.run.loads.append(&mut measured.loads.progress);
        measured.heard.series.clear();
        self.run.series.extend(series);
        self.take_rest(phase, measured, false);
    }

    /// Takes what was heard of one operation; its figures are made into a series already.
    pub fn take_operation(&mut self, heard: &Heard, series: Series) {
        self.identify(heard);
        if self.run.series.is_empty() {
            self.run.values.extend(heard.values.clone());
        }
        self.run.interrupted |= heard.ending == Some(EndReason::Interrupted);
        for warning in &heard.warnings {
            match self.of_rows.iter_mut().find(|(known, _)| known == warning) {
                Some((_, rows)) => rows.push(series.key.label()),
                None => self.of_rows.push((warning.clone(), vec![series.key.label()])),
            }
        }
        self.run.series.push(series);
    }

    /// Adds what is to be drawn.
    pub fn show(&mut self, picture: Picture) {
        self.run.pictures.push(picture);
    }

    /// The stages of the series with this key; none, where nothing was heard.
    pub fn take_trace(&mut self, phase: &Phase, key: Option<Key>, trace: Result<TraceReport, TraceError>) {
        let report = match trace {
            Ok(report) => report,
            Err(error) => {
                return self.warn(Warning::new("no-stages", format!("no stages for load {}: {error}", phase.load)));
            }
        };
        self.warn_of_stacks();
        let Some(key) = key else { return };
        self.run.stages.push(report.stages(key));
        self.run.self_check = self.run.self_check.take().or(report.joined.self_check);
        let place = format!("load {}, traced", phase.load);
        self.run.warnings.extend(report.warnings.into_iter().map(|warning| warning.of(&place)));
    }

    /// Once, where the kernel's stacks cannot tell who masked a late interrupt.
    fn warn_of_stacks(&mut self) {
        self.say_unrecorded();
        let said = |reason| format!("who masked a late interrupt is not told, for no stack of the kernel is: {reason}");
        let without = |reason| Warning::new("no-stacks", said(reason));
        if let Some(warning) = record::no_stacks().map(without).filter(|warning| !self.run.warnings.contains(warning)) {
            self.warn(warning);
        }
    }

    /// Which changes of the machine cannot be told, since this kernel has no events of them.
    fn say_unrecorded(&mut self) {
        if let Some(what) = record::unrecorded() {
            self.run.device.say("unrecorded", &what);
        }
    }

    /// All that was seen of threads of the user's own.
    pub fn take_attached(&mut self, report: AttachReport) {
        let Key { name: measure, load, idle, .. } = attached::key();
        let ns = nanoseconds(self.begun.elapsed());
        let phase = MeasuredPhase { measure, load, idle, traced: false, ns };
        self.run.stretches.iter_mut().for_each(|stretch| stretch.phases.push(phase.clone()));
        self.run.series.extend(report.series);
        self.run.stages.extend(report.stages);
        let how = match report.by_program {
            true => "in the interrupts of late timers, by a program in the kernel",
            false => "in every interrupt of the timer, by a trigger",
        };
        match record::no_stacks() {
            Some(_) if !report.by_program => self.warn_of_stacks(),
            _ => self.run.device.say("stacks", how),
        }
        self.say_unrecorded();
        self.run.warnings.extend(report.warnings);
    }

    /// Who used the time of jobs that missed their deadlines; of the worst of a series each has its line there too.
    pub fn take_missed(&mut self, missed: Vec<Stages>) {
        for stages in &missed {
            let series = self.run.series.iter_mut().find(|series| series.key == stages.key);
            for worst in series.into_iter().flat_map(|series| &mut series.worst) {
                let told = stages.worst.iter().find(|told| (told.seq, told.value) == (worst.seq, worst.value));
                worst.blame = told.and_then(|told| told.blame.clone());
            }
        }
        self.run.stages.extend(missed);
    }

    /// What the flight recorder kept: its blame joins the worst of the phase's series, the last one taken.
    fn take_flight(&mut self, phase: &Phase, flight: FlightReport) {
        let place = phase.title();
        let several = self.run.plan.cpus.len() > 1;
        for Snapshot { sample, cpu, blame, told, name } in flight.snapshots {
            let series = self.run.series.iter_mut().rev().filter(|series| series.key.load == phase.load);
            let worst = series
                .flat_map(|series| &mut series.worst)
                .find(|worst| (worst.seq, worst.value) == (sample.seq, sample.latency()));
            worst.into_iter().for_each(|worst| worst.blame = Some(blame.clone()));
            let whose = if several { format!(" on CPU {cpu}") } else { String::new() };
            let seq = sample.seq;
            let said = format!("response {seq}{whose} crossed the limit: {told}; its trace is in trace/{name}");
            self.warn(Warning::new("crossed", said).of(&place));
        }
        flight.warnings.into_iter().for_each(|warning| self.warn(warning.of(&place)));
        let counted =
            |count: u64, kind: &'static str, said: &dyn Fn() -> String| (count > 0).then(|| Warning::new(kind, said()));
        let more = counted(flight.more, "crossed-unkept", &|| {
            format!("{} more responses crossed the limit; no trace is kept of them", flight.more)
        });
        let held = counted(flight.while_held, "crossed-meanwhile", &|| {
            format!("{} responses crossed the limit while the trace of an earlier one was read", flight.while_held)
        });
        let lost = counted(flight.events_lost, "trace-lost", &|| {
            format!("the flight recorder lost {} events", flight.events_lost)
        });
        let failure = flight.failure.map(|error| {
            Warning::new("trace-unkept", format!("a response crossed the limit, and its trace cannot be kept: {error}"))
        });
        let all = [more, held, lost, failure];
        all.into_iter().flatten().for_each(|warning| self.warn(warning.of(&place)));
    }

    /// Adds what the user has to know.
    pub fn warn(&mut self, warning: Warning) {
        self.run.warnings.push(warning);
    }

    /// Something died on the way; what was measured is kept.
    pub fn fail(&mut self, line: String) {
        self.warn(Warning::new(Warning::FAILED, &line));
        self.failure.get_or_insert(line);
    }

    /// The run may not be used as evidence, because of `why`.
    pub fn discredit(&mut self, why: &str) {
        self.run.spoil(why);
    }

    /// The user let the probe go on without what the machine refuses.
    pub fn discredit_best_effort(&mut self) {
        self.discredit("--best-effort allowed the probe to go on without what the machine refuses");
    }

    /// The machine refused `phase` after others were measured: they are kept.
    pub fn refused(&mut self, phase: &Phase, error: &anyhow::Error) {
        let line = format!("{}: {error:#}", phase.title());
        self.warn(Warning::new(Warning::FAILED, &line));
        self.failure.get_or_insert(line);
        self.interrupt();
    }

    /// Of several measured processors, the one with the largest response under a load.
    pub fn worst_processor(&self, name: &str, load: &str) -> Option<u32> {
        let of_load = self.run.series.iter().filter(|series| series.key.name == name && series.key.load == load);
        of_load.max_by_key(|series| series.max)?.key.cpu
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

    /// A response took longer than the limit that ends the run: not all is measured, and yet what was asked for is done.
    pub fn cross(&mut self) {
        self.crossed = true;
        self.interrupt();
    }

    /// The run as it stands between two phases, or in the middle of one. The stages of a traced one are known at its end.
    pub fn so_far(&self, going: Option<Going<'_>>) -> Run {
        let mut copy = self.clone();
        let interrupted = copy.run.interrupted;
        if let Some(Going { phase, heard, loads, elapsed }) = going.filter(|going| !going.phase.traced) {
            let loads = LoadsHeard { progress: loads, ..LoadsHeard::default() };
            let so_far = PhaseHeard { heard, loads, failure: None, doubts: Vec::new(), elapsed };
            copy.take_rest(phase, so_far, false);
        }
        copy.run.interrupted = interrupted;
        copy.account();
        copy.whole()
    }

    /// What earlier stretches left of a phase; `None` where they measured all of it.
    pub fn left_of(&self, measure: &str, phase: &Phase) -> Option<Phase> {
        let Some(before) = &self.before else { return Some(phase.clone()) };
        let known = MeasuredPhase { measure: measure.to_string(), ..of_phase(phase) };
        let left = phase.length.0.saturating_sub(before.measured_of(&known));
        let least = self.run.plan.period_ns.map_or(LEAST_NS, |period| period.0.max(LEAST_NS));
        match phase.traced {
            true => (left == phase.length.0).then(|| phase.clone()),
            false => (left >= least).then(|| Phase { length: Nanoseconds(left), ..phase.clone() }),
        }
    }

    /// The run as it stands, with what was read of the machine.
    pub fn finish(mut self) -> Run {
        let ending = match self.run.interrupted {
            true if self.crossed => Ending::Limit,
            true => Ending::Interrupted,
            false => Ending::Done,
        };
        self.run.stretches.iter_mut().for_each(|stretch| stretch.ending = Some(ending));
        for (warning, rows) in std::mem::take(&mut self.of_rows) {
            match &rows[..] {
                [row] => self.warn(warning.of(row)),
                several => self.warn(warning.of(format!("of {} rows", grouped(several.len() as u64)))),
            }
        }
        self.account();
        if self.here && self.run.origin == Origin::Measured {
            self.read_settings();
            self.read_preemption();
        }
        self.whole()
    }

    /// What `backwall check` reads, into the run.
    pub fn read_settings(&mut self) {
        let machine = Machine::this(self.run.plan.cpu.unwrap_or(0));
        self.run.environment.throttled = check::throttled(&machine);
        self.run.environment.checks = check::all_of(&machine);
    }

    fn read_preemption(&mut self) {
        let model = check::preemption_model(&Machine::this(self.run.plan.cpu.unwrap_or(0)));
        let said = std::mem::take(&mut self.run.device.preemption);
        self.run.device.preemption = format!("{said} ({model})").trim_start().to_string();
    }

    /// With what earlier stretches measured.
    fn whole(self) -> Run {
        match self.before {
            Some(before) => resumed::joined(*before, self.run),
            None => self.run,
        }
    }

    /// Time and steal until now.
    fn account(&mut self) {
        self.run.seconds = self.begun.elapsed().as_secs_f64();
        self.run.stretches.iter_mut().for_each(clocks::tell);
        if !self.here {
            return;
        }
        let steal = self.steal_before.zip(steal::ticks()).map(|(before, after)| after.saturating_sub(before));
        if steal.is_none() {
            self.warn(Warning::new("no-steal", "steal time cannot be read from /proc/stat"));
        }
        self.run.environment.steal_ticks = steal.unwrap_or(0);
    }
}

/// How much of a phase it is.
fn measured_of(phase: &Phase, measured: &PhaseHeard) -> MeasuredPhase {
    let heard = &measured.heard;
    let due = heard.series.iter().map(SeriesBuilder::due_so_far).max().unwrap_or(0);
    let scheduled = heard.schedule.zip(heard.hello.as_ref());
    let scheduled = scheduled.map(|(schedule, hello)| hello.rate.ns_of(schedule.period.get()).saturating_mul(due));
    let measure = heard.asked.get("measure").cloned().unwrap_or_default();
    MeasuredPhase { measure, ns: scheduled.unwrap_or(nanoseconds(measured.elapsed)), ..of_phase(phase) }
}

fn nanoseconds(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

fn of_phase(phase: &Phase) -> MeasuredPhase {
    let (load, idle) = (phase.load.clone(), phase.idle.name().to_string());
    MeasuredPhase { load, idle, traced: phase.traced, ..MeasuredPhase::default() }
}

/// The series of a phase; of several processors that with the largest response comes first.
fn worst_first(heard: &[SeriesBuilder]) -> Vec<Series> {
    let mut series: Vec<Series> = heard.iter().map(SeriesBuilder::build).collect();
    if series.iter().any(|series| series.key.cpu.is_some()) {
        series.sort_by_key(|series| Reverse(series.max));
    }
    series
}
