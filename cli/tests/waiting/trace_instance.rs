// SPDX-License-Identifier: MIT OR Apache-2.0
//! A killed process never leaves a trace instance behind. Tests are skipped with a reason if tracefs is missing or forbidden.
use backwall_ftrace::Recorder;
use backwall_ftrace::instance::Instance;
use backwall_ftrace::tracefs::Tracefs;
use backwall_ftrace::tracker::Tracker;
use backwall_trace::TraceConfig;
use backwall_trace::event::Besides;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn possible(test: &str) -> bool {
    let refused = Instance::create().err();
    if let Some(reason) = &refused {
        // Not by a print macro, whose text a passing test would swallow.
        let _ = writeln!(std::io::stderr(), "SKIP {test}: {reason}");
    }
    refused.is_none()
}

// Set in a process that a test starts from itself, so that it can be killed.
const ROLE: &str = "BACKWALL_TEST_ROLE";

fn again(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", &format!("trace_instance::{test}")]).env(ROLE, "");
    command
}

fn hold_an_instance() {
    let _instance = Instance::create().unwrap();
    println!("\nholding");
    std::thread::sleep(Duration::from_secs(60));
}

fn drop_a_recording() {
    drop(Recorder::start(TraceConfig::default(), |_, _| ()).unwrap());
    println!("\n{} left", instances_of(std::process::id()));
}

fn instances_of(process: u32) -> usize {
    let tracefs = Tracefs::open().unwrap();
    let prefix = format!("backwall-{process}-");
    let entries = std::fs::read_dir(tracefs.root().join("instances")).unwrap().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
}

struct Owner(Child);

impl Owner {
    fn start() -> Self {
        let mut owner = again("an_owner_killed_leaves_no_instance").stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
        assert!(said.any(|text| text.unwrap() == "holding"));
        Self(owner)
    }

    fn instances(&self) -> usize {
        instances_of(self.0.id())
    }

    fn guardian(&self) -> i32 {
        let path = format!("/proc/{0}/task", self.0.id());
        let threads = std::fs::read_dir(path).unwrap().flatten();
        let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        children
            .flat_map(|ids| ids.split(' ').map(str::to_string).collect::<Vec<_>>())
            .find_map(|id| id.parse().ok())
            .unwrap()
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(process: i32, signal: i32) {
    // SAFETY: plain numbers; the process is a child of a child of ours.
    assert_eq!(unsafe { libc::kill(process, signal) }, 0);
}

fn gone_in_time(mut count: impl FnMut() -> usize) -> bool {
    let start = Instant::now();
    while count() > 0 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    count() == 0
}

#[test]
fn an_owner_killed_leaves_no_instance() {
    if std::env::var_os(ROLE).is_some() {
        return hold_an_instance();
    }
    if !possible("an_owner_killed_leaves_no_instance") {
        return;
    }
    let mut owner = Owner::start();
    assert_eq!(owner.instances(), 1);
    owner.kill();
    assert!(gone_in_time(|| owner.instances()));
}

// As from another container, which does not see the owner.
#[test]
fn nobody_removes_an_instance_that_has_just_been_made() {
    if !possible("nobody_removes_an_instance_that_has_just_been_made") {
        return;
    }
    let instance = Instance::create().unwrap();
    let folder = instance.path("");
    assert!(std::fs::remove_dir(&folder).is_err() && folder.is_dir());
    drop(instance);
    assert!(!folder.exists());
}

#[test]
fn a_guardian_does_not_die_of_the_signals_of_a_terminal() {
    if !possible("a_guardian_does_not_die_of_the_signals_of_a_terminal") {
        return;
    }
    let mut owner = Owner::start();
    let guardian = owner.guardian();
    for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        signal(guardian, number);
    }
    owner.kill();
    assert!(gone_in_time(|| owner.instances()));
}

#[test]
fn when_the_guardian_is_killed_too_the_next_start_removes_the_instance() {
    if !possible("when_the_guardian_is_killed_too_the_next_start_removes_the_instance") {
        return;
    }
    let mut owner = Owner::start();
    signal(owner.guardian(), libc::SIGKILL);
    owner.kill();
    drop(Instance::create().unwrap());
    assert_eq!(owner.instances(), 0);
}

#[test]
fn an_instance_ends_with_its_owner_and_touches_no_other() {
    if !possible("an_instance_ends_with_its_owner_and_touches_no_other") {
        return;
    }
    let owner = Owner::start();
    let mine = Instance::create().unwrap();
    let folder = mine.path("");
    assert!(folder.exists());
    drop(mine);
    assert!(!folder.exists());
    assert_eq!(owner.instances(), 1);
}

#[test]
fn a_recording_that_is_dropped_unfinished_leaves_no_instance() {
    if std::env::var_os(ROLE).is_some() {
        return drop_a_recording();
    }
    if !possible("a_recording_that_is_dropped_unfinished_leaves_no_instance") {
        return;
    }
    let said = again("a_recording_that_is_dropped_unfinished_leaves_no_instance").output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&said).lines().any(|text| text == "0 left"));
}

#[test]
fn a_recording_becomes_no_longer_than_it_may_and_says_so() {
    if !possible("a_recording_becomes_no_longer_than_it_may_and_says_so") {
        return;
    }
    let cpu = backwall_os::affinity::allowed()[0];
    let tracker = Tracker::start(&[cpu], Besides::default(), Some(0), tempfile::tempfile).unwrap();
    assert!(gone_in_time(|| usize::from(tracker.lives())), "it goes on");
    let recorded = tracker.finish().unwrap();
    let why = recorded.failure.unwrap().to_string();
    assert!(why.contains("larger than its limit of 0 MiB"), "{why}");
    assert!(recorded.cpus.iter().flatten().any(|pages| pages.length() > 0), "what was recorded until then is there");
}
