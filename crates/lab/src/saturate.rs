// SPDX-License-Identifier: MIT OR Apache-2.0
//! `lab saturate`: runs the search of [`backwall_capture::saturation`]. Each trial is a run of the guest, from its saved state if
//! available.
use super::bench::{self, BenchFault, BenchRun, Settings};
use super::emulator::Emulator;
use super::result::judge;
use super::scenario::{Generators, Scenario};
use backwall_capture::connector::{A, PORTS, PROGRESS};
use backwall_capture::edges::{Edges, Line};
use backwall_capture::saturation::{Band, Goal, GoalResult, Holds, Search, SearchRule, Trial};
use backwall_capture::tick::Tick;
use backwall_model::NO_LOAD;
use backwall_model::picture::Sought;
use backwall_os::parallel;

/// Minimum time from arming the port to the first pulse of a trial, so that the guest's threads are waiting by then.
const SETTLE_INSTRUCTIONS: u64 = 1_000_000;

pub struct Saturation {
    pub rule: String,
    pub undisturbed: Option<Tick>,
    pub goals: Vec<Settled>,
    /// Each period that was tried, shortest first, with the result for each goal: lost pulses, or for SF progress edges.
    pub tried: Vec<(Tick, Vec<u64>)>,
    pub first: BenchRun,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub goal: Goal,
    pub found: GoalResult,
    pub out_of_order: Vec<Tick>,
    pub bands: Vec<Band>,
}

pub type Hear<'a> = dyn Fn(Trial, &[Goal], &[u64]) + Sync + 'a;

struct Bench<'a> {
    scenario: &'a Scenario,
    emulator: &'a Emulator,
    settings: &'a Settings,
    goals: Vec<Goal>,
    hear: &'a Hear<'a>,
}

/// Searches for every goal of a scenario at once, with up to `jobs` parallel trials. Calls `hear` when a trial ends.
pub fn search(
    scenario: &Scenario,
    emulator: &Emulator,
    settings: &Settings,
    jobs: usize,
    hear: &Hear,
) -> Result<Saturation, BenchFault> {
    let start = scenario.generator.used().map(|(_, generator)| generator.period).next().unwrap_or_default();
    let at_start = Trial { period: Tick(start), pulses: scenario.saturate.pulses };
    let mut first = bench::record(&tried_at(scenario, at_start), emulator, settings)?.whole()?;
    let undisturbed = if scenario.load == NO_LOAD { None } else { undisturbed(&first.recording.edges) };
    let bench = Bench { scenario, emulator, settings, goals: goals(scenario, &mut first), hear };
    let mut search = Search::new(rule(scenario, start, undisturbed), bench.goals.clone());
    if search.next() == [at_start] {
        search.observe(at_start, &bench.heard(at_start, &mut first));
    }
    loop {
        let trials = search.next();
        if trials.is_empty() {
            break;
        }
        let figures = parallel::map(&trials, jobs, |trial| bench.figures_at(*trial));
        for (trial, figures) in trials.into_iter().zip(figures) {
            search.observe(trial, &figures?);
        }
    }
    Ok(Saturation {
        rule: search.rule(),
        undisturbed,
        goals: bench.goals.into_iter().enumerate().map(|(index, goal)| settled(&search, index, goal)).collect(),
        tried: search.tried().map(|(period, figures)| (period, figures.to_vec())).collect(),
        first,
    })
}

fn settled(search: &Search, index: usize, goal: Goal) -> Settled {
    let (found, out_of_order, bands) = (search.found(index), search.out_of_order(index), search.bands(index));
    Settled { goal, found, out_of_order, bands }
}

impl Bench<'_> {
    fn figures_at(&self, trial: Trial) -> Result<Vec<u64>, BenchFault> {
        let mut run = bench::record(&tried_at(self.scenario, trial), self.emulator, self.settings)?.whole()?;
        Ok(self.heard(trial, &mut run))
    }

    fn heard(&self, trial: Trial, run: &mut BenchRun) -> Vec<u64> {
        let figures = figures(self.scenario, run);
        (self.hear)(trial, &self.goals, &figures);
        figures
    }
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

/// The scenario with another period. It has no warmup, because a lost pulse counts wherever it occurs.
fn tried_at(scenario: &Scenario, trial: Trial) -> Scenario {
    let mut generators = Generators::default();
    for (letter, generator) in scenario.generator.used() {
        let mut generator = generator.clone();
        generator.period = trial.period.0;
        generator.count = trial.pulses;
        generator.warmup = 0;
        generator.step = Some(0); // the distance of a trial's pulses is constant
        generator.delay = Some(trial.period.0.max(SETTLE_INSTRUCTIONS));
        let slot = if letter == 'a' { &mut generators.a } else { &mut generators.b };
        *slot = Some(generator);
    }
    Scenario { generator: generators, ..scenario.clone() }
}

fn goals(scenario: &Scenario, run: &mut BenchRun) -> Vec<Goal> {
    let lines = judge(scenario, &mut run.recording.edges);
    let names = lines.iter().flat_map(|judged| &judged.answered).map(|line| Sought::name_of(&line.series.key.name));
    let mut goals: Vec<Goal> = names.map(|name| Goal { name, holds: Holds::NothingLost }).collect();
    if scenario.load != NO_LOAD {
        goals.push(Goal { name: Sought::SF.to_string(), holds: Holds::Moves });
    }
    goals
}

fn figures(scenario: &Scenario, run: &mut BenchRun) -> Vec<u64> {
    let edges = &mut run.recording.edges;
    let judged = judge(scenario, edges);
    let mut figures: Vec<u64> =
        judged.iter().flat_map(|judged| &judged.answered).map(|line| line.series.known_missed()).collect();
    if scenario.load != NO_LOAD {
        figures.push(progress_under_pulses(edges));
    }
    figures
}

/// Progress edges after the first pulse, up to the last. An edge at the same instant as the first pulse was caused before it, so
/// it does not count.
fn progress_under_pulses(edges: &Edges) -> u64 {
    let first = edges.stimuli().filter_map(|line| line.rises().next()).min().unwrap_or(Tick::MAX);
    let last = edges.stimuli().filter_map(|line| line.rises().last()).max().unwrap_or_default();
    let within = |line: &Line| line.edges.iter().filter(|edge| first < edge.at() && edge.at() <= last).count();
    edges.line(A.lines[PROGRESS]).map_or(0, within) as u64
}

/// The mean distance between progress edges before the first pulse, counted from the load's first edge.
fn undisturbed(edges: &Edges) -> Option<Tick> {
    let first_pulse = edges.stimuli().filter_map(|line| line.rises().next()).min()?;
    let armed = PORTS.iter().find_map(|port| edges.line(port.armed))?.rises().next()?;
    let progress = edges.line(A.lines[PROGRESS])?;
    let before: Vec<Tick> =
        progress.edges.iter().map(|edge| edge.at()).filter(|at| (armed..first_pulse).contains(at)).collect();
    let (first, last) = (before.first()?, before.last()?);
    let steps = before.len() as u64 - 1;
    (steps > 0).then(|| Tick(last.since(*first).0.div_ceil(steps)))
}

pub fn data(saturation: Saturation) -> backwall_model::picture::Saturation {
    let tried = |(period, figures): (Tick, Vec<u64>)| backwall_model::picture::TriedPeriod {
        period_instructions: period.0,
        figures,
    };
    backwall_model::picture::Saturation {
        rule: saturation.rule,
        undisturbed_progress_instructions: saturation.undisturbed.map(|edge| edge.0),
        goals: saturation.goals.into_iter().map(sought).collect(),
        tried: saturation.tried.into_iter().map(tried).collect(),
    }
}

fn sought(settled: Settled) -> Sought {
    let (period, fails_at) = match settled.found {
        GoalResult::At { period, fails_at } => (Some(period), Some(fails_at)),
        GoalResult::Everywhere(period) => (Some(period), None),
        GoalResult::Nowhere(longest) => (None, Some(longest)),
        GoalResult::Unfinished => (None, None),
    };
    Sought {
        name: settled.goal.name,
        period_instructions: period.map(|period| period.0),
        fails_at_instructions: fails_at.map(|period| period.0),
        also_fails_at: settled.out_of_order.iter().map(|period| period.0).collect(),
        bands: settled.bands.iter().map(band).collect(),
    }
}

fn band(band: &backwall_capture::saturation::Band) -> backwall_model::picture::Band {
    backwall_model::picture::Band { from_instructions: band.from.0, to_instructions: band.to.0, holds: band.holds }
}
