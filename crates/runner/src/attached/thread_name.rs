// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads that a user names: by number, by name, or all threads of a process.
use crate::attached::attachee::Attachee;
use backwall_os::refusal::usage;
use backwall_os::threads::{self, Thread};
use std::collections::BTreeSet;
use std::fmt;

const MOST: usize = 256;
const NUMBER_MAX: u32 = 4_194_304;
const PROCESS: &str = "process:";
const THREAD: &str = "thread:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadName {
    Thread(u32),
    Process(u32),
    Name(String),
}

impl ThreadName {
    /// `4711`, `thread:4711`, `process:4711`, `audio` or `thread:audio`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if (1..=NUMBER_MAX).contains(&number) => Ok(number),
            _ => Err(format!("{text} must be 1 to {NUMBER_MAX}")),
        };
        let text = text.strip_prefix(THREAD).unwrap_or(text);
        match text.strip_prefix(PROCESS) {
            Some(process) => number(process).map(Self::Process),
            None if text.is_empty() => Err("expected a thread's number, its name, or process:PID".to_string()),
            None if text.bytes().all(|byte| byte.is_ascii_digit()) => number(text).map(Self::Thread),
            None => Ok(Self::Name(text.to_string())),
        }
    }

    fn has(&self, thread: &Thread) -> bool {
        match self {
            Self::Thread(_) => false,
            Self::Process(process) => thread.process == *process as i32,
            Self::Name(name) => thread.name == *name,
        }
    }

    fn found(&self) -> backwall_os::refusal::Result<Vec<Attachee>> {
        if let Self::Thread(thread) = self {
            return Ok(vec![Attachee::find(*thread)?]);
        }
        let all = threads::all().into_iter().filter(|thread| self.has(thread) && !threads::is_ours(thread));
        let found: Vec<Attachee> =
            all.map(|thread| Attachee::find(thread.id as u32)).collect::<backwall_os::refusal::Result<_>>()?;
        if found.is_empty() {
            return Err(usage(format!("{self}: no such thread; ps -eLo tid,comm lists them")));
        }
        Ok(found)
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(thread) => write!(f, "{thread}"),
            Self::Process(process) => write!(f, "{PROCESS}{process}"),
            Self::Name(name) => f.write_str(&name.replace(char::is_control, "?")),
        }
    }
}

/// Reads `text` as threads if it has a prefix (`thread:`, `process:`) or a comma. Returns `None` for a plain word, which may also
/// name a process.
///
/// # Errors
/// A part that is not a valid thread name or number.
pub fn explicit(text: &str) -> Result<Option<Vec<ThreadName>>, String> {
    let says_so = [PROCESS, THREAD].iter().any(|prefix| text.starts_with(prefix)) || text.contains(',');
    says_so.then(|| text.split(',').map(ThreadName::parse).collect()).transpose()
}

/// The thread with this number or name; `None` if there is none.
///
/// # Errors
/// Threads of several processes have this name; the message lists them with their numbers.
pub fn thread(text: &str) -> Result<Option<Vec<ThreadName>>, String> {
    let Ok(named) = ThreadName::parse(text) else { return Ok(None) };
    let all = threads::all();
    if let ThreadName::Thread(number) = &named {
        return Ok(all.iter().any(|thread| thread.id.unsigned_abs() == *number).then(|| vec![named]));
    }
    let found: Vec<&Thread> = all.iter().filter(|thread| named.has(thread) && !threads::is_ours(thread)).collect();
    let processes: BTreeSet<i32> = found.iter().map(|thread| thread.process).collect();
    if processes.len() > 1 {
        let listed: Vec<String> = processes.iter().map(|process| format!("{PROCESS}{process}")).collect();
        return Err(format!(
            "{text}: {} processes have a thread with this name; choose one of {}, or all as thread:{text}",
            processes.len(),
            listed.join(", ")
        ));
    }
    Ok((!found.is_empty()).then(|| vec![named]))
}

pub fn all(named: &[ThreadName]) -> backwall_os::refusal::Result<Vec<Attachee>> {
    let mut all = Vec::new();
    for one in named {
        all.extend(one.found()?);
    }
    all.sort_by_key(|attachee: &Attachee| attachee.thread.id);
    all.dedup_by_key(|attachee| attachee.thread.id);
    if all.len() > MOST {
        let few = "name fewer of them";
        return Err(usage(format!("{} threads exceed the limit of {MOST}; {few}", all.len())));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_named_by_number_by_name_or_by_its_process() {
        let parsed = ["4711", "process:12", "audio-out", "12a"].map(|text| ThreadName::parse(text).unwrap());
        let name = |name: &str| ThreadName::Name(name.to_string());
        assert_eq!(parsed, [ThreadName::Thread(4_711), ThreadName::Process(12), name("audio-out"), name("12a")]);
        for wrong in ["", "0", "4194305", "process:", "process:x", "99999999999"] {
            assert!(ThreadName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
