// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a schedule around the job with the worst response relative to its deadline. It starts when that job's CPU was
//! last idle.
use crate::tasks::jobs::{Fate, Job};
use backwall_model::picture::{TaskWindow, WindowJob};

const MOST: usize = 300;

/// The window of the worst job and the other jobs on its CPU; `None` if no job was done.
///
/// `deadlines` and `cpus` have one entry per task. Tasks without a CPU of their own count as being on the same CPU.
pub fn window(jobs: &[Job], deadlines: &[u64], cpus: &[Option<u32>]) -> Option<TaskWindow> {
    let worst = worst(jobs, deadlines)?;
    let beside = |job: &WindowJob| cpus.get(job.task as usize) == cpus.get(worst.task as usize);
    let mut done: Vec<WindowJob> = jobs.iter().filter_map(done).filter(beside).collect();
    done.sort_by_key(|job| (job.nominal, job.start));
    let mut from = worst.nominal;
    // Go backwards in time. A job that was still running at the beginning of the window moves the beginning to its release.
    for job in done.iter().rev().filter(|job| job.nominal <= worst.nominal) {
        if job.finish > from {
            from = from.min(job.nominal);
        }
    }
    let (to, shown) = (worst.finish, |job: &&WindowJob| job.finish > from && job.start < worst.finish);
    let mut shown: Vec<WindowJob> = done.iter().filter(shown).copied().collect();
    let more = shown.len().saturating_sub(MOST);
    shown.drain(..more); // drops the earliest, which affect the worst response least
    let from = if more > 0 { shown.iter().map(|job| job.nominal).min().unwrap_or(from) } else { from };
    shown.sort_by_key(|job| job.start);
    let given_up = jobs.iter().filter(|job| cpus.get(job.task as usize) == cpus.get(worst.task as usize));
    let given_up = given_up.filter(|job| is_open_in(job, from, to)).count() as u64;
    let (task, seq, more) = (worst.task, worst.seq, more as u64);
    Some(TaskWindow { from, to, task, seq, jobs: shown, more, given_up, locks: false })
}

/// Whether an aborted or unfinished job came due in the window. It may have run there, but its times are unknown.
fn is_open_in(job: &Job, from: u64, to: u64) -> bool {
    matches!(job.fate, Fate::Aborted | Fate::Unfinished) && (from..to).contains(&job.nominal)
}

fn done(job: &Job) -> Option<WindowJob> {
    let Fate::Done { start, finish, .. } = job.fate else { return None };
    Some(WindowJob { task: job.task, seq: job.seq, nominal: job.nominal, start, finish })
}

/// The job whose response is the largest share of its deadline; the first of several equal ones.
fn worst(jobs: &[Job], deadlines: &[u64]) -> Option<WindowJob> {
    let share = |job: &WindowJob| {
        let deadline = deadlines.get(job.task as usize).copied().unwrap_or(1).max(1);
        u128::from(job.finish - job.nominal) * (1 << 60) / u128::from(deadline)
    };
    jobs.iter().filter_map(done).reduce(|worst, job| if share(&job) > share(&worst) { job } else { worst })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(task: u32, seq: u64, nominal: u64, start: u64, finish: u64) -> Job {
        Job { task, seq, nominal, fate: Fate::Done { release: start, start, finish } }
    }

    #[test]
    fn the_window_goes_back_to_where_the_processor_was_free() {
        // Lehoczky's third example: until 694, no job of the second task is done before the next one's release.
        let short = (0..10).map(|k| job(0, k, 70 * k, 70 * k, 70 * k + 26));
        let finish = [114, 202, 316, 404, 518, 606, 694];
        let long = (0..).zip(finish).map(|(k, finish)| job(1, k, 100 * k, (100 * k).max(27), finish));
        let earlier = job(0, 99, 1_000, 1_000, 1_026);
        let jobs: Vec<Job> = short.chain(long).chain([earlier]).collect();
        let found = window(&jobs, &[70, 120], &[Some(1), Some(1)]).unwrap();
        assert_eq!((found.task, found.seq, found.from, found.to), (1, 4, 0, 518));
        assert!(found.jobs.iter().all(|job| job.start < 518) && found.jobs.len() == 8 + 6 && found.more == 0);
    }

    #[test]
    fn jobs_of_other_processors_and_releases_without_a_job_are_not_in_it() {
        let skipped = Job { task: 0, seq: 1, nominal: 10, fate: Fate::Skipped };
        let found = window(&[job(0, 0, 0, 1, 9), skipped, job(1, 0, 0, 0, 5)], &[10, 10], &[Some(0), Some(1)]).unwrap();
        assert_eq!(found.jobs, [WindowJob { task: 0, seq: 0, nominal: 0, start: 1, finish: 9 }]);
        assert_eq!(window(&[skipped], &[10], &[None]), None);
    }

    #[test]
    fn jobs_that_were_given_up_in_it_are_counted() {
        let fated = |task, seq, nominal, fate| Job { task, seq, nominal, fate };
        let aborted = fated(1, 0, 10, Fate::Aborted);
        let others =
            [fated(1, 1, 500, Fate::Aborted), fated(2, 0, 10, Fate::Unfinished), fated(1, 2, 11, Fate::Skipped)];
        let jobs: Vec<Job> = [job(0, 0, 0, 1, 90), aborted].into_iter().chain(others).collect();
        let found = window(&jobs, &[100, 10, 10], &[Some(0), Some(0), Some(1)]).unwrap();
        assert_eq!((found.jobs.len(), found.given_up), (1, 1));
    }

    #[test]
    fn a_long_stretch_keeps_what_is_near_the_worst() {
        let jobs: Vec<Job> = (0..1_000)
            .map(|k| job(0, k, 10 * k, 10 * k, 10 * k + 11))
            .chain([job(0, 1_000, 10_000, 10_000, 10_030)])
            .collect();
        let found = window(&jobs, &[5], &[None]).unwrap();
        assert_eq!((found.jobs.len(), found.more, found.seq), (MOST, 701, 1_000));
    }
}
