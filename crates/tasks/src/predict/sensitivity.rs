// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much a parameter may grow before the first deadline is missed. Bisection is exact, because adding work never helps.
use super::processor::meets_all;
use super::task::{Costs, Preemption, Processor};
use super::work::Effort;

/// Accesses the field of a constant.
pub type Place = fn(&mut Costs) -> &mut u64;

/// How much each parameter of a CPU may grow while the others stay unchanged; `None` if even the smallest value misses a
/// deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// For each task, the longest computation time in nanoseconds.
    pub computation_ns: Vec<Option<u64>>,
    /// The factor that all computation times together may grow by, in thousandths.
    pub scale_thousandths: Option<u64>,
    /// The largest value of each requested constant, in nanoseconds.
    pub costs_ns: Vec<Option<u64>>,
    /// Whether a search took too long. That counts as a missed deadline, so a larger value may be possible.
    pub given_up: bool,
}

impl Growth {
    /// Searches for each task and each constant within the remaining effort.
    pub fn of(processor: &Processor, places: &[Place], effort: &mut Effort) -> Self {
        let mut searches = Searches { processor, effort, given_up: false };
        Self {
            scale_thousandths: searches.largest_scale_thousandths(),
            computation_ns: (0..processor.tasks.len()).map(|task| searches.longest_computation_ns(task)).collect(),
            costs_ns: places.iter().map(|place| searches.largest_cost_ns(*place)).collect(),
            given_up: searches.given_up,
        }
    }
}

/// Limit of the search for growth, in thousandths.
pub const SCALE_MOST: u64 = 1_000_000;

/// The longest computation of a task with which every deadline on its CPU is met, if nothing else changes; `None` if not even a
/// nanosecond works. A non-preemptible task stays non-preemptible.
pub fn longest_computation_ns(processor: &Processor, task: usize) -> Option<u64> {
    Searches { processor, effort: &mut Effort::of_growth(), given_up: false }.longest_computation_ns(task)
}

/// The minimum computation: it contains the task's lock sections and non-preemptible stretches, so it cannot be shorter than
/// these.
fn held_ns(processor: &Processor, task: usize) -> u64 {
    let task = &processor.tasks[task];
    let stretch = match task.preemption {
        Preemption::Stretches { longest_ns, last_ns } => longest_ns.max(last_ns),
        Preemption::Full | Preemption::Never => 1,
    };
    task.sections.iter().map(|section| section.length_ns).fold(stretch, u64::max)
}

struct Searches<'a> {
    processor: &'a Processor,
    effort: &'a mut Effort,
    given_up: bool,
}

impl Searches<'_> {
    fn longest_computation_ns(&mut self, task: usize) -> Option<u64> {
        let deadline = self.processor.tasks[task].deadline_ns;
        let least = held_ns(self.processor, task);
        self.largest(least, deadline.max(least), |changed, computation_ns| {
            changed.tasks[task].computation_ns = computation_ns;
        })
    }

    /// The largest value of a constant with which every deadline is met, if nothing else changes.
    fn largest_cost_ns(&mut self, place: Place) -> Option<u64> {
        let longest = self.processor.tasks.iter().map(|task| task.deadline_ns).max()?;
        self.largest(0, longest, |changed, cost_ns| *place(&mut changed.costs) = cost_ns)
    }

    /// The factor for all computation times, in thousandths, up to [`SCALE_MOST`]; 1,000 means unchanged.
    fn largest_scale_thousandths(&mut self) -> Option<u64> {
        self.largest(1, SCALE_MOST, |changed, thousandths| {
            for task in &mut changed.tasks {
                let scaled = u128::from(task.computation_ns) * u128::from(thousandths);
                task.computation_ns = u64::try_from(scaled.div_ceil(1_000)).unwrap_or(u64::MAX);
            }
        })
    }

    /// The largest value from `low` to `high` with which every deadline is met. Smaller values then work too.
    fn largest(&mut self, low: u64, high: u64, change: impl Fn(&mut Processor, u64)) -> Option<u64> {
        let (processor, effort, given_up) = (self.processor, &mut *self.effort, &mut self.given_up);
        let mut holds = |value: u64| {
            let mut changed = processor.clone();
            change(&mut changed, value);
            let met = effort.question(|effort| meets_all(&changed, effort));
            *given_up |= met.is_none();
            met.unwrap_or(false)
        };
        halved(low, high, &mut holds)
    }
}

fn halved(low: u64, high: u64, holds: &mut impl FnMut(u64) -> bool) -> Option<u64> {
    if !holds(low) {
        return None;
    }
    if holds(high) {
        return Some(high);
    }
    let (mut good, mut bad) = (low, high);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}
