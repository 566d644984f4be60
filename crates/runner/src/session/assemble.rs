// SPDX-License-Identifier: MIT OR Apache-2.0
//! Assembles the measured phases into a run.
#![expect(clippy::disallowed_methods, reason = "reads the clock")]
use crate::conditions::clocks;
use crate::conditions::steal;
use crate::loads::load::LoadsHeard;
use crate::phase::{Phase, PhaseHeard};
use crate::session::part::{BlamedResponse, LaterValues, Part, of_phase};
use crate::session::resumed;
use crate::stream::probe_report::ProbeReport;
use backwall_model::units::{Nanoseconds, grouped};
use backwall_model::{Ending, LoadProgress, MeasuredPhase, Origin, Picture, Plan, Run, Session, Warning};
use backwall_os::refusal::Refusal;
use backwall_tuning::check::{self, Machine};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// If less than this is left of a phase, the probe is not started again.
const LEAST_NS: u64 = 1_000_000;

pub struct Going<'a> {
    pub phase: &'a Phase,
    pub heard: ProbeReport,
    pub loads: Vec<LoadProgress>,
    pub elapsed: Duration,
}

#[derive(Clone, Debug)]
pub struct Assembly {
    run: Run,
    before: Option<Box<Run>>,
    begun: Instant,
    steal_before: Option<u64>,
    /// Whether the probe ran on this machine, so that this machine's facts belong to the run.
    here: bool,
    failure: Option<String>,
    crossed: bool,
    /// Warnings about operations, each with the rows it applies to.
    of_rows: Vec<(Warning, Vec<String>)>,
}

impl Assembly {
    pub fn begin(run: Run) -> Self {
        let (begun, steal_before) = (Instant::now(), steal::ticks());
        Self { run, before: None, begun, steal_before, here: true, failure: None, crossed: false, of_rows: Vec::new() }
    }

    /// Like [`Assembly::begin`], but for a run that can be resumed. `before`: the results of the earlier sessions.
    pub fn begin_stretch(run: Run, before: Option<Run>) -> Self {
        let stretch = Session { started: run.started.clone(), ..clocks::stretch(before.as_ref()) };
        let mut assembly = Self::begin(Run { sessions: vec![stretch], ..run });
        assembly.before = before.map(Box::new);
        assembly
    }

    pub fn elsewhere(run: Run) -> Self {
        Self { steal_before: None, here: false, ..Self::begin(run) }
    }

    pub fn stretch(&self) -> usize {
        self.before.as_ref().map_or(0, |before| before.sessions.len()) + 1
    }

    pub fn plan(&mut self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.run.plan);
    }

    /// Adds a part of the measurement to the run. Nothing else adds figures, stages, loads or warnings.
    pub fn take(&mut self, part: Part) {
        let run = &mut self.run;
        let first = run.series.is_empty();
        if let (true, Some((origin, device))) = (first, part.identity) {
            (run.origin, run.device) = (origin, device);
        }
        part.said.iter().for_each(|(name, text)| run.device.say(name, text));
        run.sessions.iter_mut().for_each(|stretch| stretch.phases.extend(part.phases.iter().cloned()));
        run.interrupted |= part.interrupted;
        take_values(run, part.values, part.later_values, first);
        run.results.take(part.found);
        run.series.extend(part.series);
        run.stages.extend(part.stages);
        run.self_check = run.self_check.take().or(part.self_check);
        run.loads.extend(part.loads);
        part.blames.into_iter().for_each(|blamed| take_blame(run, blamed));
        for (phase, why) in part.doubts {
            match phase {
                Some(phase) => run.spoil_phase(phase, why),
                None => run.spoil(why),
            }
        }
        for warning in part.once {
            if !run.warnings.contains(&warning) {
                run.warnings.push(warning);
            }
        }
        match part.row {
            Some(row) => self.take_of_row(&row, part.warnings),
            None => run.warnings.extend(part.warnings),
        }
        self.failure = self.failure.take().or(part.failure);
    }

    /// Collects warnings about one row. A warning that several rows share appears once, at the end.
    fn take_of_row(&mut self, row: &str, warnings: Vec<Warning>) {
        for warning in warnings {
            match self.of_rows.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, rows)) => rows.push(row.to_string()),
                None => self.of_rows.push((warning, vec![row.to_string()])),
            }
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    pub fn show(&mut self, picture: Picture) {
        self.run.pictures.push(picture);
    }

    pub fn warn(&mut self, warning: Warning) {
        self.run.warnings.push(warning);
    }

    pub fn has_warning(&self, kind: &str) -> bool {
        self.run.warnings.iter().any(|warning| warning.kind == kind)
    }

    pub fn fail(&mut self, line: String) {
        self.warn(Warning::new(Warning::FAILED, &line));
        self.failure.get_or_insert(line);
    }

    pub fn discredit(&mut self, why: &str) {
        self.run.spoil(why);
    }

    pub fn discredit_best_effort(&mut self) {
        self.discredit("--best-effort let the probe continue without privileges");
    }

    /// The machine refused `phase` after other phases were measured. The run keeps those.
    pub fn refused(&mut self, phase: &Phase, error: &Refusal) {
        let line = format!("{}: {error:#}", phase.title());
        self.warn(Warning::new(Warning::FAILED, &line));
        self.failure.get_or_insert(line);
        self.interrupt();
    }

    pub fn worst_processor(&self, name: &str, load: &str) -> Option<u32> {
        let of_load = self.run.series.iter().filter(|series| series.key.name == name && series.key.load == load);
        of_load.max_by_key(|series| series.max)?.key.cpu
    }

    pub fn has_figures(&self) -> bool {
        !self.run.series.is_empty()
    }

    /// The first failure or refusal during the run, with its place; one line.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub fn interrupt(&mut self) {
        self.run.interrupted = true;
    }

    /// A response crossed the limit that ends the run. The run is then incomplete, as the user requested.
    pub fn cross(&mut self) {
        self.crossed = true;
        self.interrupt();
    }

    /// The run so far, between two phases or in the middle of one. The stages of a traced phase exist only at its end.
    pub fn so_far(&self, going: Option<Going<'_>>) -> Run {
        let mut copy = self.clone();
        let interrupted = copy.run.interrupted;
        if let Some(Going { phase, heard, loads, elapsed }) = going.filter(|going| !going.phase.traced) {
            let loads = LoadsHeard { progress: loads, ..LoadsHeard::default() };
            let so_far = PhaseHeard { heard, loads, failure: None, doubts: Vec::new(), elapsed };
            copy.take(Part::of_figures(phase, so_far));
        }
        copy.run.interrupted = interrupted;
        copy.account();
        copy.whole()
    }

    /// The part of a phase that earlier sessions did not measure; `None` if they measured all of it.
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

    pub fn finish(mut self) -> Run {
        let ending = match self.run.interrupted {
            true if self.crossed => Ending::Limit,
            true => Ending::Interrupted,
            false => Ending::Done,
        };
        self.run.sessions.iter_mut().for_each(|stretch| stretch.ending = Some(ending));
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

    fn whole(self) -> Run {
        match self.before {
            Some(before) => resumed::joined(*before, self.run),
            None => self.run,
        }
    }

    fn account(&mut self) {
        self.run.seconds = self.begun.elapsed().as_secs_f64();
        self.run.sessions.iter_mut().for_each(clocks::tell);
        if !self.here {
            return;
        }
        let steal = self.steal_before.zip(steal::ticks()).map(|(before, after)| after.saturating_sub(before));
        if steal.is_none() {
            self.warn(Warning::new("no-steal", "cannot read steal time from /proc/stat"));
        }
        self.run.environment.steal_ticks = steal.unwrap_or(0);
    }
}

/// Adds the values of a part. `later` says what happens to the values of later parts: stored under their own name, dropped, or
/// merged.
fn take_values(run: &mut Run, values: BTreeMap<String, u64>, later: LaterValues, first: bool) {
    match later {
        LaterValues::Bear(place) if !first => {
            run.later_values.entry(place).or_default().extend(values);
        }
        LaterValues::Leave if !first => {}
        LaterValues::Join | LaterValues::Bear(_) | LaterValues::Leave => run.values.extend(values),
    }
}

/// Stores the cause of a response with that response, in the newest matching series.
fn take_blame(run: &mut Run, blamed: BlamedResponse) {
    let series = run.series.iter_mut().rev().filter(|series| blamed.of.is(series));
    let mut worst = series.flat_map(|series| &mut series.worst);
    if let Some(worst) = worst.find(|worst| (worst.seq, worst.value) == (blamed.seq, blamed.value)) {
        worst.blame = Some(blamed.blame);
    }
}
