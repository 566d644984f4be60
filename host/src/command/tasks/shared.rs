// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set whose series of SCHED_DEADLINE share several processors, as the kernel runs them.
use crate::predict::global;
use crate::predict::prediction::share;
use crate::predict::task::{Costs, Processor};
use crate::predict::utilization::Share;
use crate::report::shared::Shared;
use crate::tasks::set::{Policy, Series, Set};

/// What the tests for several processors say of it.
pub(super) fn on_all_processors(set: &Set, costs: Costs) -> Shared {
    let (of_deadline, below): (Vec<&Series>, Vec<&Series>) =
        set.series.iter().partition(|series| series.policy == Policy::Deadline);
    let tasks = of_deadline.iter().map(|series| set.task(series)).collect();
    let processor = Processor { tasks, ..set.empty(0, costs) };
    let names = |series: &[&Series]| series.iter().map(|series| series.name.clone()).collect();
    let answer = match of_deadline.iter().any(|series| series.cpu.is_some()) {
        true => Err("some series of SCHED_DEADLINE name a processor and others do not"),
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
