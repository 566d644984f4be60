// SPDX-License-Identifier: MIT OR Apache-2.0
//! Causes of missed deadlines. backwall records the kernel's trace while the set runs and analyses it afterwards.
#![expect(clippy::disallowed_types, reason = "keeps the recording")]
use crate::device::probe::Probe;
use crate::session::part::Part;
use crate::tasks::jobs::{self, Fate, JobsHeard};
use crate::tasks::ready::Ready;
use backwall_ftrace::TraceError;
use backwall_ftrace::recording_file;
use backwall_ftrace::tracker::{FinishedRecording, Tracker};
use backwall_model::units::counted;
use backwall_model::{Stages, Warning, Worst};
use backwall_os::refusal::{Result, bad_input, unable, usage};
use backwall_tasks::handed::Task;
use backwall_tasks::set::{Organisation, Overrun};
use backwall_trace::account::analysis::{Analysis, Listener};
use backwall_trace::event::{Besides, Stamped};
use backwall_trace::late::missed::{Job, MissedJobFinder, MissedSeries, Series};
use backwall_trace::read::receiver::Receiver;
use backwall_trace::read::stored::OpenRecording;
use backwall_trace::write::trace_dat;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Size limit of a recording: about 20 minutes at 20,000 events per second. Later events are dropped with a warning.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug, Default)]
pub struct MissedJobs {
    pub stages: Vec<Stages>,
    pub events: Option<u64>,
    pub warnings: Vec<Warning>,
}

impl MissedJobs {
    pub fn part(self) -> Part {
        let Self { stages, events, warnings } = self;
        let found = backwall_model::Results { trace_events: events, ..backwall_model::Results::default() };
        Part { found, warnings, ..Part::of_missed(stages) }
    }
}

/// Refuses a set whose missed jobs cannot be told apart in a recording; the message names the series.
pub fn refuse_untold(ready: &Ready) -> Result<()> {
    if let Some(task) = ready.handed.tasks.iter().find(|task| task.cpu.is_none()) {
        return Err(usage(format!(
            "--trace: series {} has no CPU of its own, and backwall can trace named CPUs only; leave out --trace",
            task.name
        )));
    }
    match (ready.set.organisation, ready.set.overrun) {
        (Organisation::ThreadPerEvent, Overrun::Abort) => Err(usage(
            "--trace: overrun = \"abort\" with thread-per-event hides which thread ran an aborted job; choose another \
                organisation, or leave out --trace",
        )),
        _ => Ok(()),
    }
}

pub struct Traced {
    tracker: Result<Tracker>,
    place: PathBuf,
    keeps: bool,
}

struct RecordingFacts {
    found: Vec<MissedSeries>,
    events: u64,
    lost: u64,
    warnings: Vec<Warning>,
    failure: Option<TraceError>,
}

impl Traced {
    /// Starts to record into the run's folder. The recording stays there only if `keeps`.
    pub fn start(probe: &Probe, cpus: &[u32], place: &Path, keeps: bool) -> Self {
        let place = place.to_path_buf();
        let tracker = if probe.device().has_the_clock_of_the_trace() {
            let file = || tempfile::tempfile_in(&place);
            let besides = Besides { faults: true, of: Some(backwall_model::THREAD_PREFIX), ..Besides::default() };
            Tracker::start(cpus, besides, Some(MOST_BYTES), file).map_err(bad_input)
        } else {
            Err(unable("this probe does not use the clock of the trace"))
        };
        Self { tracker, place, keeps }
    }

    /// Ends the recording. Computes what used the time of the jobs that missed their deadlines.
    pub fn finish(self, ready: &Ready, heard: &JobsHeard) -> MissedJobs {
        let recorded = self.tracker.and_then(|tracker| tracker.finish().map_err(bad_input));
        match recorded.and_then(|recorded| read(recorded, &self.place, self.keeps, ready, heard)) {
            Ok(read) => known(&read, ready, heard),
            Err(error) => MissedJobs {
                warnings: vec![Warning::new(
                    "nobody-named",
                    format!("--trace: cannot find the causes of missed deadlines: {error:#}"),
                )],
                ..MissedJobs::default()
            },
        }
    }
}

fn read(
    recorded: FinishedRecording,
    place: &Path,
    keeps: bool,
    ready: &Ready,
    heard: &JobsHeard,
) -> Result<RecordingFacts> {
    let FinishedRecording { head, page_bytes, cpus, others, warnings, failure } = recorded;
    let cpus = cpus.into_iter().map(|cpu| cpu.map(|pages| (pages.length(), pages))).collect();
    let kept = || -> std::io::Result<_> {
        let mut file = if keeps { kept_file(place)? } else { tempfile::tempfile_in(place)? };
        trace_dat::write(&mut file, &head, page_bytes, cpus)?;
        Ok(file)
    };
    let mut stored =
        OpenRecording::of(kept().map_err(|error| unable(format!("cannot store the kernel's trace: {error}")))?)
            .map_err(bad_input)?;
    let mut missed = MissedJobFinder::new(series(ready, heard), jobs_of(ready, heard)).naming(others.names);
    let mut beside = Beside { analysis: Analysis::new(&mut missed), others: others.events.into() };
    let played = stored.play(&mut beside).map_err(bad_input)?;
    let lost = stored.about().lost.unwrap_or(0).max(played.missed);
    beside.analysis.finish();
    Ok(RecordingFacts { found: missed.finish(), events: played.events(), lost, warnings, failure })
}

fn kept_file(place: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(true).open(place.join(recording_file::FILE))
}

/// Merges the reports about partially recorded CPUs with the events of the other CPUs, in order of time.
struct Beside<'a> {
    analysis: Analysis<&'a mut dyn Listener>,
    /// The reports about partially recorded CPUs, in order of time.
    others: VecDeque<(u32, Stamped)>,
}

impl Receiver for Beside<'_> {
    fn event(&mut self, cpu: u32, stamped: &Stamped) {
        while let Some((other, told)) = self.others.front().filter(|(_, told)| told.at_ns <= stamped.at_ns) {
            self.analysis.event(*other, told);
            self.others.pop_front();
        }
        self.analysis.event(cpu, stamped);
    }

    fn gap_begins(&mut self, cpu: u32, at_ns: u64) {
        self.analysis.gap_begins(cpu, at_ns);
    }

    fn gap(&mut self, cpu: u32, at_ns: u64) {
        self.analysis.gap(cpu, at_ns);
    }
}

fn series(ready: &Ready, heard: &JobsHeard) -> Vec<Series> {
    let tasks = &ready.handed.tasks;
    let threads = Some(&heard.threads).filter(|threads| threads.len() == tasks.len());
    let one = |(place, task): (usize, &Task)| Series {
        name: task.name.clone(),
        cpu: task.cpu.unwrap_or(u32::MAX),
        thread: threads.map(|threads| threads[place]),
    };
    tasks.iter().enumerate().map(one).collect()
}

/// The jobs that missed their deadlines and whose end is known, with times by the clock of the trace and the probe. If each job
/// has its own thread, the list also has all other jobs, to identify the threads.
fn jobs_of(ready: &Ready, heard: &JobsHeard) -> Vec<Job> {
    let all = heard.threads.len() != ready.handed.tasks.len();
    let mut busy_until = vec![0; ready.handed.tasks.len()];
    let mut found = Vec::new();
    for job in &heard.jobs {
        let place = job.task as usize;
        let Some((start_at, end_at, missed)) = span(job, ready, heard) else { continue };
        let release = ready.handed.tasks[place].releases.get(job.seq as usize);
        let nominal_at = heard.start + job.nominal;
        let arrival_at = (heard.start + release.map_or(0, |release| release.arrival_ns)).max(nominal_at);
        let end_at = end_at.max(arrival_at);
        let busy_until = std::mem::replace(&mut busy_until[place], end_at);
        if missed || all {
            let seq = job.seq;
            found.push(Job { series: place, seq, nominal_at, arrival_at, start_at, end_at, busy_until, missed });
        }
    }
    found
}

/// The first instruction and the end of a job, and whether it missed its deadline; `None` for a job that was skipped or cut off.
fn span(job: &jobs::Job, ready: &Ready, heard: &JobsHeard) -> Option<(Option<u64>, u64, bool)> {
    let task = ready.handed.tasks.get(job.task as usize)?;
    let at = |since_start: u64| heard.start + since_start;
    match job.fate {
        Fate::Done { start, finish, .. } => {
            Some((Some(at(start)), at(finish), finish.saturating_sub(job.nominal) > task.deadline_ns))
        }
        // The probe aborts a job when the next one is released.
        Fate::Aborted => Some((None, at(task.releases.get(job.seq as usize + 1)?.arrival_ns), true)),
        Fate::Unfinished if heard.heard.is_done() => Some((None, at(ready.handed.end_ns), true)),
        Fate::Unfinished | Fate::Skipped => None,
    }
}

fn known(read: &RecordingFacts, ready: &Ready, heard: &JobsHeard) -> MissedJobs {
    let lost = (read.lost > 0).then(|| {
        let events = counted(read.lost, "event", "events");
        let said = format!("the kernel's trace lost {events}, so some time of missed jobs may be unexplained");
        Warning::new("trace-lost", said)
    });
    let cut = read
        .failure
        .as_ref()
        .map(|error| Warning::new("trace-cut", format!("{error}; the causes of later missed jobs are unknown")));
    let places = 0..ready.handed.tasks.len();
    MissedJobs {
        stages: places.filter_map(|place| stages(place, read, ready, heard)).collect(),
        events: Some(read.events),
        warnings: lost.into_iter().chain(cut).chain(read.warnings.iter().cloned()).collect(),
    }
}

/// The causes in the form in which a run stores them. They belong to the jobs of a series that missed their deadlines but
/// finished.
fn stages(place: usize, read: &RecordingFacts, ready: &Ready, heard: &JobsHeard) -> Option<Stages> {
    let (fates, found) = (heard.fates.get(place)?, read.found.get(place)?);
    let missed = fates.missed().saturating_sub(fates.skipped);
    let [_, _, key] = jobs::keys(&ready.handed.tasks[place].name, &ready.phase);
    let worst = found.longest().map(|divided| Worst {
        seq: divided.seq,
        at: Some(divided.nominal_at.saturating_sub(heard.start)),
        value: divided.total_ns,
        blame: Some(divided.told.clone()),
    });
    (missed > 0).then(|| Stages {
        key,
        matched: found.divided,
        inferred: 0,
        unmatched: missed.saturating_sub(found.divided),
        events_lost: read.lost,
        tracing_cost: None,
        parts: Vec::new(),
        of_worst: Vec::new(),
        worst: worst.collect(),
        blamed: found.divided,
        causes: found.ranking.ranked(),
    })
}
