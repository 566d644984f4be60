// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saturation: searches for the highest stimulus frequency that each line can follow. The rule of the search is printed.
//!
//! MF-ISR, MF-IST and MF-APP are the highest frequencies at which the line ISR, IST or APP misses no pulse of a trial. SF is the
//! highest at which the background load still makes progress. The search depends on the observations only: call
//! [`Search::next`] for trials, run them, and report their results to [`Search::observe`], until no trial is left. One trial
//! serves all goals, so each period is tried once.
#[cfg(test)]
mod tests;

use super::tick::Tick;
use backwall_model::units::grouped;
use std::collections::{BTreeMap, BTreeSet};

/// What a line must do to pass at a frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The line must answer every pulse. The observed figure is the number of lost pulses.
    NothingLost,
    /// The line must change at all. The observed figure is the number of its edges.
    Moves,
}

/// One frequency to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// `MF-IST`, `MF-APP`, `SF` …
    pub name: String,
    /// What the line must do to pass.
    pub holds: Holds,
}

impl Goal {
    fn is_met(&self, figure: u64) -> bool {
        match self.holds {
            Holds::NothingLost => figure == 0,
            Holds::Moves => figure > 0,
        }
    }
}

/// The parameters of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRule {
    /// Period of the first trial.
    pub start: Tick,
    /// No shorter period is tried.
    pub shortest: Tick,
    /// No longer period is tried.
    pub longest: Tick,
    /// Number of pulses per trial.
    pub pulses: u64,
    /// The search ends when a failing and a passing period differ by less than the period divided by this.
    pub narrowness: u64,
    /// Largest number of trials.
    pub budget: usize,
    /// Time between two edges of the progress line of an undisturbed load. A trial takes at least [`PROGRESS_EDGES`] times this.
    /// `None` if no load is watched.
    pub progress: Option<Tick>,
}

/// Minimum number of progress edges that an undisturbed load makes in a trial.
pub const PROGRESS_EDGES: u64 = 20;

/// A measurement that the search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Time between the trial's pulses.
    pub period: Tick,
    /// Number of pulses.
    pub pulses: u64,
}

/// The result for one goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalResult {
    /// The goal is met at this period and at every longer one tried. `fails_at` is the next shorter one tried.
    At {
        /// The shortest passing period.
        period: Tick,
        /// The longest failing period.
        fails_at: Tick,
    },
    /// The goal is met even at the shortest allowed period.
    Everywhere(Tick),
    /// The goal is not met even at the longest allowed period.
    Nowhere(Tick),
    /// The limit of trials was reached first.
    Unfinished,
}

/// A sequence of tried periods with the same result. Between two bands nothing was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The shortest period of the band.
    pub from: Tick,
    /// The longest period of the band.
    pub to: Tick,
    /// Whether the goal is met at these periods.
    pub holds: bool,
}

/// A search for several goals.
#[derive(Clone, Debug)]
pub struct Search {
    rule: SearchRule,
    goals: Vec<Goal>,
    observed: BTreeMap<Tick, Vec<u64>>, // by period, with one figure for each goal
}

impl Search {
    /// A search before its first trial.
    pub fn new(rule: SearchRule, goals: Vec<Goal>) -> Search {
        Search { rule, goals, observed: BTreeMap::new() }
    }

    /// The next trials, for all goals together. They may run in parallel, with the same results. The list is empty when every goal
    /// has a result or the limit of trials is reached.
    pub fn next(&self) -> Vec<Trial> {
        let left = self.rule.budget.saturating_sub(self.observed.len());
        let wanted: BTreeSet<Tick> = (0..self.goals.len()).filter_map(|goal| self.wanted(goal)).collect();
        wanted.into_iter().rev().take(left).map(|period| self.trial(period)).collect()
    }

    fn trial(&self, period: Tick) -> Trial {
        let needed = self.rule.progress.map_or(0, |edge| (edge.0.saturating_mul(PROGRESS_EDGES)).div_ceil(period.0));
        Trial { period, pulses: self.rule.pulses.max(needed) }
    }

    /// Reports a trial's result: one figure per goal, in their order.
    ///
    /// # Panics
    /// If the number of figures differs from that of the goals.
    pub fn observe(&mut self, trial: Trial, figures: &[u64]) {
        assert_eq!(figures.len(), self.goals.len(), "one figure for each goal");
        self.observed.insert(trial.period, figures.to_vec());
    }

    /// Every period tried, shortest first, with its figures.
    pub fn tried(&self) -> impl Iterator<Item = (Tick, &[u64])> {
        self.observed.iter().map(|(period, figures)| (*period, &figures[..]))
    }

    /// The result for a goal so far.
    pub fn found(&self, goal: usize) -> GoalResult {
        match self.bracket(goal) {
            _ if self.wanted(goal).is_some() => GoalResult::Unfinished,
            (None, Some(holds)) => GoalResult::Everywhere(holds),
            (Some(fails_at), Some(period)) => GoalResult::At { period, fails_at },
            (fails, None) => GoalResult::Nowhere(fails.unwrap_or(self.rule.longest)),
        }
    }

    /// Periods that fail although a shorter one passes. Then the result depends on more than the frequency.
    pub fn out_of_order(&self, goal: usize) -> Vec<Tick> {
        let met = |figures: &[u64]| self.goals[goal].is_met(figures[goal]);
        let shortest = self.tried().find(|(_, figures)| met(figures)).map(|(period, _)| period);
        let failing = self.tried().filter(|(_, figures)| !met(figures)).map(|(period, _)| period);
        failing.filter(|period| shortest.is_some_and(|shortest| shortest < *period)).collect()
    }

    /// The tried periods, shortest first, divided into bands where the result changes. More than two bands mean that the result
    /// depends on more than the frequency.
    pub fn bands(&self, goal: usize) -> Vec<Band> {
        let mut bands: Vec<Band> = Vec::new();
        for (period, figures) in self.tried() {
            let holds = self.goals[goal].is_met(figures[goal]);
            match bands.last_mut().filter(|band| band.holds == holds) {
                Some(band) => band.to = period,
                None => bands.push(Band { from: period, to: period, holds }),
            }
        }
        bands
    }

    /// The rule of the search in words, to print with the result.
    pub fn rule(&self) -> String {
        let SearchRule { start, shortest, longest, pulses, narrowness, .. } = &self.rule;
        format!(
            "A trial sends {} pulses, or more if the load's progress line needs longer for {PROGRESS_EDGES} edges without \
                pulses. A trial passes for MF-ISR, MF-IST or MF-APP if that line (ISR, IST or APP) answers every pulse. It \
                passes for SF if the progress line changes at all. Each search begins with a period of {} instructions. It \
                halves the period while trials pass, or doubles it while trials fail. It keeps the period between {} and {} \
                instructions. After one pass and one failure it bisects until the two periods differ by at most \
                1/{narrowness}. Last it tries 5/4 and 7/4 of the passing period. If one of these periods fails, the search \
                continues above that period.",
            grouped(*pulses),
            grouped(start.0),
            grouped(shortest.0),
            grouped(longest.0)
        )
    }

    /// The longest failing period, and the shortest passing one above it.
    fn bracket(&self, goal: usize) -> (Option<Tick>, Option<Tick>) {
        let met = |figures: &Vec<u64>| self.goals[goal].is_met(figures[goal]);
        let fails = self.observed.iter().rev().find(|(_, figures)| !met(figures)).map(|(period, _)| *period);
        let above = |period: &Tick| fails.is_none_or(|fails| *period > fails);
        (fails, self.observed.keys().copied().find(above))
    }

    fn wanted(&self, goal: usize) -> Option<Tick> {
        let SearchRule { start, shortest, longest, .. } = self.rule;
        match self.bracket(goal) {
            (None, None) => Some(start.clamp(shortest, longest)),
            (None, Some(holds)) => (holds > shortest).then(|| Tick((holds.0 / 2).max(shortest.0))),
            (Some(fails), None) => (fails < longest).then(|| Tick((fails.0 * 2).min(longest.0))),
            (Some(fails), Some(holds)) if holds.0 - fails.0 > (holds.0 / self.rule.narrowness).max(1) => {
                Some(Tick(fails.0 + (holds.0 - fails.0) / 2))
            }
            (Some(_), Some(holds)) => self.unchecked(holds),
        }
    }

    fn unchecked(&self, holds: Tick) -> Option<Tick> {
        let longer = [5, 7].map(|quarters| Tick((holds.0 * quarters / 4).min(self.rule.longest.0)));
        longer.into_iter().find(|period| !self.observed.contains_key(period))
    }
}
