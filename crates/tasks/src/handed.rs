// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task set in the bytes that the probe reads: `wire/SET.md`.
use super::arrivals::Release;
use super::set::{Organisation, Overrun, Protocol};

/// Maximum number of tasks that a probe accepts.
pub const TASKS_MOST: usize = 200;
/// Largest number of locks.
pub const LOCKS_MOST: usize = 256;
/// Maximum number of sections in all tasks together.
pub const SECTIONS_MOST: usize = 4_096;
/// Maximum number of releases in all tasks together.
pub const RELEASES_MOST: usize = 4_000_000;
/// Maximum length of a name in bytes, without the NUL.
pub const NAME_MOST: usize = 207;

const MAGIC: u64 = 0x3154_4553_4b53_4154;
const CPU_ANY: u32 = u32::MAX;

/// How a job computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Work {
    /// A loop, calibrated before and after the run
    #[default]
    Loop,
    /// Until the thread has used this much CPU time
    CpuTime,
}

impl Work {
    /// The name that the user types.
    pub fn name(self) -> &'static str {
        match self {
            Work::Loop => "loop",
            Work::CpuTime => "cpu-time",
        }
    }
}

/// How a thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// SCHED_FIFO with that priority, 1 to 99.
    Fifo(u32),
    /// SCHED_RR with that priority, 1 to 99.
    Rr(u32),
    /// SCHED_DEADLINE: this runtime per period.
    Deadline {
        /// CPU time per period.
        runtime_ns: u64,
        /// The period.
        period_ns: u64,
    },
    /// The ordinary scheduler.
    Ordinary,
}

impl Scheduling {
    /// The real-time priority, if any.
    pub fn priority(self) -> Option<u32> {
        match self {
            Scheduling::Fifo(priority) | Scheduling::Rr(priority) => Some(priority),
            Scheduling::Deadline { .. } | Scheduling::Ordinary => None,
        }
    }
}

/// A task as it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name, at most [`NAME_MOST`] bytes.
    pub name: String,
    /// CPU time of each job, sections included.
    pub computation_ns: u64,
    /// Deadline, counted from the nominal release.
    pub deadline_ns: u64,
    /// How the task is scheduled.
    pub scheduling: Scheduling,
    /// The machine's CPU; `None`: the kernel chooses.
    pub cpu: Option<u32>,
    /// The sections in order: lock and length.
    pub sections: Vec<(usize, u64)>,
    /// The releases, in order of time.
    pub releases: Vec<Release>,
}

/// A task set in the form that the probe runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnableSet {
    /// The tasks, at least one.
    pub tasks: Vec<Task>,
    /// Each lock's protocol, and its ceiling if it has one.
    pub locks: Vec<(Protocol, u32)>,
    /// End of the schedule. A job that still runs then is abandoned.
    pub end_ns: u64,
    /// What happens to a release while the previous job runs.
    pub overrun: Overrun,
    /// Which threads run the jobs.
    pub organisation: Organisation,
    /// How the jobs compute.
    pub work: Work,
    /// Whether to keep the CPUs out of C-states.
    pub idle_off: bool,
    /// Whether to continue if the machine refuses a permission.
    pub best_effort: bool,
    /// Priority of the threads that release jobs.
    pub generator_priority: u32,
}

impl RunnableSet {
    /// The set as the bytes that the probe reads.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        self.tasks.iter().for_each(|task| put_task(&mut bytes, task));
        for (protocol, ceiling) in &self.locks {
            let protocol = match protocol {
                Protocol::None => 0,
                Protocol::Inheritance => 1,
                Protocol::Ceiling => 2,
            };
            put(&mut bytes, [protocol, *ceiling]);
        }
        for (lock, length_ns) in self.tasks.iter().flat_map(|task| &task.sections) {
            put(&mut bytes, [*lock as u32, 0]);
            bytes.extend(length_ns.to_le_bytes());
        }
        for release in self.tasks.iter().flat_map(|task| &task.releases) {
            bytes.extend(release.nominal_ns.to_le_bytes());
            bytes.extend(release.arrival_ns.to_le_bytes());
        }
        bytes
    }

    fn head(&self) -> Vec<u8> {
        let sections: usize = self.tasks.iter().map(|task| task.sections.len()).sum();
        let releases: usize = self.tasks.iter().map(|task| task.releases.len()).sum();
        let overrun = match self.overrun {
            Overrun::Skip => 0,
            Overrun::Queue => 1,
            Overrun::Abort => 2,
        };
        let organisation = match self.organisation {
            Organisation::ThreadPerSeries => 0,
            Organisation::Pool => 1,
            Organisation::ThreadPerEvent => 2,
        };
        let flags = u32::from(self.idle_off) + 2 * u32::from(self.best_effort);
        let mut bytes = MAGIC.to_le_bytes().to_vec();
        put(&mut bytes, [self.tasks.len(), self.locks.len(), sections, releases].map(|count| count as u32));
        bytes.extend(self.end_ns.to_le_bytes());
        put(&mut bytes, [overrun, organisation, u32::from(self.work == Work::CpuTime), flags]);
        put(&mut bytes, [self.generator_priority, 0]);
        bytes
    }
}

fn put<const N: usize>(bytes: &mut Vec<u8>, numbers: [u32; N]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn put_task(bytes: &mut Vec<u8>, task: &Task) {
    let (policy, runtime_ns, period_ns) = match task.scheduling {
        Scheduling::Fifo(_) => (0, 0, 0),
        Scheduling::Rr(_) => (1, 0, 0),
        Scheduling::Deadline { runtime_ns, period_ns } => (2, runtime_ns, period_ns),
        Scheduling::Ordinary => (3, 0, 0),
    };
    let mut name = task.name.clone().into_bytes();
    name.resize(NAME_MOST + 1, 0);
    bytes.extend(name);
    for time_ns in [task.computation_ns, task.deadline_ns, runtime_ns, period_ns] {
        bytes.extend(time_ns.to_le_bytes());
    }
    put(bytes, [policy, task.scheduling.priority().unwrap_or(0), task.cpu.unwrap_or(CPU_ANY)]);
    put(bytes, [task.sections.len() as u32, task.releases.len() as u32, 0]);
}
