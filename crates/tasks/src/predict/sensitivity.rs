// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much may grow before the first deadline is missed: exact, by halving, because what is added never helps.
use super::processor::meets_all;
use super::task::{Costs, Preemption, Processor};
use super::work::Effort;

/// The place of a constant.
pub type Place = fn(&mut Costs) -> &mut u64;

/// How much each parameter of a CPU may grow, others unchanged; `None` if even the least misses a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The longest computation of each task, in nanoseconds.
    pub computation_ns: Vec<Option<u64>>,
    /// What all computations may be multiplied by, in thousandths.
    pub scale_thousandths: Option<u64>,
    /// The largest value of each requested constant, in nanoseconds.
    pub costs_ns: Vec<Option<u64>>,
    /// Whether a question took too long: it counts as a missed deadline, so more may be possible.
    pub given_up: bool,
}

impl Growth {
    /// Searches for each task and for each of the constants, all within the rest of an effort.
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

/// A task's longest computation that meets every deadline of its CPU, others unchanged; `None` if not even a nanosecond does.
/// Non-preemptible tasks stay so.
pub fn longest_computation_ns(processor: &Processor, task: usize) -> Option<u64> {
    Searches { processor, effort: &mut Effort::of_growth(), given_up: false }.longest_computation_ns(task)
}

/// Sections and stretches are parts of the computation, so it cannot be shorter.
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

    /// The largest value of a constant that meets every deadline, others unchanged.
    fn largest_cost_ns(&mut self, place: Place) -> Option<u64> {
        let longest = self.processor.tasks.iter().map(|task| task.deadline_ns).max()?;
        self.largest(0, longest, |changed, cost_ns| *place(&mut changed.costs) = cost_ns)
    }

    /// The factor for all computations, in thousandths up to [`SCALE_MOST`]; 1,000 is no change.
    fn largest_scale_thousandths(&mut self) -> Option<u64> {
        self.largest(1, SCALE_MOST, |changed, thousandths| {
            for task in &mut changed.tasks {
                let scaled = u128::from(task.computation_ns) * u128::from(thousandths);
                task.computation_ns = u64::try_from(scaled.div_ceil(1_000)).unwrap_or(u64::MAX);
            }
        })
    }

    /// The largest value from `low` to `high` that meets every deadline; smaller values do too.
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
