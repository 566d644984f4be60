// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a machine from `/proc`: which ones are real-time, and which ones belong to backwall.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use backwall_model::units::ranges;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub id: i32,
    pub process: i32,
    pub parent: i32,
    pub name: String,
    /// Priority of SCHED_FIFO or SCHED_RR, 1 to 99 (highest); 100 for SCHED_DEADLINE; 0 for all other policies.
    pub real_time: u32,
    /// State of the thread as a letter, such as `R` or `S`; `Z` or `X` after its end.
    pub state: char,
    /// The kernel's flags of the thread (`PF_…`).
    pub flags: u64,
    /// Start in clock ticks since boot. It distinguishes the thread from a later one with the same number.
    pub began: u64,
    pub folder: PathBuf,
}

impl Thread {
    pub fn read(process: i32, id: i32, folder: PathBuf) -> Option<Self> {
        thread(process, id, folder)
    }

    pub fn lives(&self) -> bool {
        !['Z', 'X', 'x'].contains(&self.state)
    }

    /// Whether the thread still lives, according to its folder.
    pub fn lives_still(&self) -> bool {
        let now = Self::read(self.process, self.id, self.folder.clone());
        now.is_some_and(|now| now.lives() && now.began == self.began)
    }

    /// Whether the thread may run on a CPU; `true` if unreadable.
    pub fn may_run_on(&self, cpu: u32) -> bool {
        self.allowed().is_none_or(|list| ranges::names(&list, cpu))
    }

    /// The CPUs that the thread may run on, in the kernel's format: `0-2,5`.
    pub fn allowed(&self) -> Option<String> {
        allowed(&self.folder)
    }
}

impl std::fmt::Display for Thread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name.replace(char::is_control, "?");
        match self.real_time {
            0 => write!(f, "{name} ({}, ordinary)", self.id),
            100.. => write!(f, "{name} ({}, deadline)", self.id),
            priority => write!(f, "{name} ({}, real-time {priority})", self.id),
        }
    }
}

/// The CPUs that a thread may run on, from its folder in `/proc`, including offline ones. The system call leaves offline CPUs
/// out, so a thread without any restriction would look bound while only one CPU is online.
pub fn allowed(folder: &Path) -> Option<String> {
    let status = std::fs::read_to_string(folder.join("status")).ok()?;
    status.lines().find_map(|row| Some(row.strip_prefix("Cpus_allowed_list:")?.trim().to_string()))
}

/// Whether a process with this number is alive. A process that has ended may still wait for its parent.
pub fn is_alive(process: i32) -> bool {
    Thread::read(process, process, format!("/proc/{process}").into()).is_some_and(|first| first.lives())
}

pub fn is_ours(thread: &Thread) -> bool {
    let own = std::process::id() as i32;
    thread.process == own || thread.parent == own
}

pub fn is_of_another_run(thread: &Thread) -> bool {
    thread.name.starts_with(backwall_model::THREAD_PREFIX) && !is_ours(thread)
}

/// Whether the scheduler prefers the thread to a probe with this priority on this CPU. The kernel's migration threads do not
/// count: they have the highest priority on every Linux system and act only on request.
pub fn rivals(thread: &Thread, cpu: u32, priority: u32) -> bool {
    thread.real_time >= priority && !thread.name.starts_with("migration/") && thread.may_run_on(cpu)
}

pub fn all() -> Vec<Thread> {
    all_under(Path::new("/proc"))
}

/// Every thread below a folder like `/proc`. Threads that end during the search are left out.
pub fn all_under(proc: &Path) -> Vec<Thread> {
    numbered(proc).flat_map(|(process, folder)| of_process(process, &folder)).collect()
}

pub fn of_process(process: i32, folder: &Path) -> impl Iterator<Item = Thread> + use<> {
    numbered(&folder.join("task")).filter_map(move |(id, folder)| thread(process, id, folder))
}

/// Numbers of all threads of this process and of the processes that it started.
pub fn of_this_tool() -> Vec<i32> {
    all().iter().filter(|thread| is_ours(thread)).map(|thread| thread.id).collect()
}

/// The subfolders whose names are numbers: the processes in `/proc`, the threads in a process's `task`.
pub fn numbered(folder: &Path) -> impl Iterator<Item = (i32, PathBuf)> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
}

/// Clock ticks since boot, the unit of thread starts in `proc`.
pub fn now_ticks(proc: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(proc.join("uptime")).ok()?;
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some((seconds * ticks_per_second() as f64).round() as u64)
}

pub fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second()
}

/// Parses `stat`: the fields after the name, which may itself contain blanks and parentheses; see proc(5).
fn thread(process: i32, id: i32, folder: PathBuf) -> Option<Thread> {
    const STATE: usize = 0;
    const PARENT: usize = 1;
    const FLAGS: usize = 6;
    const BEGAN: usize = 19;
    const PRIORITY: usize = 37;
    const POLICY: usize = 38;
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    let (before, after) = stat.rsplit_once(") ")?;
    let (_, name) = before.split_once('(')?;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i64>().ok();
    let real_time = match number(POLICY)? {
        1 | 2 => u32::try_from(number(PRIORITY)?).ok()?,
        6 => 100,
        _ => 0,
    };
    Some(Thread {
        id,
        process,
        parent: number(PARENT)? as i32,
        name: name.to_string(),
        real_time,
        state: fields.get(STATE)?.chars().next()?,
        flags: fields.get(FLAGS)?.parse().ok()?,
        began: fields.get(BEGAN)?.parse().ok()?,
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(proc: &Path, process: i32, id: i32, name: &str, (priority, policy): (u32, u32), cpus: &str) {
        let folder = proc.join(format!("{process}/task/{id}"));
        std::fs::create_dir_all(&folder).unwrap();
        let zeros = "0 ".repeat(35);
        std::fs::write(folder.join("stat"), format!("{id} ({name}) S 7 {zeros}{priority} {policy} 0\n")).unwrap();
        std::fs::write(folder.join("status"), format!("Name:\tx\nCpus_allowed_list:\t{cpus}\n")).unwrap();
    }

    #[test]
    fn a_thread_is_read_whatever_its_name() {
        let proc = tempfile::tempdir().unwrap();
        put(proc.path(), 40, 41, "a) S (b", (97, 1), "0,2-5");
        put(proc.path(), 50, 50, "plain", (0, 0), "1");
        put(proc.path(), 60, 60, "edf", (0, 6), "1");
        std::fs::create_dir(proc.path().join("sys")).unwrap();
        let mut all = all_under(proc.path());
        all.sort_by_key(|thread| thread.id);
        let told: Vec<_> = all.iter().map(|thread| (thread.process, thread.name.as_str(), thread.real_time)).collect();
        assert_eq!(told, [(40, "a) S (b", 97), (50, "plain", 0), (60, "edf", 100)]);
        assert_eq!(all[0].parent, 7);
        assert_eq!([0, 1, 2, 5, 6].map(|cpu| all[0].may_run_on(cpu)), [true, false, true, true, false]);
    }

    #[test]
    fn the_threads_of_this_process_are_its_own() {
        let here = rustix::thread::gettid().as_raw_nonzero().get();
        assert!(of_this_tool().contains(&here));
    }
}
