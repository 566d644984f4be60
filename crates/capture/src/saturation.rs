// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saturation: the highest stimulus frequency that each line bears, by a search whose rule is printed.
//!
//! MF-ISR, MF-IST and MF-APP are the highest frequency at which the line misses no pulse of a trial; SF is
//! the highest at which the background load still moves. The search is a pure function of what was observed:
//! ask [`Search::next`] for trials, run them, tell [`Search::observe`], until there are none.
//! One trial serves all goals, so a period is tried once and not once for each goal.
#[cfg(test)]
mod tests;

use super::tick::Tick;
use backwall_model::units::grouped;
use std::collections::{BTreeMap, BTreeSet};

/// What a line must do at a frequency it bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Answer every pulse: the figure observed is the number of lost pulses.
    NothingLost,
    /// Move at all: the figure observed is the number of its edges.
    Moves,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub name: String,
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
    /// A bracket is narrow enough when it is no wider than its period divided by this.
    pub narrowness: u64,
    /// Most trials.
    pub budget: usize,
    /// Distance of two edges of the load's progress line when nothing disturbs it: a trial is made so long that an
    /// undisturbed load would move [`PROGRESS_EDGES`] times. `None` when no load is watched.
    pub progress: Option<Tick>,
}

/// Edges an undisturbed load makes in a trial at least.
pub const PROGRESS_EDGES: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Distance of its pulses.
    pub period: Tick,
    pub pulses: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalResult {
    /// It holds at this period and at every longer one that was tried; `fails_at` is the next shorter one tried.
    At {
        /// The shortest period at which it holds.
        period: Tick,
        /// The longest at which it does not.
        fails_at: Tick,
    },
    /// It holds at the shortest period that was allowed.
    Everywhere(Tick),
    /// It does not hold even at the longest period that was allowed.
    Nowhere(Tick),
    Unfinished,
}

/// Periods that were tried, one after the other, with the same answer; between two bands nothing was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    pub from: Tick,
    pub to: Tick,
    pub holds: bool,
}

#[derive(Clone, Debug)]
pub struct Search {
    rule: SearchRule,
    goals: Vec<Goal>,
    observed: BTreeMap<Tick, Vec<u64>>, // by period: one figure for each goal
}

impl Search {
    pub fn new(rule: SearchRule, goals: Vec<Goal>) -> Search {
        Search { rule, goals, observed: BTreeMap::new() }
    }

    /// The next trials: what each goal wants, together, so that they can be made side by side, and the result is the same
    /// however many are. None when every goal is settled or the budget is used up.
    pub fn next(&self) -> Vec<Trial> {
        let left = self.rule.budget.saturating_sub(self.observed.len());
        let wanted: BTreeSet<Tick> = (0..self.goals.len()).filter_map(|goal| self.wanted(goal)).collect();
        wanted.into_iter().rev().take(left).map(|period| self.trial(period)).collect()
    }

    fn trial(&self, period: Tick) -> Trial {
        let needed = self.rule.progress.map_or(0, |edge| (edge.0.saturating_mul(PROGRESS_EDGES)).div_ceil(period.0));
        Trial { period, pulses: self.rule.pulses.max(needed) }
    }

    /// Tells what a trial showed: one figure for each goal, in their order.
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

    pub fn found(&self, goal: usize) -> GoalResult {
        match self.bracket(goal) {
            _ if self.wanted(goal).is_some() => GoalResult::Unfinished,
            (None, Some(holds)) => GoalResult::Everywhere(holds),
            (Some(fails_at), Some(period)) => GoalResult::At { period, fails_at },
            (fails, None) => GoalResult::Nowhere(fails.unwrap_or(self.rule.longest)),
        }
    }

    /// Periods at which a goal fails although it holds at a shorter one: the answer then depends on more than frequency.
    pub fn out_of_order(&self, goal: usize) -> Vec<Tick> {
        let met = |figures: &[u64]| self.goals[goal].is_met(figures[goal]);
        let shortest = self.tried().find(|(_, figures)| met(figures)).map(|(period, _)| period);
        let failing = self.tried().filter(|(_, figures)| !met(figures)).map(|(period, _)| period);
        failing.filter(|period| shortest.is_some_and(|shortest| shortest < *period)).collect()
    }

    /// The periods that were tried, parted where the answer changes, shortest first. A goal for which more than frequency
    /// decides has more than two: it holds, fails and holds again.
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

    /// The rule of the search, for the reader of its result.
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

    /// The longest period at which a goal fails, and the shortest at which it holds above that.
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
