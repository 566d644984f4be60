// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program that prints how many late responses an application has counted. A thread runs it repeatedly, as the
//! application's user. backwall trusts neither this program nor the application: the user may do anything to the program, and
//! any process can have the application's name.
use backwall_os::apart::{self, NoUser, User};
use backwall_os::folder::Folder;
use backwall_os::process::Leash;
use backwall_os::program;
use backwall_os::readable::readable;
use backwall_watch::OwnCount;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(5);
// If the program takes longer than this, backwall stops waiting for its count.
const PATIENCE: Duration = Duration::from_secs(10);
// Interval of checks on a program that prints nothing.
const LOOK: Duration = Duration::from_millis(20);
// Size limit of an answer, and of a process's environment.
const MOST_BYTES: u64 = 1 << 20;

pub(super) struct Counter {
    answers: Receiver<Result<u64, Unasked>>,
    /// Dropping the sender ends the thread.
    ends: Option<Sender<()>>,
    asks: Option<JoinHandle<()>>,
    /// The last count that the program printed. The first one only gives the value from which backwall counts.
    last: Option<u64>,
    why: Option<Unasked>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Unasked {
    #[error("not found")]
    Missing,
    #[error("of process {0}: {1}")]
    Nobody(i32, NoUser),
    /// Only root could run the counting program as that user.
    #[error("process {0} belongs to user {1}, so only root or that user can get its count")]
    Foreign(i32, u32),
    /// Another user can write the recipe, and so could choose what program runs as the application's user.
    #[error(
        "process {0} belongs to user {1}, and others can write the recipe; move the recipe to a folder that only root \
            or that user can write"
    )]
    Untrusted(i32, u32),
    #[error("{0}; to run a program as another user, a service needs CAP_SETUID and CAP_SETGID")]
    Refused(std::io::Error),
}

impl Counter {
    pub(super) fn begin(own: &OwnCount, process: i32) -> Result<Self, Unasked> {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        if own.words.is_empty() || program::find(OsStr::new(&own.counter), &folders).is_err() {
            return Err(Unasked::Missing);
        }
        Subject::find(own, process)?;
        let ((ends, ended), (says, answers)) = (channel(), channel());
        let own = own.clone();
        let asks = std::thread::Builder::new().name("backwall-count".to_string()).spawn(move || {
            loop {
                let came = asked(&own, process, &ended).transpose();
                let is_refused = matches!(came, Some(Err(_)));
                if came.is_some_and(|came| says.send(came).is_err())
                    || is_refused
                    || ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout)
                {
                    return;
                }
            }
        });
        Ok(Self { answers, ends: Some(ends), asks: asks.ok(), last: None, why: None })
    }

    pub(super) fn has_answered(&self) -> bool {
        self.last.is_some()
    }

    pub(super) fn why(&mut self) -> Option<Unasked> {
        self.why.take()
    }

    /// The application's count since the last query. A restarted application counts from 0.
    pub(super) fn new_since(&mut self) -> u64 {
        let mut now = None;
        for came in self.answers.try_iter() {
            match came {
                Ok(count) => now = Some(count),
                Err(why) => self.why = Some(why),
            }
        }
        let Some(now) = now else { return 0 };
        let before = self.last.replace(now).unwrap_or(now);
        if now < before { now } else { now - before }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        drop(self.ends.take());
        self.asks.take().map(JoinHandle::join);
    }
}

/// The process whose responses are counted. Its folder in `/proc` stays open, so that backwall notices a reused number.
struct Subject {
    folder: Folder,
    user: User,
}

impl Subject {
    fn find(own: &OwnCount, process: i32) -> Result<Self, Unasked> {
        let nobody = |why: NoUser| Unasked::Nobody(process, why);
        let folder = Folder::open(Path::new(&format!("/proc/{process}"))).map_err(|error| nobody(error.into()))?;
        let user = User::from_process(&folder).map_err(nobody)?;
        let ours = rustix::process::geteuid();
        match user.user {
            number if !ours.is_root() && number != ours.as_raw() => Err(Unasked::Foreign(process, number)),
            number if ours.is_root() && !own.asked_for.has(number) => Err(Unasked::Untrusted(process, number)),
            _ => Ok(Self { folder, user }),
        }
    }

    /// Passes only those environment variables that the recipe names, so that nobody can mislead a privileged program.
    fn environment(&self, own: &OwnCount) -> BTreeMap<String, String> {
        let bytes = self.folder.read("environ", MOST_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
        let wanted = pairs.filter(|(name, _)| own.environment.iter().any(|known| known == name));
        wanted.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }
}

fn asked(own: &OwnCount, process: i32, ended: &Receiver<()>) -> Result<Option<u64>, Unasked> {
    let Some((program, words)) = own.words.split_first() else { return Ok(None) };
    // The process may have changed its user since.
    let subject = match Subject::find(own, process) {
        Err(Unasked::Nobody(_, NoUser::Unread(_))) => return Ok(None),
        found => found?,
    };
    let mut command = Command::new(program);
    apart::set(command.args(words).stdout(Stdio::piped()), &subject.user);
    command.envs(subject.environment(own));
    let mut leash = match Leash::start_apart(&mut command) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Err(Unasked::Refused(error)),
        Err(_) => return Ok(None),
        Ok(leash) => leash,
    };
    let text = leash.stdout().and_then(|output| said(output, &|| ended.try_recv() != Err(TryRecvError::Empty)));
    let status = leash.wait(if text.is_some() { PATIENCE } else { Duration::ZERO }, &|| false);
    let is_sound = matches!(status, Ok(Some(status)) if status.success());
    Ok(text.filter(|_| is_sound).and_then(|text| own.counted(&text)))
}

/// The output up to its end. `None` if the end does not come in time, because another program inherited the output, for example.
fn said(mut output: impl Read + std::os::fd::AsFd, is_over: &dyn Fn() -> bool) -> Option<String> {
    let (begun, mut bytes, mut part) = (Instant::now(), Vec::new(), [0; 4_096]);
    while begun.elapsed() < PATIENCE && !is_over() && (bytes.len() as u64) < MOST_BYTES {
        if !readable(&output, LOOK).ok()? {
            continue;
        }
        match output.read(&mut part).ok()? {
            0 => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            length => bytes.extend_from_slice(&part[..length]),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(words: &[&str]) -> OwnCount {
        let words = words.iter().map(|word| word.to_string()).collect();
        OwnCount { counter: "sh".to_string(), words, column: "ERR".to_string(), ..OwnCount::default() }
    }

    // Do not write this with a print macro: a passing test would swallow the text.
    #[allow(clippy::disallowed_methods, reason = "a test that did nothing says why")]
    fn skip(why: &str) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{why}\n").as_bytes());
    }

    #[test]
    fn the_program_is_asked_and_what_is_no_table_is_no_answer() {
        let (_ends, ended) = channel();
        let process = std::process::id() as i32;
        assert_eq!(asked(&own(&["sh", "-c", "echo NAME ERR; echo a 3; echo b 4"]), process, &ended).unwrap(), Some(7));
        assert_eq!(asked(&own(&["sh", "-c", "echo NAME ERR; echo a 3; exit 1"]), process, &ended).unwrap(), None);
        assert_eq!(asked(&own(&["sh", "-c", "echo no table"]), process, &ended).unwrap(), None);
        assert_eq!(asked(&own(&["no-such-program-of-ours"]), process, &ended).unwrap(), None);
    }

    #[test]
    fn what_it_counts_is_told_once_and_a_program_that_is_not_here_is_none() {
        let mut counter = Counter::begin(&own(&["sh", "-c", "echo ERR; echo 5"]), std::process::id() as i32).unwrap();
        while !counter.has_answered() {
            assert_eq!(counter.new_since(), 0, "the first answer is where the count begins");
            std::thread::yield_now();
        }
        drop(counter);
        let gone = OwnCount { counter: "no-such-program-of-ours".to_string(), ..own(&["true"]) };
        for own in [gone, OwnCount::default()] {
            assert!(matches!(Counter::begin(&own, 1), Err(Unasked::Missing)));
        }
    }

    struct Other(std::process::Child);

    impl Other {
        fn start(words: &[&str]) -> Self {
            let mut command = Command::new(words[0]);
            Self(command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
        }

        fn process(&self) -> i32 {
            self.0.id() as i32
        }

        fn once(self, row: &str) -> Self {
            let place = format!("/proc/{}/status", self.0.id());
            while !std::fs::read_to_string(&place).unwrap().contains(row) {
                std::thread::yield_now();
            }
            self
        }
    }

    impl Drop for Other {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn is_root() -> bool {
        let is_root = rustix::process::geteuid().is_root()
            && program::find(OsStr::new("setpriv"), OsStr::new("/usr/bin")).is_ok();
        if !is_root {
            skip("skipped: needs root and setpriv(1)");
        }
        is_root
    }

    const AS_NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--groups=4,24"];

    // The program must not have root's terminal, into which it could type, nor root's environment.
    #[test]
    fn the_program_is_the_users_in_a_session_without_our_terminal_and_our_environment() {
        if !is_root() {
            return;
        }
        let application =
            Other::start(&[&AS_NOBODY[..], &["env", "XDG_RUNTIME_DIR=/run/a", "OTHER=b", "sleep", "600"]].concat());
        let application = application.once("Name:\tsleep");
        let (_ends, ended) = channel();
        let conditions = [
            "[ $(id -u),$(id -g) = 65534,65534 ]",
            "[ \"$(id -G | tr ' ' '\\n' | sort -n | xargs)\" = '4 24 65534' ]",
            "[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ]",
            "[ $(cut -d' ' -f7 /proc/$$/stat) = 0 ]",
            "[ \"$XDG_RUNTIME_DIR\" = /run/a ]",
            "[ -z \"$OTHER$HOME$USER$CARGO_MANIFEST_DIR\" ]",
            "[ $PWD = / ]",
        ];
        for condition in conditions {
            let script = format!("echo ERR; if {condition}; then echo 1; else echo 0; fi");
            let own = OwnCount { environment: vec!["XDG_RUNTIME_DIR".to_string()], ..own(&["sh", "-c", &script]) };
            assert_eq!(asked(&own, application.process(), &ended).unwrap(), Some(1), "{condition}");
        }
    }

    // Anybody can start such a program under the name of an application.
    #[test]
    fn a_process_of_two_users_has_no_counter() {
        if !is_root() {
            return;
        }
        let process = Other::start(&["setpriv", "--ruid=65534", "sleep", "600"]).once("Name:\tsleep");
        let refused = Counter::begin(&own(&["true"]), process.process()).err().unwrap().to_string();
        assert!(refused.ends_with("its real, effective and saved user or group differ"), "{refused}");
    }

    // Such a program is like sudo, which has root's ids while it waits for a password, and its caller's environment.
    #[test]
    fn a_program_with_the_set_user_id_bit_that_has_become_root_has_no_counter() {
        use std::os::unix::fs::PermissionsExt;
        let python = Path::new("/usr/bin/python3");
        if !is_root() || !python.exists() {
            return skip("skipped: needs root and Python");
        }
        let top = tempfile::tempdir().unwrap();
        std::fs::set_permissions(top.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let file = top.path().join("pipewire");
        std::fs::copy(python, &file).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o4755)).unwrap();
        let script = "import os, time; os.setresgid(65534, 65534, 65534); os.setresuid(0, 0, 0); time.sleep(600)";
        let words = [&AS_NOBODY[..], &[file.to_str().unwrap(), "-c", script]].concat();
        let mut process = Other::start(&words);
        let place = format!("/proc/{}/status", process.0.id());
        while !std::fs::read_to_string(&place).unwrap().contains("Name:\tpipewire\n")
            || !std::fs::read_to_string(&place).unwrap().contains("Uid:\t0\t0\t0\t0")
        {
            if process.0.try_wait().unwrap().is_some() {
                return skip("skipped: the set-user-ID bit has no effect here");
            }
            std::thread::yield_now();
        }
        let refused = Counter::begin(&own(&["true"]), process.process()).err().unwrap().to_string();
        assert!(refused.contains("it has the set-user-ID or set-group-ID bit"), "{refused}");
    }

    // If a user may call the tool through sudo with their own recipe, this does not make the user root.
    #[test]
    fn a_recipe_that_somebody_can_write_has_nothing_carried_out_as_another_user() {
        if !is_root() {
            return;
        }
        let ours = std::process::id() as i32;
        for asked_for in [backwall_watch::AskedFor::User(65_534), backwall_watch::AskedFor::Nobody] {
            let recipe = OwnCount { asked_for, ..own(&["true"]) };
            assert!(matches!(Counter::begin(&recipe, ours), Err(Unasked::Untrusted(_, 0))), "{asked_for:?}");
        }
        let theirs = Other::start(&[&AS_NOBODY[..], &["sleep", "600"]].concat()).once("Name:\tsleep");
        let recipe = OwnCount { asked_for: backwall_watch::AskedFor::User(65_534), ..own(&["true"]) };
        assert!(Counter::begin(&recipe, theirs.process()).is_ok());
    }

    #[test]
    fn a_program_that_leaves_its_output_open_behind_it_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("process");
        let script = format!("setsid sleep 600 & echo $! >{}; echo ERR; echo 1", file.display());
        let (ends, ended) = channel();
        let number = || std::fs::read_to_string(&file).ok()?.trim().parse::<i32>().ok();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while number().is_none() {
                    std::thread::yield_now();
                }
                drop(ends);
            });
            assert_eq!(asked(&own(&["sh", "-c", &script]), std::process::id() as i32, &ended).unwrap(), None);
        });
        let left = rustix::process::Pid::from_raw(number().unwrap()).unwrap();
        rustix::process::kill_process(left, rustix::process::Signal::KILL).expect("it is there still");
    }
}
