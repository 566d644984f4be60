// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fate of a set's jobs: read from the probe's stream, counted, and kept one by one.
use crate::Watch;
use crate::stream::notes::Notes;
use crate::stream::probe_report::{PROBE_THREAD, ProbeReport};
use backwall_model::picture::{Fates, TaskRow};
use backwall_model::units::Unit;
use backwall_model::{Key, Series, Span, Warning};
use backwall_stats::SeriesBuilder;
use backwall_wire::{Ending, Hello, LossReason, MissedStimuli, NamedValue, Reader, Record, Row, Severity};
use std::io::Read;

/// The load and the C-state setting of a set's run, for the keys of its series.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The requested load, or `none`.
    pub load: String,
    pub idle: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Done. Times are since the start of the schedule, in the device's unit.
    Done {
        release: u64,
        start: u64,
        finish: u64,
    },
    /// Skipped, because the previous job of the task still ran.
    Skipped,
    Aborted,
    Unfinished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    pub task: u32,
    /// Job number, from 0.
    pub seq: u64,
    pub nominal: u64,
    pub fate: Fate,
}

#[derive(Clone, Debug, Default)]
pub struct JobCounter {
    pub name: String,
    /// Deadline in nanoseconds after the nominal release.
    pub deadline_ns: u64,
    pub nominal_ns: Vec<u64>,
}

pub struct JobsHeard {
    pub heard: ProbeReport,
    pub fates: Vec<Fates>,
    /// CPU time of each task's thread in nanoseconds, if the device reports it.
    pub used_ns: Vec<Option<u64>>,
    pub series: Vec<Series>,
    pub jobs: Vec<Job>,
    /// The start of the schedule on the device's clock, in its unit.
    pub start: u64,
    /// The thread number of each task, in the order of the set; empty if the probe creates a thread for each job.
    pub threads: Vec<i32>,
}

pub fn keys(task: &str, phase: &Phase) -> [Key; 3] {
    [TaskRow::RELEASE, TaskRow::START, TaskRow::RESPONSE].map(|name| Key {
        variant: [(TaskRow::TASK.to_string(), task.to_string())].into(),
        ..Key::new(name, &phase.load, &phase.idle)
    })
}

const POINTS: usize = 4;

/// Reads a stream until it ends. An error in the stream also ends it and becomes a warning.
pub fn listen(stream: impl Read, tasks: Vec<JobCounter>, phase: &Phase, watch: &Watch) -> JobsHeard {
    let rows = tasks.iter().map(|task| TaskHeard::new(task, phase, Unit::Ns)).collect();
    let mut listener = Listener {
        tasks,
        phase,
        watch,
        heard: ProbeReport::default(),
        notes: Notes::default(),
        start: 0,
        threads: Vec::new(),
        rows,
        jobs: Vec::new(),
    };
    let mut reader = Reader::new(stream);
    if let Err(error) = reader.follow(|record| listener.take(record)) {
        listener.broken(error.to_string());
    }
    if let (Ending::Whole(reason), None) = (reader.ending(), &listener.heard.fault) {
        listener.heard.ending = Some(reason);
    }
    listener.finish()
}

struct TaskHeard {
    fates: Fates,
    in_a_row: u64,
    used_ns: Option<u64>,
    builders: [SeriesBuilder; 3],
}

impl TaskHeard {
    fn new(task: &JobCounter, phase: &Phase, unit: Unit) -> Self {
        let builders = keys(&task.name, phase).map(|key| {
            let span = Span::new("nominal", key.name.clone(), unit);
            SeriesBuilder::new(key, span)
        });
        Self { fates: Fates::default(), in_a_row: 0, used_ns: None, builders }
    }

    fn met(&mut self, on_time: bool) {
        self.in_a_row = if on_time { 0 } else { self.in_a_row + 1 };
        self.fates.missed_in_a_row = self.fates.missed_in_a_row.max(self.in_a_row);
    }

    fn series(&self) -> [Series; 3] {
        let [release, start, response] = &self.builders;
        [release, start, response].map(SeriesBuilder::build)
    }
}

struct Listener<'a> {
    tasks: Vec<JobCounter>,
    phase: &'a Phase,
    watch: &'a Watch,
    heard: ProbeReport,
    notes: Notes,
    start: u64,
    threads: Vec<i32>,
    rows: Vec<TaskHeard>,
    jobs: Vec<Job>,
}

impl Listener<'_> {
    fn take(&mut self, record: Record<'_>) {
        self.watch.heard();
        if self.heard.fault.is_some() {
            return;
        }
        match record {
            Record::Hello(hello) => self.hello(hello),
            Record::Text { key, value } => {
                self.threads.extend(value.parse::<i32>().ok().filter(|_| key == PROBE_THREAD));
                self.heard.texts.insert(key.to_string(), value.to_string());
            }
            Record::Value(value) if value.name == "schedule_start_cycles" => self.start = value.value,
            Record::Value(NamedValue { series: Some(task), name: "task_cpu_ns", value }) => {
                self.rows.get_mut(task as usize).into_iter().for_each(|row| row.used_ns = Some(value));
            }
            Record::Value(value) => {
                self.heard.values.insert(value.name.to_string(), value.value);
            }
            Record::Note { severity: Severity::Info, .. } => {}
            Record::Note { text, .. } => self.notes.push(Warning::new(Warning::PROBE, text)),
            Record::Series(head) if head.points.len() != POINTS => {
                self.broken(format!("series {} has {} points, but a job has {POINTS}", head.series, head.points.len()));
            }
            Record::Samples(samples) => {
                let task = samples.series as usize;
                if samples.rows().last().is_some_and(|(last, _)| self.has_releases(task, last.saturating_add(1))) {
                    samples.rows().for_each(|(seq, row)| self.done(task, seq, &row));
                }
            }
            Record::Lost(lost) => self.lost(&lost),
            // The number of due jobs that the probe counted, to check backwall's count against it.
            Record::Totals(totals) => {
                let row = self.rows.get_mut(totals.series as usize);
                row.into_iter().for_each(|row| row.fates.nominal = totals.due);
            }
            _ => {}
        }
    }

    fn hello(&mut self, hello: Hello) {
        let (phase, unit) = (self.phase, hello.unit);
        self.rows = self.tasks.iter().map(|task| TaskHeard::new(task, phase, unit)).collect();
        self.heard.hello = Some(hello);
    }

    fn done(&mut self, task: usize, seq: u64, row: &Row<'_>) {
        let (Some(hello), Some(of), Some(heard)) = (&self.heard.hello, self.tasks.get(task), self.rows.get_mut(task))
        else {
            return;
        };
        let [Some(release), Some(start), Some(finish)] = [1, 2, 3].map(|point| row.point(point)) else {
            return self.missed(task, seq, Fate::Unfinished);
        };
        let since = |count: u64, origin: u64| hello.value_of(count.saturating_sub(origin));
        let nominal = since(row.stimulus(), self.start);
        let [release, start, finish] = [release, start, finish].map(|count| since(count, row.stimulus()));
        let late = finish > of.deadline_ns;
        for (builder, value) in heard.builders.iter_mut().zip([release, start, finish]) {
            // Only the response can miss the deadline; the other series of the task cannot.
            builder.sample(seq, nominal, value, late && builder.key().name == TaskRow::RESPONSE);
        }
        heard.fates.nominal += 1;
        *(if late { &mut heard.fates.late } else { &mut heard.fates.on_time }) += 1;
        heard.met(!late);
        self.watch.saw(finish);
        let [release, start, finish] = [release, start, finish].map(|after| nominal.saturating_add(after));
        let fate = Fate::Done { release, start, finish };
        self.jobs.push(Job { task: task as u32, seq, nominal, fate });
    }

    fn lost(&mut self, lost: &MissedStimuli) {
        let (task, end) = (lost.series as usize, lost.first_seq.saturating_add(lost.count));
        if !self.has_releases(task, end) {
            return;
        }
        let fate = match lost.reason {
            LossReason::Overrun => Fate::Skipped,
            LossReason::Aborted => Fate::Aborted,
            _ => Fate::Unfinished,
        };
        (lost.first_seq..end).for_each(|seq| self.missed(task, seq, fate));
    }

    /// Whether the task has at least this many releases. A stream with more jobs is damaged.
    fn has_releases(&mut self, task: usize, count: u64) -> bool {
        let Some(releases) = self.tasks.get(task).map(|of| of.nominal_ns.len() as u64) else { return false };
        if count > releases {
            self.broken(format!("the stream has {count} jobs of task {task}, expected {releases}"));
        }
        count <= releases
    }

    fn missed(&mut self, task: usize, seq: u64, fate: Fate) {
        let (Some(of), Some(heard)) = (self.tasks.get(task), self.rows.get_mut(task)) else { return };
        let nominal = usize::try_from(seq).ok().and_then(|seq| of.nominal_ns.get(seq)).copied().unwrap_or(0);
        *(match fate {
            Fate::Skipped => &mut heard.fates.skipped,
            Fate::Aborted => &mut heard.fates.aborted,
            _ => &mut heard.fates.unfinished,
        }) += 1;
        heard.fates.nominal += 1;
        heard.met(false);
        let take = if fate == Fate::Skipped { SeriesBuilder::skipped } else { SeriesBuilder::missed };
        heard.builders.iter_mut().for_each(|builder| take(builder, nominal, 1));
        self.jobs.push(Job { task: task as u32, seq, nominal, fate });
    }

    fn broken(&mut self, fault: String) {
        self.notes.push(Warning::new(Warning::PROBE, &fault));
        self.heard.fault.get_or_insert(fault);
    }

    fn finish(mut self) -> JobsHeard {
        self.heard.warnings = self.notes.all().collect();
        JobsHeard {
            fates: self.rows.iter().map(|row| row.fates).collect(),
            used_ns: self.rows.iter().map(|row| row.used_ns).collect(),
            series: self.rows.iter().flat_map(TaskHeard::series).collect(),
            jobs: self.jobs,
            start: self.heard.hello.as_ref().map_or(0, |hello| hello.value_of(self.start)),
            threads: self.threads,
            heard: self.heard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_wire::fixture::{Declared, Stream};

    fn heard(stream: &Stream) -> JobsHeard {
        let nominal_ns = vec![0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000];
        let tasks = vec![JobCounter { name: "control".into(), deadline_ns: 500, nominal_ns }];
        let phase = Phase { load: "none".into(), idle: "as-is".into() };
        listen(stream.bytes().as_slice(), tasks, &phase, &Watch::default())
    }

    fn stream() -> Stream {
        let mut stream = Stream::new();
        let points = &["nominal", "release", "start", "finish"];
        let fields = &["task=control"];
        stream.hello().declare(&Declared { series: 0, name: "job", points, periodic: false, cpu: None, fields });
        stream
    }

    #[test]
    fn every_release_has_one_fate_and_they_add_up() {
        let mut stream = stream();
        let job = |nominal: u64, finish: u64| [nominal, nominal + 100, nominal + 200, finish];
        stream.samples(0, 0, 0, &[&job(0, 500), &job(1_000, 1_600)]).lost(0, 2, 1, 2).lost(0, 4, 5, 1);
        stream.samples(0, 5, 0, &[&job(5_000, 5_300)]).lost(0, 6, 3, 1).end(0);
        let heard = heard(&stream);
        let fates = heard.fates[0];
        assert!(fates.closes());
        assert_eq!((fates.nominal, fates.on_time, fates.late), (7, 2, 1));
        assert_eq!((fates.skipped, fates.aborted, fates.unfinished, fates.missed_in_a_row), (2, 1, 1, 4));
        let accounts: Vec<_> = heard.series.iter().map(|one| (one.due, one.done, one.missed, one.skipped)).collect();
        assert_eq!(accounts, [(Some(7), 3, Some(4), 2); 3]);
        let late: Vec<_> = heard.series.iter().map(|one| (one.key.name.as_str(), one.late, one.max)).collect();
        assert_eq!(
            late,
            [("release", Some(0), Some(100)), ("start", Some(0), Some(200)), ("response", Some(1), Some(600))]
        );
        assert_eq!(heard.jobs.len(), 7);
        assert_eq!(heard.jobs[3], Job { task: 0, seq: 3, nominal: 3_000, fate: Fate::Skipped });
    }

    #[test]
    fn a_job_without_one_of_its_instants_is_a_loss_and_not_a_response_of_nothing() {
        let mut stream = stream();
        stream.samples(0, 0, 0, &[&[0, 100, 200, 300], &[1_000, 1_100, 1_200, u64::MAX]]).end(0);
        let heard = heard(&stream);
        assert_eq!((heard.fates[0].nominal, heard.fates[0].on_time, heard.fates[0].unfinished), (2, 1, 1));
        assert!(heard.series.iter().all(|series| (series.done, series.missed) == (1, Some(1))));
    }

    #[test]
    fn a_stream_with_more_jobs_than_releases_is_broken_there() {
        let mut stream = stream();
        stream.samples(0, 0, 0, &[&[0, 100, 200, 300]]).lost(0, 1, 3, 7).end(0);
        let heard = heard(&stream);
        assert!(heard.heard.ending.is_none() && heard.fates[0].closes());
        assert_eq!((heard.fates[0].nominal, heard.jobs.len()), (1, 1));
        let said = "the stream has 8 jobs of task 0, expected 7";
        assert_eq!(
            (heard.heard.fault.as_deref(), heard.heard.warnings.as_slice()),
            (Some(said), &[Warning::new(Warning::PROBE, said)][..])
        );
    }

    #[test]
    fn a_stream_about_tasks_that_are_not_there_is_heard_without_them() {
        let mut stream = stream();
        stream.samples(0, 0, 0, &[&[1, 2, 3, 4]]);
        let heard = listen(stream.bytes().as_slice(), Vec::new(), &Phase::default(), &Watch::default());
        assert!(heard.jobs.is_empty() && heard.series.is_empty() && heard.heard.ending.is_none());
    }
}
