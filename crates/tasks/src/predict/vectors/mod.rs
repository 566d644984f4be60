// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worked examples of the literature and of other tools, by name. `docs/how-it-works/response-time.md` lists the sources.
mod early_deadline;
mod fixed_priority;
mod jitter_and_blocking;
mod latency;
mod share;

use super::processor::{Answer, answers};
use super::task::{Processor, Task, Urgency};

fn by_order(tasks: &[(u64, u64, u64)]) -> Processor {
    let task = |(place, (computation, period, deadline)): (usize, &(u64, u64, u64))| {
        let urgency = Urgency::Priority((tasks.len() - place) as u32);
        Task { deadline_ns: *deadline, ..Task::new(&format!("t{}", place + 1), urgency, *computation, *period) }
    };
    Processor { tasks: tasks.iter().enumerate().map(task).collect(), ..Processor::default() }
}

pub(super) fn by_deadline(tasks: &[(u64, u64, u64)]) -> Processor {
    let mut processor = by_order(tasks);
    processor.tasks.iter_mut().for_each(|task| task.urgency = Urgency::Deadline);
    processor
}

/// The responses from the nominal releases; `None` without a bound.
fn responses(processor: &Processor) -> Vec<Option<u64>> {
    let nominal = |answer: Answer| answer.bound.ok().map(|bound| bound.from_nominal_ns);
    answers(processor).into_iter().map(nominal).collect()
}

fn from_arrival(processor: &Processor) -> Vec<Option<u64>> {
    answers(processor).into_iter().map(|answer| answer.bound.ok().map(|bound| bound.from_arrival_ns)).collect()
}

fn all(values: &[u64]) -> Vec<Option<u64>> {
    values.iter().copied().map(Some).collect()
}
