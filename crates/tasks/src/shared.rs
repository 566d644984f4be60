// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set whose SCHED_DEADLINE series share several CPUs, as the kernel schedules them.
use crate::predict::answer::Verdict;
use crate::predict::global::{self, Answer};
use crate::predict::prediction::share;
use crate::predict::task::{Costs, Processor};
use crate::predict::utilization::Share;
use crate::set::{Policy, Series, Set};

/// Series that share several CPUs, with the results for them.
#[derive(Debug)]
pub struct Shared {
    /// Number of CPUs.
    pub processors: u32,
    /// Utilization of the series, in percent of one CPU.
    pub utilization_percent: f64,
    /// Names of the series.
    pub series: Vec<String>,
    /// Series with a fixed priority, which run only when no SCHED_DEADLINE series is ready.
    pub below: Vec<String>,
    /// The results of the tests, or why they do not apply.
    pub answer: Result<Answer, &'static str>,
}

impl Shared {
    /// Whether all deadlines are met.
    pub fn verdict(&self) -> Verdict {
        let shared = self.answer.as_ref().map_or(Verdict::Unknown, |answer| answer.verdict);
        if self.below.is_empty() { shared } else { shared.max(Verdict::Unknown) }
    }
}

/// The results of the tests for several CPUs.
pub fn on_all_processors(set: &Set, costs: Costs) -> Shared {
    let (of_deadline, below): (Vec<&Series>, Vec<&Series>) =
        set.series.iter().partition(|series| series.policy == Policy::Deadline);
    let tasks = of_deadline.iter().map(|series| set.task(series)).collect();
    let processor = Processor { tasks, ..set.empty(0, costs) };
    let names = |series: &[&Series]| series.iter().map(|series| series.name.clone()).collect();
    let answer = match of_deadline.iter().any(|series| series.cpu.is_some()) {
        true => Err("name a CPU for all series of SCHED_DEADLINE, or for none"),
        false => global::Shared::of(&processor, set.processor_count()).map(|shared| shared.answer()),
    };
    Shared {
        processors: set.processor_count(),
        utilization_percent: processor.tasks.iter().map(share).sum::<Share>().percent(),
        series: names(&of_deadline),
        below: names(&below),
        answer,
    }
}
