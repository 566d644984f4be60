// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace instance of backwall's own, which does not outlive backwall, however that ends.
//!
//! backwall writes nothing outside the instance's folder: other users of the kernel's trace see no change, and removing the
//! folder undoes everything. The owner removes it. If the owner dies, a guardian process removes it. If the guardian dies too,
//! backwall removes the folder at its next start: the process in an instance's name shows whether the instance is stale.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the clock, sleeps"
)]
use super::TraceError;
use crate::tracefs::Tracefs;
use backwall_trace::ring::format::EventFormat;
use backwall_trace::ring::page::PageLayout;
use std::fs::File;
use std::io::{BufRead, Error, ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Names of backwall's instances: `backwall-<pid>-<start of that process>-<number>`.
const PREFIX: &str = "backwall-";
/// How long to try to remove an instance: the kernel refuses while a dying reader still holds it.
const REMOVAL: Duration = Duration::from_secs(2);
const HELD: &str = "tracing_on";
const MOST_TRIES: u32 = 64;
const TEXT_BYTES: usize = 1 << 16;
/// Waits until its standard input closes, which happens when the owner ends. Then removes the folder `$1`.
const GUARDIAN: &str = "trap '' HUP INT TERM; cat >/dev/null; n=0
while [ -d \"$1\" ] && [ $n -lt 100 ] && ! rmdir \"$1\" 2>/dev/null; do n=$((n+1)); sleep 0.05; done";

#[derive(Debug)]
pub struct Instance {
    folder: PathBuf,
    /// The kernel removes no instance with an open file. So this open file protects the instance from a backwall in another
    /// container, which cannot see this process and takes the instance for stale.
    held: Option<File>,
    guardian: Option<Child>,
    _tracefs: Tracefs,
}

impl Instance {
    pub fn create() -> Result<Self, TraceError> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let tracefs = Tracefs::open()?;
        let instances = tracefs.root().join("instances");
        remove_stale(&instances);
        let pid = std::process::id();
        let process = format!("{PREFIX}{pid}-{}", start_of(pid).unwrap_or(0));
        let (name, held) = make(&instances, &process, || NUMBER.fetch_add(1, Ordering::Relaxed))?;
        let mut instance = Self { folder: instances.join(&name), held: Some(held), guardian: None, _tracefs: tracefs };
        let guardian = guardian(&instances, &name).map_err(|source| failed("guard", &instance.folder, source))?;
        instance.guardian = Some(guardian);
        Ok(instance)
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    pub fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    pub fn read(&self, file: &str) -> Result<String, TraceError> {
        let path = self.path(file);
        read_whole(&path).map_err(|source| failed("read", &path, source))
    }

    pub fn write(&self, file: &str, value: &str) -> Result<(), TraceError> {
        let path = self.path(file);
        std::fs::write(&path, value).map_err(|source| failed("write", &path, source))
    }

    pub fn format(&self, event: &str) -> Result<EventFormat, TraceError> {
        let file = format!("events/{event}/format");
        if !self.has(&file) {
            return Err(TraceError::NoEvent { event: event.to_string() });
        }
        let wrong = |source| TraceError::Format { event: event.to_string(), source };
        EventFormat::parse(&self.read(&file)?).map_err(wrong)
    }

    pub fn page_layout(&self) -> Result<PageLayout, TraceError> {
        let wrong = |source| TraceError::Format { event: "header_page".to_string(), source };
        PageLayout::parse(&self.read("events/header_page")?).map_err(wrong)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        drop(self.held.take());
        remove(&self.folder);
        if let Some(mut guardian) = self.guardian.take() {
            drop(guardian.stdin.take());
            let _ = guardian.wait();
        }
    }
}

/// The first read must ask for everything, because some trace files, whose size is 0, return nothing to a second read.
fn read_whole(path: &Path) -> std::io::Result<String> {
    let mut file = std::io::BufReader::with_capacity(TEXT_BYTES, std::fs::File::open(path)?);
    let mut text = String::new();
    file.fill_buf()?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

fn failed(action: &'static str, path: &Path, source: Error) -> TraceError {
    TraceError::File { action, path: path.to_path_buf(), source }
}

/// Makes the folder with the first free name of this process; returns its name, and an open file in it. Two containers that share
/// the kernel's trace may each have a process with this number that started in the same tick. Either may remove the folder that
/// the other one has just made.
fn make(instances: &Path, process: &str, number: impl Fn() -> u32) -> Result<(String, File), TraceError> {
    let mut tries = 0;
    loop {
        let name = format!("{process}-{}", number());
        let folder = instances.join(&name);
        match std::fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => {
                tries += 1;
                continue;
            }
            Err(source) => return Err(failed("create", &folder, source)),
        }
        match File::open(folder.join(HELD)) {
            Ok(held) => return Ok((name, held)),
            Err(error) if error.kind() == ErrorKind::NotFound && tries < MOST_TRIES => tries += 1,
            Err(source) => return Err(failed("open", &folder.join(HELD), source)),
        }
    }
}

/// Removes the folder, which also disables its events; `false` if it is still there.
fn remove(folder: &Path) -> bool {
    let start = Instant::now();
    loop {
        match std::fs::remove_dir(folder) {
            Ok(()) => return true,
            Err(error) if error.kind() == ErrorKind::NotFound => return true,
            Err(_) if start.elapsed() < REMOVAL => std::thread::sleep(Duration::from_millis(10)),
            Err(_) => return false,
        }
    }
}

/// A shell in a process group of its own. Its working folder is in the tracefs, which keeps even a private mount alive.
fn guardian(instances: &Path, name: &str) -> std::io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", GUARDIAN, "backwall-guardian", name])
        .current_dir(instances)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Removes the instances whose process has gone. A process in another container is not visible here, but it holds its instance,
/// so the kernel refuses to remove it.
fn remove_stale(instances: &Path) {
    let Ok(entries) = std::fs::read_dir(instances) else { return };
    let stale = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_stale));
    for entry in stale {
        let _ = std::fs::remove_dir(entry.path());
    }
}

/// Whether the name is of this form and its process has gone, even if another process has the number now.
fn is_stale(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let numbers: Vec<u64> = rest.split('-').map_while(|part| part.parse().ok()).collect();
    let &[pid, start, _] = numbers.as_slice() else { return false };
    u32::try_from(pid).is_ok_and(|pid| start_of(pid) != Some(start))
}

/// When a process started, in clock ticks since boot: field 22 of its `stat`, 20 after the name.
fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split(' ').nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_stale_when_its_process_is_gone_or_another() {
        let pid = std::process::id();
        let start = start_of(pid).unwrap();
        assert!(!is_stale(&format!("backwall-{pid}-{start}-0")));
        assert!(is_stale(&format!("backwall-{pid}-{}-0", start + 1)));
        assert!(is_stale("backwall-4194305-7-0"));
    }

    // A plain folder lacks the kernel's files, like an instance that another process removed at once.
    #[test]
    fn a_name_that_is_taken_or_removed_by_another_container_is_left_for_the_next_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("backwall-1-7-0")).unwrap();
        let next = AtomicU32::new(0);
        let number = || next.fetch_add(1, Ordering::Relaxed);
        assert!(make(folder.path(), "backwall-1-7", number).is_err());
        assert_eq!(next.load(Ordering::Relaxed), MOST_TRIES + 1);
        assert!(folder.path().join("backwall-1-7-1").is_dir() && make(Path::new("/nowhere"), "x", || 0).is_err());
    }

    #[test]
    fn names_of_others_are_never_stale() {
        for name in ["mine", "backwall", "backwall-", "backwall-x-1-0", "backwall-1", "backwall-99999999999-1-0"] {
            assert!(!is_stale(name), "{name}");
        }
    }
}
