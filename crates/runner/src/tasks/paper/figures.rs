// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes the paper's figures from the jobs of an experiment.
use super::experiments::{Experiment, Figure};
use crate::tasks::jobs::{Fate, Job, JobsHeard};
use backwall_model::event_series::{CREATION, SWITCH, TOGETHER};
use backwall_model::units::Unit;
use backwall_model::{Key, Series, Span};
use backwall_stats::SeriesBuilder;
use backwall_tasks::published::DEADLINE_NS;
use std::collections::BTreeMap;

pub fn figure(experiment: &Experiment, heard: &JobsHeard) -> Series {
    let unit = heard.series.first().map_or(Unit::Ns, |series| series.unit);
    let builder = || SeriesBuilder::new(experiment.key(), span(&experiment.key(), unit));
    match experiment.figure {
        Figure::Creation(_) | Figure::Switch(..) => slowest(&heard.jobs, builder),
        Figure::Together(..) => together(&heard.jobs, builder()),
        Figure::Mix(_) => responses(&heard.jobs, builder()),
    }
}

fn span(key: &Key, unit: Unit) -> Span {
    let (from, to) = match key.name.as_str() {
        CREATION => ("create", "start"),
        SWITCH => ("release", "start"),
        TOGETHER => ("release", "finish"),
        _ => ("nominal", "finish"),
    };
    Span::new(from, to, unit)
}

/// Times from the hand-over to the first instruction. Of several series it takes the one with the largest mean, as the paper's
/// Table II does.
fn slowest(jobs: &[Job], builder: impl Fn() -> SeriesBuilder) -> Series {
    let mut tasks: BTreeMap<u32, SeriesBuilder> = BTreeMap::new();
    for job in jobs {
        let series = tasks.entry(job.task).or_insert_with(&builder);
        match job.fate {
            Fate::Done { release, start, .. } => {
                series.sample(job.seq, job.nominal, start.saturating_sub(release), false)
            }
            _ => series.missed(job.nominal, 1),
        }
    }
    let all = tasks.values().map(SeriesBuilder::build);
    let mean = |series: &Series| series.mean.unwrap_or(0.0);
    all.reduce(|one, other| if mean(&other) > mean(&one) { other } else { one }).unwrap_or_else(|| builder().build())
}

/// Time from the first hand-over to the last end, for each release at which every simultaneous event was done.
fn together(jobs: &[Job], mut builder: SeriesBuilder) -> Series {
    let mut instants: BTreeMap<u64, (u64, Option<(u64, u64)>)> = BTreeMap::new();
    for job in jobs {
        let (_, ends) = instants.entry(job.seq).or_insert((job.nominal, Some((u64::MAX, 0))));
        *ends = match (*ends, job.fate) {
            (Some((first, last)), Fate::Done { release, finish, .. }) => Some((first.min(release), last.max(finish))),
            _ => None,
        };
    }
    for (seq, (nominal, ends)) in instants {
        match ends {
            Some((first, last)) => builder.sample(seq, nominal, last.saturating_sub(first), false),
            None => builder.missed(nominal, 1),
        }
    }
    builder.build()
}

fn responses(jobs: &[Job], mut builder: SeriesBuilder) -> Series {
    let mut jobs: Vec<&Job> = jobs.iter().collect();
    jobs.sort_by_key(|job| (job.nominal, job.task));
    for (seq, job) in (0..).zip(jobs) {
        match job.fate {
            Fate::Done { finish, .. } => {
                let response = finish.saturating_sub(job.nominal);
                builder.sample(seq, job.nominal, response, response > DEADLINE_NS);
            }
            _ => builder.missed(job.nominal, 1),
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builder() -> SeriesBuilder {
        SeriesBuilder::new(Key::new("x", "none", "as-is"), Span::new("a", "b", Unit::Ns))
    }

    fn job(task: u32, seq: u64, [release, start, finish]: [u64; 3]) -> Job {
        Job { task, seq, nominal: seq * 1_000, fate: Fate::Done { release, start, finish } }
    }

    fn lost(task: u32, seq: u64) -> Job {
        Job { task, seq, nominal: seq * 1_000, fate: Fate::Unfinished }
    }

    #[test]
    fn the_series_with_the_largest_mean_is_the_figure() {
        let jobs = [job(0, 0, [5, 9, 20]), job(1, 0, [6, 30, 40]), job(0, 1, [1_005, 1_009, 1_020]), lost(1, 1)];
        let found = slowest(&jobs, builder);
        assert_eq!((found.min, found.max, found.due, found.missed), (Some(24), Some(24), Some(2), Some(1)));
        assert_eq!(slowest(&[], builder).done, 0);
    }

    #[test]
    fn simultaneous_events_count_from_the_first_hand_over_to_the_last_end() {
        let jobs = [job(0, 0, [5, 9, 20]), job(1, 0, [6, 21, 40]), job(0, 1, [1_005, 1_009, 1_020]), lost(1, 1)];
        let found = together(&jobs, builder());
        assert_eq!((found.max, found.due, found.done, found.missed), (Some(35), Some(2), 1, Some(1)));
    }

    #[test]
    fn a_mix_counts_what_was_late_and_what_was_not_done() {
        let late = Job { nominal: 0, ..job(0, 1, [5, 9, DEADLINE_NS + 1]) };
        let found = responses(&[job(0, 0, [5, 9, DEADLINE_NS]), late, lost(1, 0)], builder());
        assert_eq!((found.due, found.done, found.late, found.missed), (Some(3), 2, Some(1), Some(1)));
    }
}
