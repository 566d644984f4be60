// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of the instruments, and the search for the highest frequency that each line answers.
use crate::bench::{Bench, BurstResult, Pair};
use crate::generator::{Generator, Pulse};
use crate::link::{Address, Fault};
use crate::oscilloscope::{CHANNELS, Oscilloscope};
use crate::pico::Pico;
use backwall_capture::answered_rate::AnsweredRate;
use backwall_capture::capture::Capture;
use backwall_capture::edges::{Edges, Line};
use backwall_capture::request::RequestedLines;
use backwall_capture::saturation::{Goal, GoalResult as Sought, Holds, Search, SearchRule, Trial};
use backwall_capture::stamps;
use backwall_capture::tick::{Tick, TickRate};
use backwall_capture::wiring::Answered;
use backwall_model::units::{ClockRate, grouped};
use backwall_model::{Origin, Warning};
use backwall_os::Stop;
use std::path::PathBuf;

/// Duty cycle of a pulse in percent, and the voltage of the high level.
pub const PULSE: Pulse = Pulse { duty: 20, volts: 3.3 };
const NARROWNESS: u64 = 32;
const TRIALS_MAX: usize = 60;
const LONGEST: u64 = 1_000;
#[derive(Debug)]
pub enum Means<'a> {
    Pair { generator: &'a Address, scope: &'a Address },
    Pico(&'a PathBuf),
}

#[derive(Debug)]
pub struct Instruments<'a> {
    pub means: Means<'a>,
    pub trial: Trial,
    pub rate: ClockRate,
    pub shortest: Tick,
    pub longest: Tick,
}

pub fn capture_of(seen: BurstResult, nothing: Capture) -> Capture {
    let BurstResult { edges, interrupted, lost } = seen;
    let told = |lost| {
        format!(
            "edges that did not fit into the Pico's buffer: {}; stimuli sent while edges were lost do not count as due",
            grouped(lost)
        )
    };
    let warnings = (lost > 0).then(|| Warning::new("edges-lost", told(lost))).into_iter().collect();
    Capture { edges, interrupted, warnings, ..nothing }
}

pub fn judged(found: &RequestedLines, edges: &Edges) -> Vec<Answered> {
    found.wiring().judge(edges).expect("its lines are those that were asked for")
}

#[derive(Debug, Default)]
pub struct SearchResult {
    /// For each response, the highest frequency that it answers; `None` if the search found none.
    pub borne: Vec<Option<AnsweredRate>>,
    pub trials: usize,
    pub ended_by: Option<Fault>,
}

impl Instruments<'_> {
    pub fn nothing(&self) -> Capture {
        let lines = match self.means {
            Means::Pair { .. } => CHANNELS.map(Line::new).to_vec(),
            Means::Pico(_) => stamps::LINES.map(Line::new).to_vec(),
        };
        let edges = Edges { rate: TickRate::Clock(self.rate), lines, end_at: Tick(0), gaps: Vec::new() };
        Capture { edges, origin: Origin::Measured, interrupted: false, warnings: Vec::new() }
    }

    /// Connects to the instruments. An oscilloscope's line is high above `threshold` volts.
    ///
    /// # Errors
    /// If an instrument does not answer as expected.
    pub fn open(&self, threshold: Option<f64>, found: &RequestedLines, stop: &Stop) -> Result<Bench, Fault> {
        match self.means {
            Means::Pair { generator, scope } => open_pair(generator, scope, threshold, found, stop),
            Means::Pico(path) => Pico::open(path, stop).map(Bench::Pico),
        }
    }

    pub fn search(&self, bench: &mut Bench, found: &RequestedLines, say: &dyn Fn(&str)) -> SearchResult {
        let first = self.trial;
        let longest = Tick(first.period.0.saturating_mul(LONGEST)).min(self.longest);
        let rule = SearchRule {
            start: first.period,
            shortest: self.shortest,
            longest,
            pulses: first.pulses,
            narrowness: NARROWNESS,
            budget: TRIALS_MAX,
            progress: None,
        };
        let (wiring, rate) = (found.wiring(), TickRate::Clock(self.rate));
        let lines = wiring.responses.len();
        let goals = wiring.responses.iter().map(|one| Goal { name: one.name.clone(), holds: Holds::NothingLost });
        let mut search = Search::new(rule, goals.collect());
        let mut ended_by = None;
        while let Some(trial) = search.next().into_iter().next() {
            say(&format!("period {}", rate.shown(trial.period)));
            match bench.trial(trial.period, trial.pulses, PULSE.duty, wiring.stimulus) {
                Ok(edges) => search.observe(trial, &lost(&judged(found, &edges))),
                Err(error) => {
                    ended_by = Some(error);
                    break;
                }
            }
        }
        SearchResult {
            borne: (0..lines).map(|goal| borne(search.found(goal), longest)).collect(),
            trials: search.tried().count(),
            ended_by,
        }
    }
}

fn lost(answered: &[Answered]) -> Vec<u64> {
    answered.iter().map(|line| line.pairing.nearest.counts.lost).collect()
}

fn borne(found: Sought, longest: Tick) -> Option<AnsweredRate> {
    match found {
        Sought::At { period, fails_at } => {
            Some(AnsweredRate { period: Some(period), fails_at: Some(fails_at), longest })
        }
        Sought::Everywhere(period) => Some(AnsweredRate { period: Some(period), fails_at: None, longest }),
        Sought::Nowhere(fails) => Some(AnsweredRate { period: None, fails_at: Some(fails), longest: fails }),
        Sought::Unfinished => None,
    }
}

fn open_pair(
    generator: &Address,
    scope: &Address,
    threshold: Option<f64>,
    found: &RequestedLines,
    stop: &Stop,
) -> Result<Bench, Fault> {
    let threshold = threshold.unwrap_or(PULSE.volts / 2.0);
    let wiring = found.wiring();
    let scope = Oscilloscope::open(scope, wiring.stimulus, threshold, stop)?;
    let generator = Generator::open(generator, PULSE, stop)?;
    let mut channels = vec![wiring.stimulus.to_string()];
    for watched in wiring.responses {
        if !channels.contains(&watched.line) {
            channels.push(watched.line.clone());
        }
    }
    Ok(Bench::Pair(Pair { generator, scope, channels, threshold }))
}
