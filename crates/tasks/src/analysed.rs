// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts a task set to the CPUs that the analysis works on.
use super::fault::Fault;
use super::set::{Policy, Protocol, ReleasedBy, Series, Set};
use crate::predict::arrival::Arrival;
use crate::predict::supply::Supply;
use crate::predict::task::{self, Budget, Costs, Preemption, Processor, Task, Urgency};

impl Set {
    /// Number of CPUs that the set may use.
    pub fn processor_count(&self) -> u32 {
        let named = self.series.iter().filter_map(|series| series.cpu).max().map_or(1, |cpu| cpu + 1);
        self.processors.unwrap_or(named).max(1)
    }

    /// Whether a series may move between CPUs: yes under SCHED_DEADLINE without a named CPU.
    pub fn moves(&self) -> bool {
        let moves = |series: &Series| series.policy == Policy::Deadline && series.cpu.is_none();
        self.processor_count() > 1 && self.series.iter().any(moves)
    }

    /// The CPU that a series runs on, as a number in the set.
    pub fn cpu_of(&self, series: &Series) -> Result<u32, Fault> {
        let alone = self.processor_count() == 1;
        series.cpu.or(alone.then_some(0)).ok_or_else(|| {
            Fault::of(
                format!("series {}: cpu", series.name),
                "missing, although there are several CPUs; name one, or let --assign choose",
            )
        })
    }

    /// Each CPU that has tasks, with its number. Every series must name its CPU.
    pub fn placed(&self, costs: Costs) -> Result<Vec<(u32, Processor)>, Fault> {
        let mut found: Vec<(u32, Processor)> = Vec::new();
        for series in &self.series {
            let cpu = self.cpu_of(series)?;
            match found.iter_mut().find(|(number, _)| *number == cpu) {
                Some((_, processor)) => processor.tasks.push(self.task(series)),
                None => found.push((cpu, Processor { tasks: vec![self.task(series)], ..self.empty(cpu, costs) })),
            }
        }
        found.sort_by_key(|(number, _)| *number);
        Ok(found)
    }

    /// The CPU without its tasks: with the locks, the costs, and the interrupts that it handles.
    pub fn empty(&self, cpu: u32, costs: Costs) -> Processor {
        let comes_here = self.interrupt.iter().filter(|interrupt| interrupt.cpu.is_none_or(|at| at == cpu));
        let interrupts = comes_here.map(|interrupt| task::Interrupt {
            name: interrupt.name.clone(),
            cost_ns: interrupt.cost.0,
            arrival: Arrival::periodic(interrupt.distance.0),
        });
        let protocol = |protocol| match protocol {
            Protocol::None => task::Protocol::Plain,
            Protocol::Inheritance => task::Protocol::Inheritance,
            Protocol::Ceiling => task::Protocol::Ceiling,
        };
        let locks =
            self.lock.iter().map(|lock| task::Lock { name: lock.name.clone(), protocol: protocol(lock.protocol) });
        let supply = self.reservation.map_or(Supply::Dedicated, |share| Supply::Periodic {
            period_ns: share.period.0,
            budget_ns: share.budget.0,
        });
        Processor {
            tasks: Vec::new(),
            locks: locks.collect(),
            interrupts: interrupts.collect(),
            recorded: Vec::new(),
            costs,
            supply,
        }
    }

    /// A series in the form that the analysis needs.
    pub fn task(&self, series: &Series) -> Task {
        let (period, arrival) = match (series.period, series.mean) {
            (Some(period), _) => (
                period.0,
                Arrival::Periodic { period_ns: period.0, jitter_ns: series.jitter.0, distance_ns: series.distance.0 },
            ),
            (None, mean) => {
                let mean_ns = mean.map_or(1, |mean| mean.0);
                (mean_ns, Arrival::Poisson { mean_ns, jitter_ns: series.jitter.0, exceeded: self.exceeded })
            }
        };
        let lock = |name: &str| self.lock.iter().position(|lock| lock.name == name).expect("checked when it was read");
        let sections = series.section.iter();
        Task {
            name: series.name.clone(),
            arrival,
            computation_ns: series.computation.0,
            deadline_ns: series.deadline.map_or(period, |deadline| deadline.0),
            urgency: match series.policy {
                Policy::Deadline => Urgency::Deadline,
                Policy::Fifo | Policy::Rr => Urgency::Priority(series.priority.unwrap_or(0)),
            },
            phase_ns: self.fixed_offsets.then_some(series.offset.0),
            preemption: preemption(series),
            sections: sections.map(|held| task::Section { lock: lock(&held.lock), length_ns: held.length.0 }).collect(),
            timed: series.released_by == ReleasedBy::Timer,
            blocked_ns: 0,
            budget: series.runtime.map(|runtime| Budget { runtime_ns: runtime.0, period_ns: period }),
        }
    }
}

fn preemption(series: &Series) -> Preemption {
    let longest_ns = series.stretch.max(series.last_stretch).0;
    match longest_ns {
        0 => Preemption::Full,
        all if all == series.computation.0 => Preemption::Never,
        _ => Preemption::Stretches { longest_ns, last_ns: series.last_stretch.0.max(1) },
    }
}
