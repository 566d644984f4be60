// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shell command of the user with all processes that it starts. They end when backwall ends, however backwall ends.
//!
//! When a process is killed, the kernel can kill its direct children only. So a supervising shell leads the process group and
//! reads from a pipe whose other end only backwall holds. When that pipe closes, the shell ends the whole group, first by SIGTERM
//! and then by SIGKILL. A process that leaves the group (`setsid`) is not ended.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and writes files, starts programs, reads the clock, sleeps"
)]
use backwall_os::readable::readable;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `$1` is the command, `$2` the file for its output. The supervisor prints the exit status on standard output.
const SUPERVISOR: &str = "{ sh -c \"$1\" </dev/null >\"$2\" 2>&1; echo $?; } & \
     read -r ended; trap : TERM; kill -TERM 0; sleep 0.3; kill -KILL 0";
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Clock ticks per second in `/proc`; USER_HZ is the same on every kernel (proc_pid_stat(5)).
const TICKS_PER_SECOND: u64 = 100;
/// Fields of `/proc/PID/stat` after the name (proc_pid_stat(5)): state, parent, group, and CPU times.
const STATE: usize = 0;
const PARENT: usize = 1;
const GROUP: usize = 2;
const TIMES: std::ops::Range<usize> = 11..15;

#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
}

impl Supervised {
    pub fn start(command: &str, cpus: &[u32]) -> std::io::Result<Self> {
        let mut allowed = CpuSet::new();
        let known = cpus.iter().map(|cpu| *cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU);
        known.for_each(|cpu| allowed.set(cpu));
        let mut shell = supervisor(command, Path::new("/dev/null"));
        // SAFETY: between fork and exec only sched_setaffinity is called, which is async-signal-safe.
        unsafe {
            shell.pre_exec(move || Ok(sched_setaffinity(None, &allowed)?));
        }
        Ok(Self { supervisor: shell.spawn()? })
    }

    /// Runs `command` to its end in a shell in the given folder with one extra environment variable. Output goes to the file
    /// `said`. Returns the shell's status (128 plus the number of a signal); `None` if `stop` ended it.
    pub fn run(
        command: &str,
        folder: &Path,
        (name, value): (&str, &Path),
        said: &Path,
        stop: &dyn Fn() -> bool,
    ) -> std::io::Result<Option<i32>> {
        let mut shell = supervisor(command, said);
        shell.current_dir(folder).env(name, value).stdout(Stdio::piped());
        let mut running = Self { supervisor: shell.spawn()? };
        let mut pipe = running.supervisor.stdout.take().expect("standard output is a pipe");
        while !readable(&pipe, LOOK_EVERY)? {
            if stop() {
                return Ok(None);
            }
        }
        // The pipe's last writer disappears only when the supervisor ends.
        running.finish();
        let mut status = String::new();
        pipe.read_to_string(&mut status)?;
        let killed = |_| std::io::Error::other("its shell was killed");
        status.trim().parse().map(Some).map_err(killed)
    }

    pub fn used(&self) -> Duration {
        let ticks: u64 = self.members().map(|row| row.ticks).sum();
        Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)
    }

    pub fn runs(&self) -> bool {
        let id = self.supervisor.id();
        self.members().any(|row| row.parent == id && !row.ended)
    }

    pub fn end(mut self) {
        self.finish();
    }

    fn finish(&mut self) {
        drop(self.supervisor.stdin.take());
        let _ = self.supervisor.wait();
    }

    fn members(&self) -> impl Iterator<Item = Row> {
        let group = self.supervisor.id();
        let rows = std::fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
            let name = entry.ok()?.file_name();
            name.to_str()?.parse::<u32>().ok()?;
            std::fs::read_to_string(std::path::Path::new("/proc").join(name).join("stat")).ok()
        });
        rows.filter_map(|text| Row::read(&text)).filter(move |row| row.group == group)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.finish();
    }
}

fn supervisor(command: &str, said: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", SUPERVISOR, "backwall-with", command]).arg(said).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell
}

struct Row {
    parent: u32,
    group: u32,
    ended: bool,
    /// The process's own CPU time, and that of the children it waited for.
    ticks: u64,
}

impl Row {
    /// The name in parentheses may contain anything, so parsing starts after the last closing parenthesis.
    fn read(text: &str) -> Option<Self> {
        let members: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| members.get(at)?.parse::<u32>().ok();
        let ticks = members.get(TIMES)?.iter().filter_map(|time| time.parse::<u64>().ok()).sum();
        Some(Self { parent: number(PARENT)?, group: number(GROUP)?, ended: members[STATE] == "Z", ticks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_os::affinity;
    use std::time::Instant;

    fn wait_until(what: &str, holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < Duration::from_secs(300), "{what} did not happen");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_row_is_read_whatever_the_name_is() {
        let row = Row::read("7 (a) Z (b) S 1 5 5 0 -1 4 0 0 0 0 3 4 5 6 20 0").unwrap();
        assert_eq!((row.parent, row.group, row.ended, row.ticks), (1, 5, false, 18));
        assert!(Row::read("7 (a) S 1").is_none() && Row::read("").is_none());
    }

    #[test]
    fn what_a_command_started_uses_time_and_goes_with_it() {
        let command = "(while :; do :; done) & (trap '' TERM; while :; do sleep 0.01; done) & wait";
        let load = Supervised::start(command, &affinity::allowed()).unwrap();
        wait_until("processor time", || load.used() > Duration::ZERO && load.runs());
        let group = load.supervisor.id();
        load.end();
        wait_until("the end of all", || {
            let text =
                |name: std::ffi::OsString| std::fs::read_to_string(format!("/proc/{}/stat", name.to_str()?)).ok();
            let rows =
                std::fs::read_dir("/proc").unwrap().filter_map(|entry| Row::read(&text(entry.ok()?.file_name())?));
            rows.filter(|row| row.group == group && !row.ended).count() == 0
        });
    }

    #[test]
    fn a_command_that_is_waited_for_tells_its_status_and_what_it_said() {
        let folder = tempfile::tempdir().unwrap();
        let said = folder.path().join("said");
        let run = |command: &str, stop: &dyn Fn() -> bool| {
            Supervised::run(command, folder.path(), ("OF_OURS", Path::new("set")), &said, stop).unwrap()
        };
        assert_eq!(run("pwd; echo $OF_OURS >&2; sleep 600 & exit 3", &|| false), Some(3));
        let text = std::fs::read_to_string(&said).unwrap();
        assert_eq!(text, format!("{}\nset\n", folder.path().canonicalize().unwrap().display()));
        assert_eq!(run("kill -9 $$", &|| false), Some(128 + 9));
        assert_eq!(run("sleep 600", &|| true), None);
    }

    #[test]
    fn a_command_that_is_over_does_not_run() {
        let load = Supervised::start("exit 3", &affinity::allowed()).unwrap();
        wait_until("the end", || !load.runs());
    }
}
