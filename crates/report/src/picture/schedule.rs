// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worst part of a schedule: one lane per task, one bar per job, with its release and its deadline.
//!
//! The picture derives who ran from the jobs' own timestamps. A job runs from its start to its end, except while a more urgent
//! job of the same CPU runs. With locks a started job may wait for a less urgent one. Then the picture does not show who ran:
//! each bar has one shade from start to end.
use crate::axis::{Axis, short};
use crate::drawing::{Anchor, Drawing};
use crate::plot::{self, Area, WIDTH};
use crate::wrap::cut;
use backwall_model::picture::{TaskRow, TaskSet, TaskWindow, WindowJob};
use backwall_model::units::{Unit, grouped};
use maud::Markup;

const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 40.0;
const ROW: f64 = 34.0;
const TOP: f64 = 12.0;
const NAME_COLUMNS: usize = 24;

pub fn draw(set: &TaskSet, window: &TaskWindow, unit: Unit, id: &str) -> Markup {
    let lanes = lanes(set, window);
    let end = window.to.max(deadline(set, window));
    let x = Axis::exact(end.saturating_sub(window.from).max(1) as f64 * 1.02, LEFT, RIGHT);
    let area = Area { left: LEFT, right: RIGHT, top: TOP, bottom: TOP + ROW * lanes.len() as f64 };
    let mut drawing = Drawing::new(WIDTH, area.bottom + 46.0);
    let title = format!("since {} after the start of the schedule", short(window.from as f64, unit));
    plot::x_axis(&mut drawing, area, &x, &x.ticks(|value| short(value, unit)), &title);
    for (place, task) in lanes.iter().enumerate() {
        let top = TOP + ROW * place as f64;
        let name = set.tasks.get(*task as usize).map_or("", |row| row.name.as_str());
        drawing.text("mark", (LEFT - 8.0, top + 21.0), Anchor::End, &cut(name, NAME_COLUMNS));
        for job in window.jobs.iter().filter(|job| job.task == *task) {
            bar(&mut drawing, &x, top, (set, window, unit), job);
        }
    }
    let about =
        format!("{} jobs of {} tasks; {} earlier ones are not shown.", window.jobs.len(), lanes.len(), window.more);
    drawing.finish(id, "The worst part of the schedule", &about)
}

pub fn cautions(window: &TaskWindow) -> impl Iterator<Item = String> {
    let given_up = (window.given_up > 0).then(|| {
        format!(
            "the picture does not show the aborted jobs of this part ({}): they left no timestamps, and may have used the CPU where it looks free",
            grouped(window.given_up)
        )
    });
    let locks = window.locks.then(|| {
        "the set has locks, so a started job may wait for a less urgent one: each bar has one colour from a job's \
            start to its end"
            .to_string()
    });
    given_up.into_iter().chain(locks)
}

fn lanes(set: &TaskSet, window: &TaskWindow) -> Vec<u32> {
    let mut found: Vec<u32> = window.jobs.iter().map(|job| job.task).collect();
    found.sort_by_key(|task| (std::cmp::Reverse(urgency(set, *task)), *task));
    found.dedup();
    found
}

/// The task's priority; `None` for SCHED_DEADLINE or the ordinary scheduler, whose order the timestamps do not show.
fn urgency(set: &TaskSet, task: u32) -> Option<u32> {
    set.tasks.get(task as usize).and_then(|row| row.priority)
}

fn deadline(set: &TaskSet, window: &TaskWindow) -> u64 {
    let worst = window.jobs.iter().find(|job| (job.task, job.seq) == (window.task, window.seq));
    let row = set.tasks.get(window.task as usize);
    worst.zip(row).map_or(window.to, |(job, row)| job.nominal.saturating_add(row.deadline))
}

fn bar(drawing: &mut Drawing, x: &Axis, top: f64, (set, window, unit): (&TaskSet, &TaskWindow, Unit), job: &WindowJob) {
    let at = |instant: u64| x.at(instant.saturating_sub(window.from) as f64);
    let due = |row: &TaskRow| job.nominal.saturating_add(row.deadline);
    let late = set.tasks.get(job.task as usize).is_some_and(|row| job.finish > due(row));
    let class = if late { "dot c1" } else { "dot c0" };
    let (height, from) = (ROW - 14.0, at(job.start));
    drawing.shaded_rect(class, (from, top + 9.0), (at(job.finish) - from, height), 0.25);
    if !window.locks {
        for (begin, end) in running(set, window, job) {
            drawing.rect(class, (at(begin), top + 9.0), (at(end) - at(begin), height));
        }
    }
    drawing.line("axis", (at(job.nominal), top + 3.0), (at(job.nominal), top + ROW - 5.0));
    if (job.task, job.seq) == (window.task, window.seq) {
        let deadline = at(deadline(set, window));
        drawing.rect("wall c1", (deadline - 1.0, top + 3.0), (2.5, ROW - 8.0));
    }
    drawing.hint((from, top + 3.0), ((at(job.finish) - from).max(3.0), ROW - 8.0), &hints(set, job, unit));
}

fn hints(set: &TaskSet, job: &WindowJob, unit: Unit) -> Vec<String> {
    let name = set.tasks.get(job.task as usize).map_or("", |row| row.name.as_str());
    let shown = |value: u64| short(value as f64, unit);
    vec![
        format!("{name}, job {}", job.seq.saturating_add(1)),
        format!("released {}", shown(job.nominal)),
        format!("start {} later", shown(job.start.saturating_sub(job.nominal))),
        format!("end {} later", shown(job.finish.saturating_sub(job.nominal))),
    ]
}

/// The time from the job's start to its end without the times of more urgent jobs.
fn running(set: &TaskSet, window: &TaskWindow, job: &WindowJob) -> Vec<(u64, u64)> {
    let own = urgency(set, job.task);
    let above = |other: &&WindowJob| own.is_some() && urgency(set, other.task) > own && other.finish > job.start;
    let (mut from, mut found) = (job.start, Vec::new());
    for other in window.jobs.iter().filter(above).take_while(|other| other.start < job.finish) {
        if other.start > from {
            found.push((from, other.start));
        }
        from = from.max(other.finish);
    }
    if job.finish > from {
        found.push((from, job.finish));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> TaskSet {
        let row = |name: &str, priority| TaskRow { name: name.into(), priority, deadline: 50, ..TaskRow::default() };
        TaskSet { tasks: vec![row("<low>", Some(1)), row("high", Some(9))], ..TaskSet::default() }
    }

    fn window() -> TaskWindow {
        let job = |task, start, finish| WindowJob { task, seq: start, nominal: start, start, finish };
        let jobs = vec![job(0, 100, 160), job(1, 110, 120), job(1, 140, 150)];
        TaskWindow { from: 100, to: 160, task: 0, seq: 100, jobs, ..TaskWindow::default() }
    }

    #[test]
    fn a_job_runs_but_for_the_times_of_more_urgent_ones() {
        let (set, window) = (set(), window());
        assert_eq!(running(&set, &window, &window.jobs[0]), [(100, 110), (120, 140), (150, 160)]);
        assert_eq!(running(&set, &window, &window.jobs[1]), [(110, 120)]);
        assert_eq!(lanes(&set, &window), [1, 0]);
    }

    #[test]
    fn with_locks_nobody_is_shown_as_running() {
        let bars =
            |window: &TaskWindow| draw(&set(), window, Unit::Ns, "schedule").into_string().matches("<rect").count();
        let plain = TaskWindow { locks: true, ..window() };
        assert_eq!(bars(&window()) - bars(&plain), 5, "of the running stretches of three jobs");
        assert_eq!((cautions(&window()).count(), cautions(&TaskWindow { given_up: 3, ..plain }).count()), (0, 2));
    }

    #[test]
    fn every_job_is_drawn_and_names_are_escaped() {
        let svg = draw(&set(), &window(), Unit::Ns, "schedule").into_string();
        assert!(svg.contains("&lt;low&gt;") && !svg.contains("<low>"), "{svg}");
        assert!(svg.contains("end 60 ns later"), "{svg}");
    }
}
