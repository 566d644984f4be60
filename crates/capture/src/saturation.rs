// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saturation: the highest stimulus frequency that each line sustains, by a search whose rule is printed.
//!
//! MF-ISR, MF-IST and MF-APP are the highest frequency at which the line misses no pulse of a trial; SF is the highest at which
//! the background load still moves. The search is a pure function of the observations: ask [`Search::next`] for trials, run them,
//! report them to [`Search::observe`], until there are none. One trial serves all goals, so each period is tried once.
#[cfg(test)]
mod tests;

use super::tick::Tick;
use backwall_model::units::grouped;
use std::collections::{BTreeMap, BTreeSet};

/// What a line must do at an answered frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Answer every pulse: the figure observed is the number of lost pulses.
    NothingLost,
    /// Moves at all: reports the number of its edges.
    Moves,
}

/// One frequency to find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// `MF-IST`, `MF-APP`, `SF` …
    pub name: String,
    /// What the line must do.
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

/// What fixes a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRule {
    /// Period of the first trial.
    pub start: Tick,
    /// No shorter period is tried.
    pub shortest: Tick,
    /// No longer period is tried.
    pub longest: Tick,
    /// Pulses of a trial that are judged.
    pub pulses: u64,
    /// The search stops when a bracket is no wider than its period divided by this.
    pub narrowness: u64,
    /// Most trials.
    pub budget: usize,
    /// Time between two edges of an undisturbed load's progress line: a trial takes [`PROGRESS_EDGES`] times this. `None` without a
    /// watched load.
    pub progress: Option<Tick>,
}

/// Edges an undisturbed load makes in a trial at least.
pub const PROGRESS_EDGES: u64 = 20;

/// One run to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Distance of its pulses.
    pub period: Tick,
    /// Pulses to be judged.
    pub pulses: u64,
}

/// What was found for one goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalResult {
    /// It holds at this period and every longer one tried; `fails_at` is the next shorter one tried.
    At {
        /// The shortest passing period.
        period: Tick,
        /// The longest failing period.
        fails_at: Tick,
    },
    /// It holds even at the shortest period allowed.
    Everywhere(Tick),
    /// It fails even at the longest period allowed.
    Nowhere(Tick),
    /// The budget of trials was used up first.
    Unfinished,
}

/// Neighbouring tried periods with the same result; between two bands nothing was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// The shortest of them.
    pub from: Tick,
    /// The longest of them.
    pub to: Tick,
    /// Whether the goal holds at them.
    pub holds: bool,
}

/// A search for several goals.
#[derive(Clone, Debug)]
pub struct Search {
    rule: SearchRule,
    goals: Vec<Goal>,
    observed: BTreeMap<Tick, Vec<u64>>, // by period: one figure for each goal
}

impl Search {
    /// Nothing tried yet.
    pub fn new(rule: SearchRule, goals: Vec<Goal>) -> Search {
        Search { rule, goals, observed: BTreeMap::new() }
    }

    /// The next trials: what each goal needs, together, so that they can run in parallel with the same result. None when every
    /// goal is settled or the budget is used up.
    pub fn next(&self) -> Vec<Trial> {
        let left = self.rule.budget.saturating_sub(self.observed.len());
        let wanted: BTreeSet<Tick> = (0..self.goals.len()).filter_map(|goal| self.wanted(goal)).collect();
        wanted.into_iter().rev().take(left).map(|period| self.trial(period)).collect()
    }

    fn trial(&self, period: Tick) -> Trial {
        let needed = self.rule.progress.map_or(0, |edge| (edge.0.saturating_mul(PROGRESS_EDGES)).div_ceil(period.0));
        Trial { period, pulses: self.rule.pulses.max(needed) }
    }

    /// Reports a trial's outcome: one figure per goal, in their order.
    ///
    /// # Panics
    /// When there are more or fewer figures than goals.
    pub fn observe(&mut self, trial: Trial, figures: &[u64]) {
        assert_eq!(figures.len(), self.goals.len(), "one figure for each goal");
        self.observed.insert(trial.period, figures.to_vec());
    }

    /// Every period that was tried, shortest first, with its figures.
    pub fn tried(&self) -> impl Iterator<Item = (Tick, &[u64])> {
        self.observed.iter().map(|(period, figures)| (*period, &figures[..]))
    }

    /// What was found for a goal so far.
    pub fn found(&self, goal: usize) -> GoalResult {
        match self.bracket(goal) {
            _ if self.wanted(goal).is_some() => GoalResult::Unfinished,
            (None, Some(holds)) => GoalResult::Everywhere(holds),
            (Some(fails_at), Some(period)) => GoalResult::At { period, fails_at },
            (fails, None) => GoalResult::Nowhere(fails.unwrap_or(self.rule.longest)),
        }
    }

    /// Periods that fail although a shorter one passes: the result then depends on more than frequency.
    pub fn out_of_order(&self, goal: usize) -> Vec<Tick> {
        let met = |figures: &[u64]| self.goals[goal].is_met(figures[goal]);
        let shortest = self.tried().find(|(_, figures)| met(figures)).map(|(period, _)| period);
        let failing = self.tried().filter(|(_, figures)| !met(figures)).map(|(period, _)| period);
        failing.filter(|period| shortest.is_some_and(|shortest| shortest < *period)).collect()
    }

    /// The tried periods, split where the result changes, shortest first. More than two bands mean that more than frequency matters.
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

    /// Describes the search rule for the reader of the result.
    pub fn rule(&self) -> String {
        let SearchRule { start, shortest, longest, pulses, narrowness, .. } = &self.rule;
        format!(
            "The search begins with a period of {} instructions. It halves the period while the line holds and doubles \
                it while it fails, between {} and {}. Then it bisects until the two periods differ by at most \
                1/{narrowness}. Last it tries two longer periods (5/4 and 7/4), and continues above one that fails. \
                A trial has {} pulses. An MF line holds if it answers every pulse. The load holds if its progress \
                line moves at all in a trial long enough for {PROGRESS_EDGES} undisturbed moves.",
            grouped(start.0),
            grouped(shortest.0),
            grouped(longest.0),
            grouped(*pulses)
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
