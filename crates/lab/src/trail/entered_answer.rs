// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays an answer of a run: the same guest continues from its saved state, or boots, up to that answer, and records a trail of
//! its instructions. The edges up to there must equal the run's byte for byte, so another build of the guest or of backwall is
//! refused.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::answer::{Answer, NoAnswer, Which, find};
use super::names;
use crate::bench::{self, BenchFault, BenchRun, Settings};
use crate::emulator::Emulator;
use crate::instrument::TRAIL;
use crate::result::judge;
use crate::scenario::Scenario;
use crate::settings::Window;
use crate::shipped;
use backwall_capture::recording::{self, BadRecording, RecordingEnd};
use backwall_capture::tick::Tick;
use backwall_capture::trail::Names;
use backwall_capture::trail::hops::{LineHop, hops};
use backwall_capture::trail::recorded::{self, BadTrail, Trail};
use backwall_capture::trail::visits::{Visit, visits};
use backwall_model::{Extension, Lab, Run};
use backwall_os::refusal::{Refusal, unable, usage};
use backwall_os::regular_file;
use backwall_store::EDGES_FILE;
use std::path::Path;

/// Bytes of the records at the end of a recording (`lab/instrument/FORMAT.md`).
const FOOTER_BYTES: usize = 4 * 16;

const MOST_EDGE_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub struct Subject {
    pub scenario: Scenario,
    pub seed: u64,
    pub edges: Vec<u8>,
}

#[derive(Debug)]
pub struct EnteredAnswer {
    pub answer: Answer,
    pub guest: String,
    pub restored: bool,
    /// Bytes of edges up to the answer; all are as in the run.
    pub edges: u64,
    /// Number of instruction blocks that began between stimulus and answer.
    pub blocks: u64,
    /// The registers at the stimulus and at the answer, numbered as a debugger numbers them.
    pub registers: [Vec<u64>; 2],
    pub trail: Vec<u8>,
}

#[derive(Debug)]
pub struct Explained {
    pub entered: EnteredAnswer,
    pub visits: Vec<Visit>,
    /// The lines that answered the stimulus, up to this answer. Each is one hop, and the hops sum to the latency of
    /// this answer.
    pub hops: Vec<LineHop>,
}

#[derive(Debug, thiserror::Error)]
pub enum BadEntry {
    #[error("not a scenario of the lab; expected the folder of a `lab run` or the name of a scenario")]
    NotLab,
    #[error("cannot read the run's scenario: {0}")]
    Scenario(String),
    #[error("{name}: {source}")]
    File { name: &'static str, source: std::io::Error },
    #[error("{EDGES_FILE}: {0}; expected the complete folder of a `lab run`")]
    NoEdges(std::io::Error),
    /// The file was copied in part, or its run was killed.
    #[error("{EDGES_FILE}: truncated at byte {0}; copy it again, or repeat the run")]
    CutShort(usize),
    #[error(transparent)]
    Recording(#[from] BadRecording),
    #[error(transparent)]
    Answer(#[from] NoAnswer),
    #[error(transparent)]
    Bench(#[from] BenchFault),
    #[error(
        "the guest diverged before instruction {0}: the run used another build of the guest, QEMU or backwall; repeat \
            the run"
    )]
    Differs(u64),
    #[error(transparent)]
    Trail(#[from] BadTrail),
}

impl BadEntry {
    pub fn refusal(self, name: &str) -> Refusal {
        match self {
            BadEntry::Bench(fault) => fault.refusal(name),
            BadEntry::Differs(_) | BadEntry::Trail(_) => unable(format!("lab: {name}: {self}")),
            _ => usage(format!("lab: {name}: {self}")),
        }
    }
}

impl Subject {
    /// A run that is stored in `folder`.
    ///
    /// # Errors
    /// If it is not a run of the lab, or its edges are missing.
    pub fn of_run(run: &Run, folder: &Path) -> Result<Subject, BadEntry> {
        let Extension::Lab(Lab { scenario }) = &run.plan.extension else { return Err(BadEntry::NotLab) };
        let scenario = Scenario::of_plan(scenario).map_err(|error| BadEntry::Scenario(error.to_string()))?;
        let edges = regular_file::read(&folder.join(EDGES_FILE), MOST_EDGE_BYTES).map_err(BadEntry::NoEdges)?;
        if recording::read(edges.as_slice())?.ended == RecordingEnd::Truncated {
            return Err(BadEntry::CutShort(edges.len()));
        }
        Ok(Subject { scenario, seed: run.plan.seed, edges })
    }

    pub fn of_scenario(scenario: Scenario, emulator: &Emulator, settings: &Settings) -> Result<Subject, BadEntry> {
        let run = bench::run(&scenario, emulator, settings)?.whole()?;
        let edges = std::fs::read(run.edges_path()).map_err(|source| BadEntry::File { name: EDGES_FILE, source })?;
        Ok(Subject { scenario, seed: settings.seed, edges })
    }

    /// The run in the folder with this name, or else a new run of the scenario with this name; and the run's emulator.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn named(name: &str, settings: &Settings) -> backwall_os::refusal::Result<(Subject, Emulator)> {
        let emulator = |machine| Emulator::find(machine).map_err(|fault| unable(fault.to_string()));
        let place = Path::new(name);
        if place.is_dir() || place.extension().is_some_and(|ending| ending == "json") {
            let folder = if place.is_dir() { place } else { place.parent().unwrap_or(place) };
            let subject = Self::of_run(&backwall_store::read(place)?, folder).map_err(|fault| fault.refusal(name))?;
            let emulator = emulator(subject.scenario.machine)?;
            return Ok((subject, emulator));
        }
        let scenario = shipped::find_only(name).map_err(|error| usage(error.to_string()))?;
        let emulator = emulator(scenario.machine)?;
        let settings = Settings { modes: true, ..settings.clone() };
        let subject = Self::of_scenario(scenario, &emulator, &settings).map_err(|fault| fault.refusal(name))?;
        Ok((subject, emulator))
    }

    pub fn find(&self, line: Option<&str>, which: Which) -> Result<Answer, BadEntry> {
        let mut recording = recording::read(self.edges.as_slice())?;
        Ok(find(&judge(&self.scenario, &mut recording.edges), line, which)?)
    }

    /// Replays the guest up to that answer and records its trail from the stimulus on.
    ///
    /// # Errors
    /// If the guest does not reach the answer, or its edges differ.
    pub fn enter(&self, answer: Answer, emulator: &Emulator, settings: &Settings) -> Result<EnteredAnswer, BadEntry> {
        let bench = self.again(&answer, emulator, settings)?;
        Ok(entered(answer, &bench)?.0)
    }

    /// Does the same as [`Subject::enter`], and also finds the functions on the path. A Linux kernel may have to boot
    /// once more to print their names.
    ///
    /// # Errors
    /// If the guest does not reach the answer, its edges differ, or it does not print the names.
    pub fn explain(&self, answer: Answer, emulator: &Emulator, settings: &Settings) -> Result<Explained, BadEntry> {
        let bench = self.again(&answer, emulator, settings)?;
        let (entered, trail) = entered(answer, &bench)?;
        let (names, from) = (self.names(&bench, emulator, settings)?, Tick(entered.answer.from));
        let hops = hops(&trail, &names, from, self.lines_of(&entered.answer)?);
        Ok(Explained { visits: visits(&trail, &names, from), hops, entered })
    }

    /// Each line that answered the same stimulus at or before this answer, with its latency.
    fn lines_of(&self, answer: &Answer) -> Result<Vec<(String, u64)>, BadEntry> {
        let mut recording = recording::read(self.edges.as_slice())?;
        let judged = judge(&self.scenario, &mut recording.edges);
        let names = judged.iter().flat_map(|judged| &judged.answered).map(|line| line.series.key.name.as_str());
        let answers = names.filter_map(|name| find(&judged, Some(name), Which::Number(answer.number)).ok());
        let same = answers.filter(|other| other.from == answer.from && other.to <= answer.to);
        Ok(same.map(|other| (other.line.clone(), other.latency())).collect())
    }

    /// Replays the guest up to the stimulus and stops there, for a debugger on the socket in the settings. Returns when the run
    /// is over.
    ///
    /// # Errors
    /// If the guest does not reach the stimulus.
    pub fn debug(&self, answer: &Answer, emulator: &Emulator, settings: &Settings) -> Result<(), BadEntry> {
        let settings = self.settings(answer, settings)?;
        bench::record(&self.scenario, emulator, &settings)?;
        Ok(())
    }

    fn names(&self, bench: &BenchRun, emulator: &Emulator, settings: &Settings) -> Result<Names, BadEntry> {
        Ok(names::of(bench, &self.scenario, emulator, settings)?)
    }

    fn again(&self, answer: &Answer, emulator: &Emulator, settings: &Settings) -> Result<BenchRun, BadEntry> {
        let settings = self.settings(answer, settings)?;
        let bench = bench::record(&self.scenario, emulator, &settings)?.whole()?;
        let now = std::fs::read(bench.edges_path()).map_err(|source| BadEntry::File { name: EDGES_FILE, source })?;
        let told = &now[..now.len().saturating_sub(FOOTER_BYTES)];
        let reached = bench.recording.edges.end_at == Tick(answer.to);
        if reached && self.edges.starts_with(told) { Ok(bench) } else { Err(BadEntry::Differs(answer.to)) }
    }

    fn settings(&self, answer: &Answer, usual: &Settings) -> Result<Settings, BadEntry> {
        let before = recording::read(self.edges.as_slice())?;
        Ok(Settings {
            seed: self.seed,
            addresses: before.interrupted.iter().any(|pulses| !pulses.is_empty()),
            modes: !before.modes.0.is_empty(),
            window: Some(Window { from: answer.from, to: answer.to }),
            ..usual.clone()
        })
    }
}

fn entered(answer: Answer, bench: &BenchRun) -> Result<(EnteredAnswer, Trail), BadEntry> {
    let bytes = std::fs::read(bench.trail_path()).map_err(|source| BadEntry::File { name: TRAIL, source })?;
    let trail = recorded::read(&bytes)?;
    let entered = EnteredAnswer {
        edges: size(&bench.edges_path()) - FOOTER_BYTES as u64,
        blocks: trail.begun.len() as u64,
        registers: trail.registers.clone(),
        guest: bench.description().to_string(),
        restored: bench.restored,
        trail: bytes,
        answer,
    };
    Ok((entered, trail))
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}
