// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fate of a task set's jobs, next to the prediction; the figures are series of the run.
use serde::{Deserialize, Serialize};

/// A task set that ran. Times are nanoseconds, or instructions if the series use them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSet {
    /// In the order of the set.
    pub tasks: Vec<TaskRow>,
    /// Computing-loop turns per millisecond, before and after the run; absent if CPU time was used.
    pub turns: Option<Turns>,
    /// The jobs around the worst one, by its deadline.
    pub window: Option<TaskWindow>,
    /// When jobs were released, by the clock of the kept recording; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedSpan>,
}

/// Part of a recording: before it computing is calibrated, after it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSpan {
    /// From here on.
    pub begin: u64,
    /// Up to here.
    pub end: u64,
}

/// How fast the processor turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Job lengths were set by this.
    pub before: u64,
    /// Absent: the run was cut off.
    pub after: Option<u64>,
}

impl Turns {
    /// A larger difference, in thousandths, means that jobs were not as long as the set says.
    const MOST_THOUSANDTHS: u64 = 10;

    /// By how many thousandths the two differ.
    pub fn thousandths(&self) -> Option<u64> {
        self.after.map(|after| after.abs_diff(self.before).saturating_mul(1_000) / self.before.max(1))
    }

    /// Whether jobs had the set's lengths.
    pub fn hold(&self) -> bool {
        self.thousandths().is_some_and(|difference| difference <= Self::MOST_THOUSANDTHS)
    }
}

/// A task. Its figures are in the series with its name as `task` variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its name.
    pub name: String,
    /// `fifo`, `rr`, `deadline` or `ordinary`.
    pub policy: String,
    /// Real-time priority, if any.
    pub priority: Option<u32>,
    /// The CPU, if fixed.
    pub cpu: Option<u32>,
    /// Distance of releases, or its mean.
    pub interval: u64,
    /// Whether releases are random (Poisson), with this mean distance.
    pub poisson: bool,
    /// Of each job.
    pub computation: u64,
    /// From the nominal instant.
    pub deadline: u64,
    /// What became of its releases.
    pub fates: Fates,
    /// The number of its thread; absent if it has no own thread or the device does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<i32>,
    /// CPU time of its thread in nanoseconds; absent if it has no own thread or the device does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ns: Option<u64>,
    /// The analysis' result; absent if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl TaskRow {
    /// Variant key of its series: the task's name.
    pub const TASK: &str = "task";
    /// CPU time of its jobs beyond their computation, in thousandths; `None` if unknown: unfinished jobs, or no account of the thread.
    pub fn excess_thousandths(&self) -> Option<i64> {
        let Fates { on_time, late, aborted: 0, unfinished: 0, .. } = self.fates else { return None };
        let asked_ns = i128::from(self.computation) * i128::from(on_time + late);
        let excess_ns = i128::from(self.used_ns?) - asked_ns;
        (asked_ns > 0).then(|| i64::try_from(excess_ns * 1_000 / asked_ns).ok()).flatten()
    }

    /// Name of the series from the nominal instant to the woken thread.
    pub const RELEASE: &str = "release";
    /// Name of the series from the nominal instant to the job's first instruction.
    pub const START: &str = "start";
    /// Name of the series from the nominal instant to the end of the job.
    pub const RESPONSE: &str = "response";
}

/// Fate of the releases: the first is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fates {
    /// Releases that came due.
    pub nominal: u64,
    /// Done by their deadline.
    pub on_time: u64,
    /// Done after it.
    pub late: u64,
    /// Left out because the job before it still ran.
    pub skipped: u64,
    /// Given up at the next release.
    pub aborted: u64,
    /// Not done at the end.
    pub unfinished: u64,
    /// The most releases one after the other that missed their deadlines.
    pub missed_in_a_row: u64,
}

impl Fates {
    /// Releases that were not done by their deadline.
    pub fn missed(&self) -> u64 {
        self.nominal.saturating_sub(self.on_time)
    }

    /// Whether the account closes.
    pub fn closes(&self) -> bool {
        let parts = [self.on_time, self.late, self.skipped, self.aborted, self.unfinished];
        parts.iter().try_fold(0u64, |sum, part| sum.checked_add(*part)) == Some(self.nominal)
    }
}

/// The worst response from the nominal instant, as the analysis has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predicted {
    /// `met`, `missed` or `unknown`.
    pub verdict: String,
    /// Absent without one.
    pub bound: Option<u64>,
    /// Why not.
    pub no_bound: Option<String>,
    /// Its parts, largest first.
    pub terms: Vec<PredictedTerm>,
    /// Whether Poisson series count with the run's arrivals; otherwise with a bound that is sometimes exceeded.
    #[serde(default)]
    pub instants_known: bool,
}

/// One part of a predicted response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedTerm {
    /// In words.
    pub source: String,
    /// How often.
    pub count: u64,
    /// All of them together.
    pub total: u64,
}

/// A stretch of the schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskWindow {
    /// Its begin and its end, since the start of the schedule.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// The task with the worst job.
    pub task: u32,
    /// The number of that job, from 0.
    pub seq: u64,
    /// Every job that was done in it, by start.
    pub jobs: Vec<WindowJob>,
    /// Jobs that are not shown because there are too many.
    pub more: u64,
    /// Jobs that came due and were given up: they may have used the CPU at unknown times.
    #[serde(default, skip_serializing_if = "is_none")]
    pub given_up: u64,
    /// Whether its tasks hold locks: then a started job may have waited, and the running one is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locks: bool,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A job in a window; instants since the start of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowJob {
    /// Its task's place.
    pub task: u32,
    /// Its number, from 0.
    pub seq: u64,
    /// What its deadline counts from.
    pub nominal: u64,
    /// Its first instruction.
    pub start: u64,
    /// Its end.
    pub finish: u64,
}
