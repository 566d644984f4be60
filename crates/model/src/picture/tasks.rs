// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fate of a task set's jobs, and the prediction. The figures are series of the run.
use serde::{Deserialize, Serialize};

/// A task set that ran. Times are nanoseconds, or instructions if the series use them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSet {
    /// Tasks in the order of the set.
    pub tasks: Vec<TaskRow>,
    /// Speed of the computing loop before and after the run; absent if jobs consumed CPU time instead.
    pub turns: Option<Turns>,
    /// The jobs around the worst one: the job that used the largest part of its deadline.
    pub window: Option<TaskWindow>,
    /// When the set released jobs, by the recording's clock; absent if no recording was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedSpan>,
}

/// The span of a recording in which the set released jobs. Before and after it, backwall calibrates the computing loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSpan {
    /// Start of the span.
    pub begin: u64,
    /// End of the span.
    pub end: u64,
}

/// Turns of the computing loop per millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Speed before the run, from which the job lengths were computed.
    pub before: u64,
    /// Speed after the run; absent if the run was cut off.
    pub after: Option<u64>,
}

impl Turns {
    /// If the speeds differ by more than this, in thousandths, the jobs did not have the lengths of the set.
    const MOST_THOUSANDTHS: u64 = 10;

    /// Difference of the two speeds in thousandths.
    pub fn thousandths(&self) -> Option<u64> {
        self.after.map(|after| after.abs_diff(self.before).saturating_mul(1_000) / self.before.max(1))
    }

    /// Whether the jobs had the lengths of the set.
    pub fn hold(&self) -> bool {
        self.thousandths().is_some_and(|difference| difference <= Self::MOST_THOUSANDTHS)
    }
}

/// A task. Its figures are in the series whose `task` variant is its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Name of the task.
    pub name: String,
    /// `fifo`, `rr`, `deadline` or `ordinary`.
    pub policy: String,
    /// Real-time priority, if any.
    pub priority: Option<u32>,
    /// The CPU, if fixed.
    pub cpu: Option<u32>,
    /// Time between releases, or its mean.
    pub interval: u64,
    /// Whether releases are random (Poisson) with this mean interval.
    pub poisson: bool,
    /// Computing time of each job.
    pub computation: u64,
    /// Deadline, counted from the nominal instant.
    pub deadline: u64,
    /// Fate of the task's releases.
    pub fates: Fates,
    /// Thread ID; absent if the task has no thread of its own or the device does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<i32>,
    /// CPU time of the thread in nanoseconds; absent if the task has no thread of its own or the device does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ns: Option<u64>,
    /// Result of the response-time analysis; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl TaskRow {
    /// Variant key: the task's name.
    pub const TASK: &str = "task";
    /// CPU time of the jobs beyond their computing time, in thousandths; `None` if a job did not finish, or the thread's CPU time
    /// is unknown.
    pub fn excess_thousandths(&self) -> Option<i64> {
        let Fates { on_time, late, aborted: 0, unfinished: 0, .. } = self.fates else { return None };
        let asked_ns = i128::from(self.computation) * i128::from(on_time + late);
        let excess_ns = i128::from(self.used_ns?) - asked_ns;
        (asked_ns > 0).then(|| i64::try_from(excess_ns * 1_000 / asked_ns).ok()).flatten()
    }

    /// Series from the nominal instant until the thread was woken.
    pub const RELEASE: &str = "release";
    /// Series from the nominal instant until the first instruction of the job.
    pub const START: &str = "start";
    /// Series from the nominal instant until the end of the job.
    pub const RESPONSE: &str = "response";
}

/// Fate of the releases. `nominal` is the sum of `on_time`, `late`, `skipped`, `aborted` and `unfinished`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fates {
    /// Releases that came due.
    pub nominal: u64,
    /// Done by their deadline.
    pub on_time: u64,
    /// Done after their deadline.
    pub late: u64,
    /// Skipped because the previous job still ran.
    pub skipped: u64,
    /// Aborted at the next release.
    pub aborted: u64,
    /// Still running or waiting when the run ended.
    pub unfinished: u64,
    /// Most consecutive releases that missed their deadlines.
    pub missed_in_a_row: u64,
}

impl Fates {
    /// Releases that were not done by their deadline.
    pub fn missed(&self) -> u64 {
        self.nominal.saturating_sub(self.on_time)
    }

    /// Whether the fates sum to `nominal`.
    pub fn closes(&self) -> bool {
        let parts = [self.on_time, self.late, self.skipped, self.aborted, self.unfinished];
        parts.iter().try_fold(0u64, |sum, part| sum.checked_add(*part)) == Some(self.nominal)
    }
}

/// The predicted worst response, counted from the nominal instant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predicted {
    /// `met`, `missed` or `unknown`.
    pub verdict: String,
    /// The bound; absent if there is none.
    pub bound: Option<u64>,
    /// Why there is no bound.
    pub no_bound: Option<String>,
    /// Parts of the bound, largest first.
    pub terms: Vec<PredictedTerm>,
    /// Whether the bound uses the Poisson instants drawn for this run. Otherwise it assumes a bound on arrivals, and the
    /// arrivals can exceed it.
    #[serde(default)]
    pub instants_known: bool,
}

/// One part of a predicted response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedTerm {
    /// What the part is, in words.
    pub source: String,
    /// Number of occurrences.
    pub count: u64,
    /// Total time of these occurrences.
    pub total: u64,
}

/// A part of the schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskWindow {
    /// Start of the window, counted from the start of the schedule.
    pub from: u64,
    /// End of the window, counted from the start of the schedule.
    pub to: u64,
    /// Index of the task with the worst job.
    pub task: u32,
    /// The number of that job, from 0.
    pub seq: u64,
    /// Jobs that were done in this part, by start.
    pub jobs: Vec<WindowJob>,
    /// Number of jobs that are left out because there are too many.
    pub more: u64,
    /// Aborted or unfinished jobs that came due in this part. They may have used the CPU at unknown times.
    #[serde(default, skip_serializing_if = "is_none")]
    pub given_up: u64,
    /// Whether tasks hold locks. Then a job that has started may be waiting, so the running job is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locks: bool,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A job in a window; instants since the start of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowJob {
    /// Index of the task.
    pub task: u32,
    /// Number of the job, from 0.
    pub seq: u64,
    /// The nominal instant, from which the deadline counts.
    pub nominal: u64,
    /// First instruction of the job.
    pub start: u64,
    /// End of the job.
    pub finish: u64,
}
