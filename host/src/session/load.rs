// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loads of a phase: started, proved alive, ended, and how far they came.
use super::Stop;
use super::child::Child;
use super::pace::{Pace, STILL};
use crate::exit::unable;
use crate::probe::Probe;
use crate::run::LoadProgress;
use crate::units::ClockRate;
use crate::wire::{LoadHead, Progress, Reader, Record, Severity};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A load that has not said anything for so long is reported as not alive.
pub(super) const ALIVE_WITHIN: Duration = Duration::from_secs(5);

/// One load to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its processor.
    pub cpu: u32,
    /// Its real-time priority, where it is not ordinary work.
    pub priority: Option<u32>,
}

/// All loads of a phase, running.
#[derive(Debug)]
pub struct Loads {
    running: Vec<Running>,
}

#[derive(Debug)]
struct Running {
    placed: Placed,
    alive: Arc<AtomicBool>,
    child: Child<LoadHeard>,
}

/// What one load said.
#[derive(Debug, Default)]
struct LoadHeard {
    rate: Option<ClockRate>,
    head: Option<LoadHead>,
    progress: Vec<Progress>,
    /// When its first report came.
    began: Option<Instant>,
    warnings: Vec<String>,
}

/// How far the loads of a phase came, and what is to be said about them.
#[derive(Debug, Default)]
pub struct LoadsHeard {
    /// One per name, over all processors.
    pub progress: Vec<LoadProgress>,
    /// What loads complained of.
    pub warnings: Vec<String>,
    /// Which loads stood still: what was measured meanwhile was not under load.
    pub still: Vec<String>,
    /// Which load was not there for the whole phase; one line.
    pub failure: Option<String>,
}

impl Loads {
    /// Starts every load; threads that listen keep off `measured`.
    pub fn start(probe: &Probe, loads: &[Placed], measured: &[u32], best_effort: bool) -> anyhow::Result<Self> {
        let mut running = Vec::new();
        for placed in loads {
            let alive = Arc::new(AtomicBool::new(false));
            let shown = alive.clone();
            let arguments = arguments(placed, best_effort);
            let child = Child::start(probe, &arguments, measured, move |stream| listen(stream, &shown))?;
            running.push(Running { placed: placed.clone(), alive, child });
        }
        Ok(Self { running })
    }

    /// Waits until each load has shown progress; one that refuses ends the phase.
    pub fn prove_alive(&mut self, stop: &Stop) -> anyhow::Result<()> {
        let start = Instant::now();
        while self.running.iter().any(|load| !load.alive.load(Ordering::Relaxed)) {
            if stop.asked() || start.elapsed() > ALIVE_WITHIN {
                return Ok(());
            }
            if let Some(index) = self.running.iter_mut().position(|load| load.child.wait(Duration::ZERO)) {
                let Running { placed, child, .. } = self.running.swap_remove(index);
                let (_, status, complaint) = child.finish();
                let why = if complaint.is_empty() { status.to_string() } else { complaint };
                return Err(unable(format!("load {} on CPU {}: {why}", placed.name, placed.cpu)));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Ends all loads; `phase` is the load's name as it was asked for.
    pub fn finish(mut self, phase: &str) -> LoadsHeard {
        let ended_early: Vec<bool> = self.running.iter_mut().map(|load| load.child.wait(Duration::ZERO)).collect();
        self.running.iter_mut().for_each(|load| load.child.stop());
        let stopped = Instant::now();
        let mut heard = LoadsHeard::default();
        for (load, early) in self.running.into_iter().zip(ended_early) {
            let (said, status, complaint) = load.child.finish();
            heard.take(&load.placed, phase, said.unwrap_or_default(), stopped);
            if early {
                let why = if complaint.is_empty() { status.to_string() } else { complaint };
                heard.failure =
                    Some(format!("load {} on CPU {} ended early: {why}", load.placed.name, load.placed.cpu));
            }
        }
        heard
    }
}

impl LoadsHeard {
    /// What one load said until it was told to stop.
    fn take(&mut self, placed: &Placed, phase: &str, said: LoadHeard, stopped: Instant) {
        let Placed { name, cpu, .. } = placed;
        self.warnings.extend(said.warnings.iter().map(|text| format!("load {name}: {text}")));
        let (Some(rate), Some(head), Some(began)) = (said.rate, said.head, said.began) else {
            return self.still.push(format!("load {name} said nothing on CPU {cpu}"));
        };
        let done = said.progress.last().map_or(0, |last| last.done);
        let Pace { per_second, longest_still } =
            Pace::of(rate, &said.progress, stopped.saturating_duration_since(began));
        if done == 0 {
            self.still.push(format!("load {name} made no progress on CPU {cpu}"));
        } else if longest_still >= STILL {
            self.still.push(format!("load {name} on CPU {cpu} stood still for {:.1} s", longest_still.as_secs_f64()));
        }
        match self.progress.iter_mut().find(|known| known.name == head.name) {
            Some(known) => add(known, done, &per_second),
            None => self.progress.push(LoadProgress {
                name: head.name,
                unit: head.unit,
                phase: phase.to_string(),
                done,
                per_second,
            }),
        }
    }
}

/// Adds another process of the same load. A second counts only where both have reported: half a load is no dip.
fn add(known: &mut LoadProgress, done: u64, per_second: &[f64]) {
    known.done += done;
    known.per_second.truncate(per_second.len());
    known.per_second.iter_mut().zip(per_second).for_each(|(sum, rate)| *sum += rate);
}

fn arguments(placed: &Placed, best_effort: bool) -> Vec<String> {
    let mut arguments: Vec<String> = ["load", &placed.name, "--cpu"].map(str::to_string).to_vec();
    arguments.push(placed.cpu.to_string());
    arguments.extend(placed.priority.into_iter().flat_map(|priority| ["--priority".to_string(), priority.to_string()]));
    arguments.extend(best_effort.then(|| "--best-effort".to_string()));
    arguments
}

fn listen(stream: impl Read, alive: &AtomicBool) -> LoadHeard {
    let mut heard = LoadHeard::default();
    let mut reader = Reader::new(stream);
    loop {
        match reader.read() {
            Ok(Some(Record::Hello(hello))) => heard.rate = Some(hello.rate),
            Ok(Some(Record::Load(head))) => heard.head = Some(head),
            Ok(Some(Record::Note { severity, text })) if severity != Severity::Info => {
                heard.warnings.push(text.to_string());
            }
            Ok(Some(Record::Progress(progress))) => {
                alive.store(progress.done > 0, Ordering::Relaxed);
                heard.began.get_or_insert_with(Instant::now);
                heard.progress.push(progress);
            }
            Ok(Some(_)) => {}
            Ok(None) => return heard,
            Err(error) => {
                heard.warnings.push(error.to_string());
                return heard;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_said_nothing_or_did_nothing_is_no_load() {
        let placed = Placed { name: "spin".into(), cpu: 1, priority: None };
        let mut heard = LoadsHeard::default();
        heard.take(&placed, "spin", LoadHeard::default(), Instant::now());
        let idle = LoadHeard {
            rate: ClockRate::new(1_000),
            head: Some(LoadHead { load: 0, name: "spin".into(), unit: "turns".into() }),
            progress: vec![Progress { load: 0, at: 0, done: 0 }],
            began: Some(Instant::now()),
            ..LoadHeard::default()
        };
        heard.take(&placed, "spin", idle, Instant::now());
        assert_eq!(heard.still, ["load spin said nothing on CPU 1", "load spin made no progress on CPU 1"]);
    }

    #[test]
    fn the_same_load_on_two_processors_is_one_sum() {
        let mut known = LoadProgress {
            name: "spin".into(),
            unit: "turns".into(),
            phase: "all".into(),
            done: 5,
            per_second: vec![1.0],
        };
        add(&mut known, 7, &[2.0, 3.0]);
        assert_eq!(
            (known.done, known.per_second),
            (12, vec![3.0]),
            "a second that only one of them reported is left out"
        );
    }
}
