// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a value is stored: a kernel file, a thread, or the kernel's audit socket.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use crate::settings::form::Form;
use crate::settings::machine::{Machine, processors};
use backwall_os::threads::Thread;
use backwall_os::{audit, realtime};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{Error, Write};
use std::path::Path;

/// One place with one value. A thread is identified by number and start time, because numbers are reused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Place {
    File {
        /// The path from the root.
        path: String,
        form: Form,
    },
    Processors {
        thread: ThreadIdentity,
    },
    /// A thread's policy and priority: `fifo 99`, `rr 5`, `other 0`.
    Scheduling {
        thread: ThreadIdentity,
    },
    /// Bytes of memory that the thread's process may lock: the current limit, and the highest limit it may set. `unlimited` means
    /// no limit.
    LockedMemory {
        thread: ThreadIdentity,
    },
    /// Whether the kernel's audit is on: 0 off, 1 on.
    Audit,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadIdentity {
    pub id: i32,
    pub name: String,
    /// When the thread began, in clock ticks since the machine started (proc(5), field 22 of `stat`).
    pub began: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("cannot read {place}: {error}")]
    Unread { place: String, error: Error },
    #[error("{place}: {value} is refused: {error}")]
    Unwritten { place: String, value: String, error: Error },
    /// The kernel reported no error, but the place has another value.
    #[error("{place}: wrote {value} but read back {found}; the kernel did not accept it")]
    Ignored { place: String, value: String, found: String },
    #[error("{0}: has ended")]
    Ended(String),
}

impl Place {
    pub fn file(path: impl Into<String>, form: Form) -> Self {
        Self::File { path: path.into(), form }
    }

    pub fn is_below(&self, folder: &str) -> bool {
        matches!(self, Self::File { path, .. } if Path::new(path).starts_with(folder))
    }

    /// Reads the value, in the form of [`Form::value`].
    ///
    /// # Errors
    /// [`Refused::Unread`], or [`Refused::Ended`] for a thread.
    pub fn read(&self, machine: &Machine) -> Result<String, Refused> {
        match self {
            Self::File { path, form } => match machine.read(path) {
                Ok(text) => Ok(form.value(&text)),
                Err(error) => Err(Refused::Unread { place: path.clone(), error }),
            },
            Self::Processors { thread } => {
                let found = thread.find(machine).ok_or_else(|| Refused::Ended(self.to_string()))?;
                found.allowed().map(|list| Form::List.value(&list)).ok_or_else(|| Refused::Ended(self.to_string()))
            }
            Self::Scheduling { thread } => {
                thread.find(machine).ok_or_else(|| Refused::Ended(self.to_string()))?;
                scheduling(thread.id).map_err(|error| Refused::Unread { place: self.to_string(), error })
            }
            Self::LockedMemory { thread } => {
                thread.find(machine).ok_or_else(|| Refused::Ended(self.to_string()))?;
                let limits = machine.read(&format!("/proc/{}/limits", thread.id));
                let limit = limits.and_then(|text| lock_limit(&text).ok_or(Error::other("no limit of locked memory")));
                limit.map_err(|error| Refused::Unread { place: self.to_string(), error })
            }
            Self::Audit if !machine.is_this() => {
                Err(Refused::Unread { place: self.to_string(), error: Error::other("another machine's") })
            }
            Self::Audit => match audit::enabled() {
                Ok(value) => Ok(value.to_string()),
                Err(error) => Err(Refused::Unread { place: self.to_string(), error }),
            },
        }
    }

    /// Writes a value and reads it back.
    ///
    /// # Errors
    /// [`Refused`]. The place then holds its old value or, after [`Refused::Ignored`], the value in the error.
    pub fn write(&self, machine: &Machine, value: &str) -> Result<(), Refused> {
        let written = match self {
            Self::File { path, .. } => put(machine, path, value),
            Self::Processors { thread } | Self::Scheduling { thread } | Self::LockedMemory { thread }
                if thread.find(machine).is_none() =>
            {
                return Err(Refused::Ended(self.to_string()));
            }
            Self::Processors { thread } => move_to(thread.id, value),
            Self::Scheduling { thread } => schedule(thread.id, value),
            Self::LockedMemory { thread } => limit_locked(thread.id, value),
            Self::Audit => value.parse().map_err(Error::other).and_then(audit::set_enabled),
        };
        let (place, text) = (self.to_string(), value.to_string());
        written.map_err(|error| Refused::Unwritten { place: place.clone(), value: text.clone(), error })?;
        let found = self.read(machine)?;
        if self.form().same(&found, value) { Ok(()) } else { Err(Refused::Ignored { place, value: text, found }) }
    }

    /// Whether the file is gone for good, like that of a removed control group: the nearest existing folder of its path is not
    /// empty. (An empty one belongs to a file system that is not mounted.) The file of an offline CPU is not gone.
    pub fn is_gone(&self, machine: &Machine) -> bool {
        let Self::File { path, .. } = self else { return false };
        if machine.has(path) || is_of_offline_processor(machine, path) {
            return false;
        }
        let left = Path::new(path).ancestors().skip(1).filter_map(Path::to_str).find(|folder| machine.has(folder));
        left.is_some_and(|folder| folder != "/" && !machine.names(folder).is_empty())
    }

    pub fn form(&self) -> Form {
        match self {
            Self::File { form, .. } => *form,
            Self::Processors { .. } => Form::List,
            Self::Scheduling { .. } | Self::LockedMemory { .. } | Self::Audit => Form::Text,
        }
    }
}

impl Refused {
    pub fn is_of_no_file(&self) -> bool {
        let (Self::Unread { error, .. } | Self::Unwritten { error, .. }) = self else { return false };
        error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ENODEV)
    }
}

fn is_of_offline_processor(machine: &Machine, path: &str) -> bool {
    const FOLDER: &str = "/sys/devices/system/cpu/";
    let processor = path.strip_prefix(FOLDER).and_then(|rest| rest.split('/').next());
    processor
        .is_some_and(|processor| machine.read(&format!("{FOLDER}{processor}/online")).is_ok_and(|text| text == "0"))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, .. } => f.write_str(path),
            Self::Processors { thread } => write!(f, "CPUs of {thread}"),
            Self::Scheduling { thread } => write!(f, "scheduling of {thread}"),
            Self::LockedMemory { thread } => write!(f, "limit of locked memory of {thread}"),
            Self::Audit => f.write_str("the kernel's audit"),
        }
    }
}

impl fmt::Display for ThreadIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name.replace(char::is_control, "?"), self.id)
    }
}

impl ThreadIdentity {
    /// The current main thread of a thread's process; `None` if it has ended.
    pub fn process_of(machine: &Machine, thread: &Thread) -> Option<Self> {
        let folder = machine.place("/proc").join(thread.process.to_string());
        Thread::read(thread.process, thread.process, folder).map(|first| Self::of(&first))
    }

    pub fn of(thread: &Thread) -> Self {
        Self { id: thread.id, name: thread.name.clone(), began: thread.began }
    }

    fn find(&self, machine: &Machine) -> Option<Thread> {
        let folder = machine.place("/proc").join(self.id.to_string());
        Thread::read(self.id, self.id, folder).filter(|found| found.began == self.began)
    }
}

/// Writes one line in one write, like a shell's `echo`: the kernel accepts it as a whole or not at all.
fn put(machine: &Machine, path: &str, value: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(machine.place(path))?;
    file.write_all(format!("{value}\n").as_bytes())
}

fn move_to(thread: i32, list: &str) -> std::io::Result<()> {
    let mut set = CpuSet::new();
    let known = processors(list).into_iter().map(|cpu| cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
    known.for_each(|cpu| set.set(cpu));
    Ok(sched_setaffinity(Pid::from_raw(thread), &set)?)
}

/// Reads the limit from the table in `/proc` (proc_pid_limits(5)).
fn lock_limit(text: &str) -> Option<String> {
    let row = text.lines().find_map(|row| row.strip_prefix("Max locked memory"))?;
    let mut words = row.split_whitespace();
    let limits = [words.next()?, words.next()?];
    let is_limit = |word: &&str| *word == UNLIMITED || word.parse::<u64>().is_ok();
    limits.iter().all(is_limit).then(|| limits.join(" "))
}

const UNLIMITED: &str = "unlimited";

fn limit_locked(process: i32, value: &str) -> std::io::Result<()> {
    let bytes = |word: &str| if word == UNLIMITED { Some(None) } else { word.parse().ok().map(Some) };
    let parsed = value.split_once(' ').and_then(|(now, most)| Some((bytes(now)?, bytes(most)?)));
    let Some((current, maximum)) = parsed else { return Err(Error::other("no limits")) };
    prlimit(Pid::from_raw(process), Resource::Memlock, Rlimit { current, maximum })?;
    Ok(())
}

/// The policies that backwall can restore, by name. It does not change threads of other policies.
const POLICIES: [(&str, i32); 5] = [
    ("other", libc::SCHED_OTHER),
    ("fifo", libc::SCHED_FIFO),
    ("rr", libc::SCHED_RR),
    ("batch", libc::SCHED_BATCH),
    ("idle", libc::SCHED_IDLE),
];

fn scheduling(thread: i32) -> std::io::Result<String> {
    let (policy, priority) = realtime::scheduling(thread)?;
    let plain = policy & !libc::SCHED_RESET_ON_FORK;
    let name = POLICIES.iter().find(|(_, number)| *number == plain).map(|(name, _)| *name);
    name.map(|name| format!("{name} {priority}")).ok_or_else(|| Error::other(format!("cannot restore policy {plain}")))
}

fn schedule(thread: i32, value: &str) -> std::io::Result<()> {
    let parsed = value.split_once(' ').and_then(|(name, priority)| {
        let (_, policy) = POLICIES.iter().find(|(known, _)| *known == name)?;
        Some((*policy, priority.parse::<i32>().ok()?))
    });
    let Some((policy, priority)) = parsed else { return Err(Error::other("no policy and priority")) };
    let kept = realtime::scheduling(thread).map_or(0, |(now, _)| now & libc::SCHED_RESET_ON_FORK);
    realtime::set_scheduling(thread, policy | kept, priority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_locked_memory_is_the_row_of_proc_and_is_taken_and_given_back() {
        let row = "Limit    Soft Limit  Hard Limit  Units\nMax locked memory         8388608              unlimited            bytes\n";
        assert_eq!(lock_limit(row).as_deref(), Some("8388608 unlimited"));
        for bad in ["", "Max locked memory 1\n", "Max locked memory a b\n"] {
            assert_eq!(lock_limit(bad), None, "{bad}");
        }
        let machine = Machine::this(0);
        let id = std::process::id() as i32;
        let folder = machine.place("/proc").join(id.to_string());
        let own = Thread::read(id, id, folder).unwrap();
        let place = Place::LockedMemory { thread: ThreadIdentity::process_of(&machine, &own).unwrap() };
        let before = place.read(&machine).unwrap();
        let (_, most) = before.split_once(' ').unwrap();
        let wanted = format!("65536 {most}");
        place.write(&machine, &wanted).unwrap();
        assert_eq!(place.read(&machine).unwrap(), wanted);
        place.write(&machine, &before).unwrap();
        assert_eq!(place.read(&machine).unwrap(), before);
        assert!(place.write(&machine, "a lot").is_err());
        let gone = Place::LockedMemory { thread: ThreadIdentity { began: own.began + 1, ..ThreadIdentity::of(&own) } };
        assert!(matches!(gone.write(&machine, &before), Err(Refused::Ended(_))), "another process of its number");
    }
}
