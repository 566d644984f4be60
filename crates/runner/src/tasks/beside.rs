// SPDX-License-Identifier: MIT OR Apache-2.0
//! The predicted result of each task, to show next to the measured one.
use backwall_model::picture::{Predicted, PredictedTerm};
use backwall_tasks::constants;
use backwall_tasks::fault::Fault;
use backwall_tasks::handed::Task as Handed;
use backwall_tasks::predict::answer::{Term, Verdict};
use backwall_tasks::predict::arrival::Arrival;
use backwall_tasks::predict::constant::Constant;
use backwall_tasks::predict::prediction::Analysed;
use backwall_tasks::predict::processor::Answer;
use backwall_tasks::predict::task::{Processor, Task};
use backwall_tasks::set::Set;
use backwall_tasks::sources;
use std::collections::BTreeMap;

/// Predictions by series name, for the releases that the probe makes: timers at multiples of `grid_ns`, and Poisson series at the
/// times drawn for this run. Because all release times are known, the predicted bounds are certain. Fails if the analysis cannot
/// assign the set to CPUs.
pub fn predicted(
    set: &Set,
    handed: &[Handed],
    grid_ns: u64,
    known: &[Constant],
) -> Result<BTreeMap<String, Predicted>, Fault> {
    let costs = constants::costs(known)?;
    if set.moves() {
        return Ok(set.series.iter().map(|series| (series.name.clone(), moved())).collect());
    }
    let placed = set.placed(costs)?;
    let analysed =
        placed.into_iter().map(|(number, processor)| Analysed::of(number, released(processor, handed, grid_ns)));
    Ok(analysed.flat_map(|analysed| of_processor(&analysed)).collect())
}

fn released(processor: Processor, handed: &[Handed], grid_ns: u64) -> Processor {
    let one = |task: Task| match handed.iter().find(|handed| handed.name == task.name) {
        Some(own) => Task { arrival: drawn(task.arrival, own).with_jitter(late_ns(own, grid_ns)), timed: true, ..task },
        None => task,
    };
    Processor { tasks: processor.tasks.into_iter().map(one).collect(), ..processor }
}

fn drawn(arrival: Arrival, own: &Handed) -> Arrival {
    let Arrival::Poisson { mean_ns, jitter_ns, .. } = arrival else { return arrival };
    let instants_ns: Vec<u64> = own.releases.iter().map(|release| release.nominal_ns).collect();
    Arrival::known(&instants_ns, mean_ns, jitter_ns)
}

fn late_ns(own: &Handed, grid_ns: u64) -> u64 {
    let late = |arrival_ns: u64| (grid_ns - arrival_ns % grid_ns) % grid_ns;
    own.releases.iter().map(|release| late(release.arrival_ns)).max().unwrap_or(0)
}

/// If the set has a SCHED_DEADLINE task, no task can be analysed: such a task preempts threads of every priority, and the kernel
/// moves it between CPUs.
fn moved() -> Predicted {
    let why = "not analysable: the kernel migrates SCHED_DEADLINE threads between CPUs";
    Predicted { verdict: "unknown".to_string(), no_bound: Some(why.to_string()), ..Predicted::default() }
}

fn of_processor(analysed: &Analysed) -> Vec<(String, Predicted)> {
    let tasks = analysed.processor.tasks.iter().zip(&analysed.answers);
    tasks.map(|(task, answer)| (task.name.clone(), of_task(&analysed.processor, answer))).collect()
}

fn of_task(processor: &Processor, answer: &Answer) -> Predicted {
    let term = |term: &Term| PredictedTerm {
        source: sources::name(processor, term.source),
        count: term.count,
        total: term.total_ns,
    };
    let mut terms: Vec<PredictedTerm> =
        answer.bound.as_ref().map_or(Vec::new(), |bound| bound.terms.iter().map(term).collect());
    terms.sort_by_key(|term| std::cmp::Reverse(term.total));
    let verdict = match answer.verdict {
        Verdict::Met => "met",
        Verdict::Missed => "missed",
        Verdict::Unknown => "unknown",
    };
    Predicted {
        verdict: verdict.to_string(),
        bound: answer.bound.as_ref().ok().map(|bound| bound.from_nominal_ns),
        no_bound: answer.bound.as_ref().err().map(ToString::to_string),
        terms,
        instants_known: true,
    }
}
