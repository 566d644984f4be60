// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system's own work on a CPU: interrupts, the tick, and the releases of all tasks.
use super::answer::Source;
use super::arrival::Arrival;
use super::task::{Processor, Task, Urgency};
use super::work::Work;

/// Work that delays every task. A release counts whatever the priority of the released task.
pub fn system_work(processor: &Processor) -> Vec<Work> {
    let costs = &processor.costs;
    let interrupts = processor.interrupts.iter().enumerate().map(|(index, interrupt)| Work {
        source: Source::Interrupt(index),
        cost_ns: interrupt.cost_ns,
        arrival: interrupt.arrival.clone(),
    });
    let releases = processor.tasks.iter().enumerate().map(|(index, task)| Work {
        source: Source::Release(index),
        cost_ns: if task.timed { costs.release_ns } else { costs.interrupt_ns },
        arrival: task.arrival.clone(),
    });
    let tick = (costs.tick_period_ns > 0).then(|| Work {
        source: Source::Tick,
        cost_ns: costs.tick_ns,
        arrival: Arrival::periodic(costs.tick_period_ns),
    });
    interrupts.chain(releases).chain(tick).filter(|work| work.cost_ns > 0).collect()
}

/// The recorded threads that can delay a task of this priority.
pub fn recorded_work(processor: &Processor, urgency: Urgency) -> impl Iterator<Item = Work> {
    let threads = processor.recorded.iter().enumerate().filter(move |(_, thread)| thread.urgency.may_delay(urgency));
    threads.map(|(index, thread)| Work { source: Source::Recorded(index), cost_ns: 0, arrival: thread.arrival.clone() })
}

/// How a task delays tasks of lower priority: its computation, including the switch to it and the one back.
pub fn task_work(processor: &Processor, index: usize) -> Work {
    let task = &processor.tasks[index];
    Work {
        source: Source::Task(index),
        cost_ns: job_ns(processor, task),
        arrival: task.arrival.clone().with_jitter(processor.costs.wakeup_ns),
    }
}

pub fn job_ns(processor: &Processor, task: &Task) -> u64 {
    final_ns(processor, task).saturating_add(processor.costs.switch_out_ns)
}

pub fn final_ns(processor: &Processor, task: &Task) -> u64 {
    task.computation_ns.saturating_add(processor.costs.switch_in_ns)
}
