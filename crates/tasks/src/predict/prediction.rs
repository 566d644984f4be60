// SPDX-License-Identifier: MIT OR Apache-2.0
//! The prediction of a whole set: every CPU with its answers.
use super::answer::Verdict;
use super::arrival::Arrival;
use super::processor::{Answer, answers_within};
use super::sensitivity::{Growth, Place};
use super::task::{Processor, Task, Urgency};
use super::utilization::{Share, Sufficient, sufficient};
use super::work::Effort;

/// The analysis of one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysed {
    /// Number of the CPU.
    pub number: u32,
    /// The CPU's tasks, locks, interrupts and costs.
    pub processor: Processor,
    /// One answer per task.
    pub answers: Vec<Answer>,
    /// How much parameters may grow; `None` if not requested.
    pub growth: Option<Growth>,
}

impl Analysed {
    /// Answers for all tasks of a processor.
    pub fn of(number: u32, processor: Processor) -> Self {
        Self::within(number, processor, &mut Effort::of_set())
    }

    /// Like [`Analysed::of`], but within the remaining effort.
    pub fn within(number: u32, processor: Processor, effort: &mut Effort) -> Self {
        let answers = answers_within(&processor, effort);
        Self { number, processor, answers, growth: None }
    }

    /// Adds how much each parameter may grow.
    pub fn with_growth(self, places: &[Place], effort: &mut Effort) -> Self {
        Self { growth: Some(Growth::of(&self.processor, places, effort)), ..self }
    }

    /// The total utilization of the tasks alone.
    pub fn share(&self) -> Share {
        self.processor.tasks.iter().map(share).sum()
    }

    /// The utilization tests, if they apply: rate-monotonic priorities, deadlines equal to periods, and nothing that blocks or
    /// delays.
    pub fn sufficient(&self) -> Option<Sufficient> {
        let shares: Vec<Share> = self.processor.tasks.iter().map(share).collect();
        self.is_rate_monotonic().then(|| sufficient(&shares))
    }

    fn is_rate_monotonic(&self) -> bool {
        let Processor { tasks, interrupts, recorded, costs, supply, .. } = &self.processor;
        let plain = |task: &Task| {
            matches!(task.arrival, Arrival::Periodic { jitter_ns: 0, .. })
                && task.deadline_ns >= task.arrival.distance_ns()
                && task.sections.is_empty()
                && task.longest_stretch_ns() == 0
        };
        let rank = |task: &Task| match task.urgency {
            Urgency::Priority(priority) => Some((u32::MAX - priority, task.arrival.distance_ns())),
            Urgency::Deadline => None,
        };
        let mut ranks: Vec<Option<(u32, u64)>> = tasks.iter().map(rank).collect();
        ranks.sort_unstable();
        interrupts.is_empty()
            && recorded.is_empty()
            && *costs == Default::default()
            && *supply == Default::default()
            && tasks.iter().all(plain)
            && ranks.iter().all(Option::is_some)
            && ranks.windows(2).all(|two| two[0].map(|rank| rank.1) <= two[1].map(|rank| rank.1))
    }
}

/// A task's utilization of its CPU.
pub fn share(task: &Task) -> Share {
    Share::of(task.computation_ns, task.arrival.distance_ns())
}

/// The worst verdict over all deadlines and CPUs.
pub fn verdict(processors: &[Analysed]) -> Verdict {
    let all = processors.iter().flat_map(|analysed| &analysed.answers).map(|answer| answer.verdict);
    all.max().unwrap_or(Verdict::Met)
}
