// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of a task set's run: the fate of each release, and warnings.
use crate::session::assemble::Assembly;
use crate::tasks::jobs::{Fate, Job, JobsHeard};
use crate::tasks::ready::Ready;
use crate::tasks::window::window;
use backwall_model::Warning;
use backwall_model::picture::{RecordedSpan, TaskRow, TaskSet, TaskWindow, Turns};
use backwall_model::units::tenths;
use backwall_tasks::handed::{Scheduling, Task, Work};

pub fn task_set(ready: &Ready, heard: &JobsHeard, is_kept: bool) -> TaskSet {
    let has_threads = heard.threads.len() == ready.handed.tasks.len();
    let row = |(place, task): (usize, &Task)| {
        let series = &ready.set.series[place];
        let policy = match task.scheduling {
            Scheduling::Fifo(_) => "fifo",
            Scheduling::Rr(_) => "rr",
            Scheduling::Deadline { .. } => "deadline",
            Scheduling::Ordinary => "ordinary",
        };
        TaskRow {
            name: task.name.clone(),
            policy: policy.to_string(),
            priority: task.scheduling.priority(),
            cpu: task.cpu,
            interval: series.period.or(series.mean).map_or(0, |interval| interval.0),
            poisson: series.mean.is_some(),
            computation: task.computation_ns,
            deadline: task.deadline_ns,
            fates: heard.fates.get(place).copied().unwrap_or_default(),
            thread: heard.threads.get(place).copied().filter(|_| has_threads),
            used_ns: heard.used_ns.get(place).copied().flatten(),
            predicted: ready.predicted.get(&task.name).cloned(),
        }
    };
    let rows: Vec<TaskRow> = ready.handed.tasks.iter().enumerate().map(row).collect();
    let deadlines: Vec<u64> = rows.iter().map(|row| row.deadline).collect();
    let cpus: Vec<Option<u32>> = rows.iter().map(|row| row.cpu).collect();
    let turns = |name: &str| heard.heard.values.get(name).copied();
    let before = turns("calibration_before_turns").filter(|_| ready.handed.work == Work::Loop);
    let locks = ready.handed.tasks.iter().any(|task| !task.sections.is_empty());
    TaskSet {
        turns: before.map(|before| Turns { before, after: turns("calibration_after_turns") }),
        window: window(&heard.jobs, &deadlines, &cpus).map(|window| TaskWindow { locks, ..window }),
        recorded: is_kept
            .then(|| RecordedSpan { begin: heard.start, end: heard.start.saturating_add(ready.handed.end_ns) }),
        tasks: rows,
    }
}

pub fn warn(ready: &Ready, shown: &TaskSet, assembly: &mut Assembly) {
    if let Some(turns) = shown.turns.filter(|turns| !turns.hold()) {
        let text = match turns.thousandths() {
            Some(thousandths) => format!(
                "the CPU's speed changed by {} % during the run, so jobs were not as long as the set says; use --work \
                    cpu-time, which does not depend on the speed",
                tenths(thousandths as f64 / 10.0)
            ),
            None => "the speed was not measured again after the run".to_string(),
        };
        assembly.discredit(&text);
    }
    for task in &shown.tasks {
        if let Some(excess) =
            task.excess_thousandths().filter(|_| shown.turns.is_some()).filter(|excess| is_more(*excess, task))
        {
            let percent = tenths(excess.unsigned_abs() as f64 / 10.0);
            let than = if excess > 0 { "longer" } else { "shorter" };
            assembly.discredit(&format!(
                "jobs of {} computed {percent} % {than} than calibrated: the CPU changed its speed, or the hypervisor \
                    took time; use --work cpu-time, which does not depend on the speed",
                task.name
            ));
        }
    }
    if ready.handed.best_effort {
        assembly.discredit_best_effort();
    }
    if let (Some(guest), [_, ..]) = (&ready.guest, &ready.set.interrupt[..]) {
        let names: Vec<&str> = ready.set.interrupt.iter().map(|interrupt| interrupt.name.as_str()).collect();
        let said = format!(
            "{guest} does not generate the set's interrupts, so the prediction leaves them out: {}",
            names.join(", ")
        );
        assembly.warn(Warning::new("no-interrupts", said));
    }
    if ready.set.priorities_change() {
        let said = "the set's priorities are not all 1 to 98, so backwall replaced them by 1, 2, 3 … in the same order";
        assembly.warn(Warning::new("priorities-changed", said));
    }
    for task in shown.tasks.iter().filter(|task| !task.fates.closes()) {
        assembly.discredit(&format!("internal error: {}: a release has no outcome", task.name));
    }
}

/// Whether the jobs' computing time differs from the calibrated time by more than 1 %, and by more than a thread's
/// overhead around a job.
fn is_more(excess_thousandths: i64, task: &TaskRow) -> bool {
    const AROUND_NS: u64 = 20_000;
    let each_ns = task.computation.saturating_mul(excess_thousandths.unsigned_abs()) / 1_000;
    excess_thousandths.abs() > 10 && each_ns > AROUND_NS
}

/// One row per release that came due. Times are in the device's unit since the start of the schedule.
pub fn csv(ready: &Ready, jobs: &[Job]) -> String {
    let row = |job: &Job| {
        let name = ready.handed.tasks[job.task as usize].name.replace('"', "\"\"");
        let (stamps, fate) = match job.fate {
            Fate::Done { release, start, finish } => (format!("{release},{start},{finish}"), "done"),
            Fate::Skipped => (",,".to_string(), "skipped"),
            Fate::Aborted => (",,".to_string(), "aborted"),
            Fate::Unfinished => (",,".to_string(), "unfinished"),
        };
        format!("\"{name}\",{},{},{stamps},{fate}\n", job.seq, job.nominal)
    };
    "task,seq,nominal,release,start,finish,fate\n".to_string() + &jobs.iter().map(row).collect::<String>()
}
