// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the jobs of a set of tasks, beside what was predicted; the figures are series of the run.
use serde::{Deserialize, Serialize};

/// A set that was run. All times are nanoseconds, or instructions where the series have that unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSet {
    /// In the order of the set.
    pub tasks: Vec<TaskRow>,
    /// Turns of the computing loop in a millisecond, before and after the run; absent where processor time was used.
    pub turns: Option<Turns>,
    /// The jobs around the one that was worst by its deadline.
    pub window: Option<TaskWindow>,
}

/// How fast the processor turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Jobs were made as long as this says.
    pub before: u64,
    /// Absent: the run was cut off.
    pub after: Option<u64>,
}

impl Turns {
    /// More than so many thousandths between the two, and jobs were not as long as the set says.
    const MOST_THOUSANDTHS: u64 = 10;

    /// By how many thousandths the two differ.
    pub fn thousandths(&self) -> Option<u64> {
        self.after.map(|after| after.abs_diff(self.before).saturating_mul(1_000) / self.before.max(1))
    }

    /// Whether jobs were as long as the set says.
    pub fn hold(&self) -> bool {
        self.thousandths().is_some_and(|difference| difference <= Self::MOST_THOUSANDTHS)
    }
}

/// A task. Its figures are the series whose variant `task` is its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its name.
    pub name: String,
    /// `fifo`, `rr`, `deadline` or `ordinary`.
    pub policy: String,
    /// Real-time priority, where there is one.
    pub priority: Option<u32>,
    /// The processor, where it stays on one.
    pub cpu: Option<u32>,
    /// Distance of releases, or its mean.
    pub interval: u64,
    /// Whether they come as they like, that far apart in the mean.
    pub poisson: bool,
    /// Of each job.
    pub computation: u64,
    /// From the nominal instant.
    pub deadline: u64,
    /// What became of its releases.
    pub fates: Fates,
    /// Processor time that its thread used, nanoseconds; absent where it has none of its own or the device does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ns: Option<u64>,
    /// What the analysis says; absent where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl TaskRow {
    /// The key of its series' variant that holds the name.
    pub const TASK: &str = "task";
    /// What its jobs used beyond their computation, in thousandths of it; `None` where that is not known: jobs of which nobody
    /// knows how far they came, or no account of the thread.
    pub fn excess_thousandths(&self) -> Option<i64> {
        let Fates { on_time, late, aborted: 0, unfinished: 0, .. } = self.fates else { return None };
        let asked_ns = i128::from(self.computation) * i128::from(on_time + late);
        let excess_ns = i128::from(self.used_ns?) - asked_ns;
        (asked_ns > 0).then(|| i64::try_from(excess_ns * 1_000 / asked_ns).ok()).flatten()
    }

    /// Name of the series from the nominal instant to the thread that was told.
    pub const RELEASE: &str = "release";
    /// Name of the series from the nominal instant to the job's first instruction.
    pub const START: &str = "start";
    /// Name of the series from the nominal instant to the end of the job.
    pub const RESPONSE: &str = "response";
}

/// What became of each release: the first is the sum of the others.
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
    /// Absent where there is none.
    pub bound: Option<u64>,
    /// Why not.
    pub no_bound: Option<String>,
    /// What it consists of, the largest first.
    pub terms: Vec<PredictedTerm>,
    /// Poisson series stand in it with the instants of the run; else with a bound that is exceeded now and then.
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
    /// The task whose job was worst.
    pub task: u32,
    /// That job, counted from 0.
    pub seq: u64,
    /// Every job that was done in it, by start.
    pub jobs: Vec<WindowJob>,
    /// Jobs that are not shown because there are too many.
    pub more: u64,
    /// Jobs that came due in it and were given up: they may have used the processor, and nobody knows when.
    #[serde(default, skip_serializing_if = "is_none")]
    pub given_up: u64,
    /// Whether its tasks hold locks: then a job that started may have waited for one, and who ran is not known.
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
