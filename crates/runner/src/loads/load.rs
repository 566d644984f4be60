// SPDX-License-Identifier: MIT OR Apache-2.0
//! The load processes of a phase: starts them, checks that they make progress, ends them, and counts their work.
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use crate::device::probe::{ALL, Probe};
use crate::loads::pace::{Pace, Pacing, STILL};
use crate::stream::child::Child;
use crate::stream::notes::Notes;
use backwall_model::units::ClockRate;
use backwall_model::{LoadProgress, Warning};
use backwall_os::Stop;
use backwall_os::refusal::{Result, unable, usage};
use backwall_wire::{LoadHead, Reader, Record, Severity};
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A load that sends nothing for this long counts as dead.
pub(crate) const ALIVE_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLoad {
    pub name: String,
    pub cpu: u32,
    /// Number of copies that run on this CPU at once, at least 1.
    pub copies: u32,
    /// Real-time priorities from the first copy to the last; `None` for ordinary threads.
    pub priorities: Option<(u32, u32)>,
}

impl PlacedLoad {
    pub fn plain(name: &str, cpu: u32) -> Self {
        Self { name: name.to_string(), cpu, copies: 1, priorities: None }
    }
}

#[derive(Debug)]
pub struct Loads {
    running: Vec<Running>,
    missing: Vec<Missing>,
}

#[derive(Debug)]
struct Missing {
    placed: PlacedLoad,
    why: String,
}

#[derive(Debug)]
struct Running {
    placed: PlacedLoad,
    heard: Shared,
    child: Child<()>,
}

#[derive(Clone, Debug, Default)]
struct Shared(Arc<Mutex<LoadHeard>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, LoadHeard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Debug, Default)]
struct LoadHeard {
    rate: Option<ClockRate>,
    head: Option<LoadHead>,
    pacing: Option<(Pacing, Instant)>,
    before: u64,
    warnings: Notes,
}

impl LoadHeard {
    fn take(&mut self, record: &Record<'_>) {
        match record {
            Record::Hello(hello) => self.rate = Some(hello.rate),
            Record::Load(head) => self.head = Some(head.clone()),
            Record::Note { severity, text } if *severity != Severity::Info => {
                self.warnings.push(Warning::new(Warning::PROBE, *text))
            }
            Record::Progress(progress) => match (&mut self.pacing, self.rate) {
                (Some((pacing, _)), _) => pacing.report(progress),
                (None, Some(rate)) => self.pacing = Some((Pacing::begin(rate, progress), Instant::now())),
                (None, None) => {}
            },
            _ => {}
        }
    }

    fn done(&self) -> u64 {
        self.pacing.as_ref().map_or(0, |(pacing, _)| pacing.done())
    }

    fn is_alive(&self) -> bool {
        self.done() > 0
    }

    fn begin_phase(&mut self) {
        self.before = self.done();
    }

    /// Whether the load finished no unit in a phase that was long enough for one. A load reports once a second, but while it
    /// waits for its device it cannot report.
    fn did_nothing(&self, longest_still: Duration) -> bool {
        self.done() == 0 || self.done() == self.before && longest_still >= STILL
    }

    fn progress(&self, phase: &str, now: Instant) -> Option<(LoadProgress, Duration)> {
        let (head, (pacing, began)) = (self.head.as_ref()?, self.pacing.as_ref()?);
        let Pace { per_second, each_s, longest_still } = pacing.pace(now.saturating_duration_since(*began));
        let (name, unit, phase) = (head.name.clone(), head.unit.clone(), phase.to_string());
        let mut progress = LoadProgress { name, unit, phase, done: pacing.done(), per_second, each_s };
        progress.bound();
        Some((progress, longest_still))
    }
}

#[derive(Debug, Default)]
pub struct LoadsHeard {
    pub progress: Vec<LoadProgress>,
    pub warnings: Vec<Warning>,
    /// Loads that made no progress. The figures of a phase named after such a load do not count.
    pub still: Vec<String>,
    pub failure: Option<String>,
}

impl Loads {
    pub fn start(probe: &Probe, loads: &[PlacedLoad], measured: &[u32], best_effort: bool) -> Result<Self> {
        let mut running = Vec::new();
        for placed in loads {
            let heard = Shared::default();
            let said = heard.clone();
            let arguments = arguments(placed, best_effort);
            let child = Child::start(probe, &arguments, measured, move |stream| listen(stream, &said))?;
            running.push(Running { placed: placed.clone(), heard, child });
        }
        Ok(Self { running, missing: Vec::new() })
    }

    /// Waits until each load has made progress. A load that lacks space or a permission is reported as missing, and the phase
    /// continues with the others.
    ///
    /// # Errors
    /// If no load is left, or a load got wrong arguments.
    pub fn prove_alive(&mut self, stop: &Stop) -> Result<()> {
        let start = Instant::now();
        while self.running.iter().any(|load| !load.heard.lock().is_alive()) {
            if stop.asked() || start.elapsed() > ALIVE_WITHIN {
                break;
            }
            if let Some(index) = self.running.iter_mut().position(|load| load.child.wait(Duration::ZERO)) {
                let Running { placed, child, .. } = self.running.swap_remove(index);
                let (_, status, complaint) = child.finish();
                let why = if complaint.is_empty() { status.to_string() } else { complaint };
                let misused = status.code() == Some(2);
                if misused || self.running.is_empty() {
                    let refused = if misused { usage } else { unable };
                    return Err(refused(format!("load {} on CPU {}: {why}", placed.name, placed.cpu)));
                }
                self.missing.push(Missing { placed, why });
                continue;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.running.iter().for_each(|load| load.heard.lock().begin_phase());
        Ok(())
    }

    pub fn so_far(&self, phase: &str) -> Vec<LoadProgress> {
        let now = Instant::now();
        let mut all = Vec::new();
        let known = self.running.iter().filter_map(|load| load.heard.lock().progress(phase, now));
        known.for_each(|(progress, _)| add(&mut all, progress));
        all
    }

    pub fn finish(mut self, phase: &str) -> LoadsHeard {
        let ended_early: Vec<bool> = self.running.iter_mut().map(|load| load.child.wait(Duration::ZERO)).collect();
        self.running.iter_mut().for_each(|load| load.child.stop());
        let stopped = Instant::now();
        let mut heard = LoadsHeard::default();
        for (load, early) in self.running.into_iter().zip(ended_early) {
            let (_, status, complaint) = load.child.finish();
            heard.take(&load.placed, phase, load.heard.lock().clone(), stopped);
            if early {
                let why = if complaint.is_empty() { status.to_string() } else { complaint };
                heard.failure =
                    Some(format!("load {} on CPU {} ended early: {why}", load.placed.name, load.placed.cpu));
            }
        }
        self.missing.iter().for_each(|missing| heard.lacks(missing, phase));
        heard.settle(phase);
        heard
    }
}

impl LoadsHeard {
    /// If a load ran on no CPU, the figures of a phase named after it do not count. In a phase of all loads, or if the load is
    /// missing on one CPU only, a warning is enough.
    fn lacks(&mut self, Missing { placed: PlacedLoad { name, cpu, .. }, why }: &Missing, phase: &str) {
        let text = format!("load {name} was missing on CPU {cpu}: {why}");
        let ran = self.progress.iter().any(|progress| progress.name == *name);
        match ran || phase == ALL {
            true => self.warnings.push(Warning::new("load-missing", text)),
            false => self.still.push(text),
        }
    }

    /// In a phase of several loads, a load without progress is only a warning, because the other loads ran.
    fn settle(&mut self, phase: &str) {
        let several = phase == ALL || phase.contains('+');
        if several && !self.progress.is_empty() {
            let dropped = self.still.drain(..).map(|text| Warning::new("load-stalled", text));
            self.warnings.extend(dropped);
        }
    }

    fn take(&mut self, placed: &PlacedLoad, phase: &str, said: LoadHeard, stopped: Instant) {
        let PlacedLoad { name, cpu, .. } = placed;
        self.warnings.extend(said.warnings.all().map(|warning| warning.of(format!("load {name}"))));
        let Some((progress, longest_still)) = said.progress(phase, stopped) else {
            return self.still.push(format!("load {name} on CPU {cpu} reported nothing"));
        };
        if said.did_nothing(longest_still) {
            self.still.push(format!(
                "load {name} on CPU {cpu} made no progress in the whole phase: another program used the resources \
                    that this load needs, or the phase was too short"
            ));
            return;
        } else if longest_still >= STILL {
            let waited = longest_still.as_secs_f64();
            let said = format!("load {name} on CPU {cpu} waited {waited:.1} s without finishing a unit");
            self.warnings.push(Warning::new("load-waited", said));
        }
        add(&mut self.progress, progress);
    }
}

fn add(all: &mut Vec<LoadProgress>, more: LoadProgress) {
    match all.iter_mut().find(|known| known.name == more.name) {
        Some(known) => known.add(more),
        None => all.push(more),
    }
}

fn arguments(placed: &PlacedLoad, best_effort: bool) -> Vec<String> {
    let mut arguments: Vec<String> = ["load", &placed.name, "--cpu"].map(str::to_string).to_vec();
    arguments.push(placed.cpu.to_string());
    let copies = (placed.copies > 1).then_some(("--copies", placed.copies));
    let priority = placed.priorities.map(|(from, _)| ("--priority", from));
    let range = placed.priorities.filter(|(from, to)| from < to).map(|(_, to)| ("--priority-to", to));
    let options = [copies, priority, range].into_iter().flatten();
    arguments.extend(options.flat_map(|(name, value)| [name.to_string(), value.to_string()]));
    arguments.extend(best_effort.then(|| "--best-effort".to_string()));
    arguments
}

pub fn listen_to_end(stream: impl Read, placed: &PlacedLoad, phase: &str) -> LoadsHeard {
    let (said, mut heard) = (Shared::default(), LoadsHeard::default());
    listen(stream, &said);
    let said = said.lock().clone();
    heard.take(placed, phase, said, Instant::now());
    heard
}

fn listen(stream: impl Read, said: &Shared) {
    if let Err(error) = Reader::new(stream).follow(|record| said.lock().take(&record)) {
        said.lock().warnings.push(Warning::new(Warning::PROBE, error.to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_wire::Progress;

    #[test]
    fn a_load_that_said_nothing_or_did_nothing_is_no_load() {
        let placed = PlacedLoad::plain("spin", 1);
        let mut heard = LoadsHeard::default();
        heard.take(&placed, "spin", LoadHeard::default(), Instant::now());
        let report = Progress { load: 0, at: 0, done: 0 };
        let idle = LoadHeard {
            rate: ClockRate::new(1_000),
            head: Some(LoadHead { load: 0, name: "spin".into(), unit: "turns".into() }),
            pacing: Some((Pacing::begin(ClockRate::new(1_000).unwrap(), &report), Instant::now())),
            ..LoadHeard::default()
        };
        heard.take(&placed, "spin", idle, Instant::now());
        assert_eq!(heard.still.len(), 2, "{:?}", heard.still);
        assert_eq!(heard.still[0], "load spin on CPU 1 reported nothing");
        assert!(heard.still[1].starts_with("load spin on CPU 1 made no progress"), "{:?}", heard.still);
    }

    // In a phase of several loads a stalled one is only a warning; as the only load it invalidates the phase.
    #[test]
    fn a_stalled_load_is_dropped_from_a_phase_of_several_and_spoils_one_of_its_own() {
        let stalled = |phase: &str, progress: &[&str]| {
            let mut heard = LoadsHeard::default();
            heard.take(&PlacedLoad::plain("disk", 1), phase, LoadHeard::default(), Instant::now());
            let of = |name: &&str| LoadProgress {
                name: name.to_string(),
                unit: "turns".into(),
                phase: phase.into(),
                done: 1,
                per_second: vec![1.0],
                each_s: 1,
            };
            heard.progress.extend(progress.iter().map(of));
            heard.settle(phase);
            (heard.still.len(), heard.warnings.iter().filter(|warning| warning.kind == "load-stalled").count())
        };
        assert_eq!(stalled(ALL, &["spin"]), (0, 1));
        assert_eq!(stalled("disk+spin", &["spin"]), (0, 1));
        assert_eq!(stalled("disk", &[]), (1, 0));
        assert_eq!(stalled("disk+spin", &[]), (1, 0), "nothing loaded the phase");
    }

    // A load with these reports (milliseconds since its start, units done), of which the first `before` came before the phase
    // began.
    fn heard(reports: &[(u64, u64)], before: usize) -> LoadsHeard {
        let report = |(at, done): &(u64, u64)| Progress { load: 0, at: *at, done: *done };
        let mut pacing = Pacing::begin(ClockRate::new(1_000).unwrap(), &report(&reports[0]));
        let mut said = LoadHeard {
            head: Some(LoadHead { load: 0, name: "disk".into(), unit: "MiB".into() }),
            ..LoadHeard::default()
        };
        let began = Instant::now();
        for (number, told) in reports.iter().enumerate() {
            if number > 0 {
                pacing.report(&report(told));
            }
            said.pacing = Some((pacing.clone(), began));
            if number + 1 == before {
                said.begin_phase();
            }
        }
        let mut heard = LoadsHeard::default();
        let lasted = Duration::from_millis(reports.last().map_or(0, |(at, _)| *at));
        heard.take(&PlacedLoad::plain("disk", 1), "disk", said, began + lasted);
        heard
    }

    #[test]
    fn a_load_without_room_costs_its_name_and_not_the_phase() {
        let missing = |cpu| Missing { placed: PlacedLoad::plain("disk", cpu), why: "the disk is full".into() };
        let lacking = |progress: Vec<LoadProgress>, phase: &str| {
            let mut heard = LoadsHeard { progress, ..LoadsHeard::default() };
            heard.lacks(&missing(1), phase);
            (heard.warnings.into_iter().map(|warning| warning.text).collect::<Vec<_>>(), heard.still)
        };
        let said = vec!["load disk was missing on CPU 1: the disk is full".to_string()];
        let other = heard(&[(0, 1), (1_000, 2)], 1).progress;
        assert_eq!(lacking(other.clone(), "disk"), (said.clone(), vec![]), "it ran on another processor");
        assert_eq!(lacking(vec![], ALL), (said.clone(), vec![]));
        assert_eq!(lacking(vec![], "disk+spin"), (vec![], said), "what was named did not run");
    }

    #[test]
    fn a_load_that_waits_for_its_device_is_alive_and_says_how_long_it_waited() {
        let waited = heard(&[(0, 1), (9_000, 2), (10_000, 3)], 1);
        assert!(waited.still.is_empty(), "{:?}", waited.still);
        assert_eq!(waited.warnings[0].text, "load disk on CPU 1 waited 9.0 s without finishing a unit");
        let steady = heard(&[(0, 1), (1_000, 2), (2_000, 3)], 1);
        assert!(steady.still.is_empty() && steady.warnings.is_empty(), "{steady:?}");
    }

    #[test]
    fn a_load_that_did_nothing_in_the_whole_phase_spoils_it_whatever_it_did_before() {
        let nothing = heard(&[(0, 1), (1_000, 40), (2_000, 40), (9_000, 40)], 2);
        assert_eq!(nothing.still.len(), 1, "{nothing:?}");
        assert!(nothing.still[0].contains("made no progress in the whole phase: "), "{}", nothing.still[0]);
        let short = heard(&[(0, 1), (1_000, 40), (2_000, 40)], 2);
        assert!(short.still.is_empty(), "too short to tell: {short:?}");
    }
}
