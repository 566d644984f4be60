// SPDX-License-Identifier: MIT OR Apache-2.0
//! `lab saturate`: the search of [`crate::scope::saturation`], each of whose trials is one boot of the guest.
use super::bench::{self, BenchFault, BenchRun, Settings};
use super::emulator::Emulator;
use super::result::judge;
use super::scenario::{Generators, Scenario};
use crate::connector::{A, PORTS, PROGRESS};
use crate::run::NO_LOAD;
use crate::run::picture::Sought;
use crate::scope::edges::{Edges, Line};
use crate::scope::saturation::{Found, Goal, Holds, Search, SearchRule, Trial};
use crate::scope::tick::Tick;

/// From arming to the first pulse of a trial, at least: the guest's threads are waiting by then.
const SETTLE_INSTRUCTIONS: u64 = 1_000_000;

/// What was found.
pub struct Saturation {
    /// How it was searched, for the reader.
    pub rule: String,
    /// Distance of the load's progress edges with nothing else going on, where there is a load.
    pub undisturbed: Option<Tick>,
    /// Each goal with what was found, and the periods that contradict it.
    pub goals: Vec<(Goal, Found, Vec<Tick>)>,
    /// Each period that was tried, shortest first: for each goal the lost pulses, for SF the progress edges.
    pub tried: Vec<(Tick, Vec<u64>)>,
    /// The run at the scenario's own period.
    pub first: BenchRun,
}

/// Is given each trial and its figures as it ends.
pub type Hear<'a> = dyn Fn(Trial, &[Goal], &[u64]) + Sync + 'a;

/// Searches for every goal of a scenario at once; `hear` is given each trial as it ends.
pub fn search(
    scenario: &Scenario,
    emulator: &Emulator,
    settings: &Settings,
    hear: &Hear,
) -> Result<Saturation, BenchFault> {
    let start = scenario.generator.used().map(|(_, generator)| generator.period).next().unwrap_or_default();
    let at_start = Trial { period: Tick(start), pulses: scenario.saturate.pulses };
    let mut first = bench::record(&tried_at(scenario, at_start), emulator, settings)?;
    let undisturbed = if scenario.load == NO_LOAD { None } else { undisturbed(&first.recording.edges) };
    let goals = goals(scenario, &mut first);
    let mut search = Search::new(rule(scenario, start, undisturbed), goals.clone());
    while let Some(trial) = search.next() {
        let mut run = bench::record(&tried_at(scenario, trial), emulator, settings)?;
        let figures = figures(scenario, &mut run);
        hear(trial, &goals, &figures);
        search.observe(trial, &figures);
    }
    let found = |(index, goal)| (goal, search.found(index), search.out_of_order(index));
    Ok(Saturation {
        rule: search.rule(),
        undisturbed,
        goals: goals.into_iter().enumerate().map(found).collect(),
        tried: search.tried().map(|(period, figures)| (period, figures.to_vec())).collect(),
        first,
    })
}

fn rule(scenario: &Scenario, start: u64, undisturbed: Option<Tick>) -> SearchRule {
    let wanted = scenario.saturate;
    SearchRule {
        start: Tick(start),
        shortest: Tick(wanted.shortest),
        longest: Tick(wanted.longest),
        pulses: wanted.pulses,
        narrowness: wanted.narrowness,
        budget: wanted.budget,
        progress: undisturbed,
    }
}

/// The scenario at another frequency: without warm-up, because a lost pulse counts wherever it is.
fn tried_at(scenario: &Scenario, trial: Trial) -> Scenario {
    let mut generators = Generators::default();
    for (letter, generator) in scenario.generator.used() {
        let mut generator = generator.clone();
        generator.period = trial.period.0;
        generator.count = trial.pulses;
        generator.warmup = 0;
        generator.delay = Some(trial.period.0.max(SETTLE_INSTRUCTIONS));
        let slot = if letter == 'a' { &mut generators.a } else { &mut generators.b };
        *slot = Some(generator);
    }
    Scenario { generator: generators, ..scenario.clone() }
}

/// One goal for each response line, and one for the load.
fn goals(scenario: &Scenario, run: &mut BenchRun) -> Vec<Goal> {
    let lines = judge(scenario, &mut run.recording.edges);
    let names = lines.iter().flat_map(|judged| &judged.answered).map(|line| Sought::name_of(&line.series.key.name));
    let mut goals: Vec<Goal> = names.map(|name| Goal { name, holds: Holds::NothingLost }).collect();
    if scenario.load != NO_LOAD {
        goals.push(Goal { name: Sought::SF.to_string(), holds: Holds::Moves });
    }
    goals
}

/// One figure for each goal, in the same order.
fn figures(scenario: &Scenario, run: &mut BenchRun) -> Vec<u64> {
    let edges = &mut run.recording.edges;
    let judged = judge(scenario, edges);
    let mut figures: Vec<u64> =
        judged.iter().flat_map(|judged| &judged.answered).map(|line| line.series.known_lost()).collect();
    if scenario.load != NO_LOAD {
        figures.push(progress_under_pulses(edges));
    }
    figures
}

fn stimuli(edges: &Edges) -> impl Iterator<Item = &Line> {
    PORTS.iter().filter_map(|port| edges.line(port.stimulus))
}

/// Progress edges between the first and the last pulse.
fn progress_under_pulses(edges: &Edges) -> u64 {
    let first = stimuli(edges).filter_map(|line| line.rises().next()).min().unwrap_or(Tick::MAX);
    let last = stimuli(edges).filter_map(|line| line.rises().last()).max().unwrap_or_default();
    let within = |line: &Line| line.edges.iter().filter(|edge| (first..=last).contains(&edge.at())).count();
    edges.line(A.lines[PROGRESS]).map_or(0, within) as u64
}

/// The mean distance of progress edges before the first pulse; the load's first edge starts the count.
fn undisturbed(edges: &Edges) -> Option<Tick> {
    let first_pulse = stimuli(edges).filter_map(|line| line.rises().next()).min()?;
    let armed = PORTS.iter().find_map(|port| edges.line(port.armed))?.rises().next()?;
    let progress = edges.line(A.lines[PROGRESS])?;
    let before: Vec<Tick> =
        progress.edges.iter().map(|edge| edge.at()).filter(|at| (armed..first_pulse).contains(at)).collect();
    let (first, last) = (before.first()?, before.last()?);
    let steps = before.len() as u64 - 1;
    (steps > 0).then(|| Tick(last.since(*first).0.div_ceil(steps)))
}
