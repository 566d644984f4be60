// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much may grow before the first deadline is missed: exact, by halving, because what is added never helps.
use super::processor::meets_all;
use super::task::{Costs, Preemption, Processor};

/// The place of a constant.
pub type Place = fn(&mut Costs) -> &mut u64;

/// How much may grow on one processor, each with all else unchanged; none where even the least misses a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Of each task, its longest computation in nanoseconds.
    pub computation_ns: Vec<Option<u64>>,
    /// What all computations may be multiplied by, in thousandths.
    pub scale_thousandths: Option<u64>,
    /// Of each constant asked about, its largest value in nanoseconds.
    pub costs_ns: Vec<Option<u64>>,
}

impl Growth {
    /// Searches for each task and for each of the constants.
    pub fn of(processor: &Processor, places: &[Place]) -> Self {
        Self {
            computation_ns: (0..processor.tasks.len()).map(|task| longest_computation_ns(processor, task)).collect(),
            scale_thousandths: largest_scale_thousandths(processor),
            costs_ns: places.iter().map(|place| largest_cost_ns(processor, *place)).collect(),
        }
    }
}

/// The longest computation of a task with which every deadline of its processor is met, all else unchanged; none where
/// not even a nanosecond is. A task that cannot be preempted stays so.
pub fn longest_computation_ns(processor: &Processor, task: usize) -> Option<u64> {
    let deadline = processor.tasks[task].deadline_ns;
    let least = held_ns(processor, task);
    largest(least, deadline.max(least), |computation_ns| {
        let mut changed = processor.clone();
        changed.tasks[task].computation_ns = computation_ns;
        meets_all(&changed)
    })
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

/// The largest value of a constant with which every deadline is met, all else unchanged.
pub fn largest_cost_ns(processor: &Processor, place: Place) -> Option<u64> {
    let longest = processor.tasks.iter().map(|task| task.deadline_ns).max()?;
    largest(0, longest, |cost_ns| {
        let mut changed = processor.clone();
        *place(&mut changed.costs) = cost_ns;
        meets_all(&changed)
    })
}

/// By more than so many thousandths no growth is looked for.
pub const SCALE_MOST: u64 = 1_000_000;

/// By how much all computations may be multiplied, in thousandths, up to [`SCALE_MOST`]; 1,000 is no change.
pub fn largest_scale_thousandths(processor: &Processor) -> Option<u64> {
    largest(1, SCALE_MOST, |thousandths| {
        let mut changed = processor.clone();
        for task in &mut changed.tasks {
            let scaled = u128::from(task.computation_ns) * u128::from(thousandths);
            task.computation_ns = u64::try_from(scaled.div_ceil(1_000)).unwrap_or(u64::MAX);
        }
        meets_all(&changed)
    })
}

/// The largest value from `low` to `high` that holds; what holds, holds for all below it.
fn largest(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
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
