// SPDX-License-Identifier: MIT OR Apache-2.0
//! `watch` on the user's own threads, and on impossible ones. Skipped with a reason without the kernel's trace or the right to drop
//! rights.
use crate::copied::copied;
use crate::lacking::skip;
use crate::quotas::Quota;
use crate::tool::{self, Begin, measured, so_far, wait_until};
use backwall_model::Run;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

struct Users(Child);

impl Users {
    fn start(script: &str) -> Self {
        let mut child =
            Command::new("sh").args(["-c", &format!("echo begun; {script}")]).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(said.next().unwrap().unwrap(), "begun");
        Self(child)
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Users {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn attach(thread: &str, out: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["watch", &format!("thread:{thread}"), "--output"]).arg(out).args(more).output().unwrap()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).to_string()
}

fn skipped(test: &str, output: &Output) -> bool {
    let no_trace = message(output).contains("cannot open the kernel's trace");
    if no_trace {
        // Not by a print macro, whose text a passing test would swallow.
        skip(test, &message(output));
    }
    no_trace
}

fn stored(out: &Path) -> Run {
    serde_json::from_slice(&std::fs::read(out.join("run.json")).unwrap()).unwrap()
}

#[test]
fn a_thread_that_cannot_be_followed_is_refused_in_one_line_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let gone = gone.id().to_string();
    let users = Users::start("sleep 60");
    let users = users.id();
    for (thread, more, told) in [
        (gone.as_str(), vec![], "no such thread; ps -eLo tid,comm lists them"),
        ("0", vec![], "0 must be 1 to 4194304"),
        ("-5", vec![], "-5: no such thread"),
        ("no-such-name", vec![], "no such thread; ps -eLo tid,comm lists them"),
        ("process:4194304", vec![], "no such thread"),
        ("process:x", vec![], "x must be 1 to 4194304"),
        (users.as_str(), vec!["--load", "none"], "unknown option '--load'"),
        (users.as_str(), vec!["--stop-above", "1ms"], "unknown option '--stop-above'"),
        (users.as_str(), vec!["-D", "0"], "must be greater than 0"),
        (users.as_str(), vec!["--require", "wakeup.max < 1ms"], "wakeup"),
    ] {
        let output = attach(thread, &out, &more);
        let line = message(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{thread} {more:?}: {line}");
        assert!(line.contains(told) && !out.exists(), "{line}");
    }
}

#[test]
fn a_thread_of_another_user_needs_root() {
    const TEST: &str = "a_thread_of_another_user_needs_root";
    let folder = tempfile::tempdir().unwrap();
    let tool = folder.path().join("backwall");
    copied(env!("CARGO_BIN_EXE_backwall"), &tool);
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), everybody).unwrap();
    let users = Users::start("sleep 60");
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&tool);
    let output = command.args(["watch", &users.id()]).current_dir(folder.path()).output();
    let refused = |text: &str| text.contains("setpriv:");
    match output {
        Ok(output) if !refused(&message(&output)) => {
            let line = message(&output);
            assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
            // The trace already needs root, also for a thread of the same user.
            assert!(line.contains("root"), "{line}");
        }
        _ => skip(TEST, "rights cannot be given up here"),
    }
}

#[test]
fn a_thread_that_ends_in_the_middle_is_told_and_what_was_seen_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let over = folder.path().join("over");
    let users = Users::start(&format!("until [ -e {} ]; do sleep 0.02; done", over.display()));
    // The thread ends once responses of it are known, however long the recording took to begin.
    let options = ["-D", "100s", "--quiet", "--every", "50ms"];
    let output = std::thread::scope(|scope| {
        let attached = scope.spawn(|| attach(&users.id(), &out, &options));
        let has_begun = || so_far(&out).is_some_and(|run| measured(&run) > 0);
        wait_until("a first response, or the run's end", || has_begun() || attached.is_finished());
        std::fs::write(&over, "").unwrap();
        attached.join().unwrap()
    });
    if skipped("a_thread_that_ends_in_the_middle", &output) {
        return;
    }
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 1), "{line}");
    assert!(line.contains(" ended after ") && line.contains("backwall keeps what it measured until then"), "{line}");
    let run = stored(&out);
    assert!(run.interrupted && run.series[0].done > 0, "{:?}", run.warnings);
}

#[test]
fn what_is_measured_and_what_is_not_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let users = Users::start("while :; do sleep 0.02; done");
    let options =
        ["-D", "1s", "--deadline", "1h", "--require", "attached.max < 1h", "--require", "late == 0", "--quiet"];
    let output = attach(&users.id(), &out, &options);
    if skipped("what_is_measured", &output) {
        return;
    }
    let run = stored(&out);
    let series = &run.series[0];
    // On a machine that is too busy to read the kernel's rings, wakeups are lost. How late those were nobody knows, so no
    // requirement is decided.
    let unseen = run.warnings.iter().any(|warning| warning.text.contains("backwall did not see the end of"));
    assert_eq!(unseen, series.unseen > 0, "{:?}", run.warnings);
    assert_eq!(output.status.code(), Some(if unseen { 3 } else { 0 }), "{}", message(&output));
    assert_eq!((series.from.as_str(), series.to.as_str(), series.late), ("timer or waking", "running", Some(0)));
    assert!(
        series.done > 0 && series.due == Some(series.done + series.unseen) && run.device.kind == "linux",
        "{series:?}"
    );
    assert!(
        run.warnings[0]
            .text
            .starts_with("attached: a response begins when the thread's own timer expires, otherwise at its wakeup (")
    );
    // The first of several threads, and one that never wakes up: this test's own process.
    let whole = folder.path().join("whole");
    let output = attach(&std::process::id().to_string(), &whole, &["-D", "300ms"]);
    let told = |run: &Run, what: &str| run.warnings.iter().any(|warning| warning.text.contains(what));
    assert!(told(&stored(&whole), "is the first thread of its process; "), "{}", message(&output));
}

#[test]
fn a_thread_that_is_not_woken_is_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let users = Users::start("exec sleep 600");
    let output = attach(&users.id(), &out, &["-D", "300ms", "--quiet"]);
    if skipped("a_thread_that_is_not_woken", &output) {
        return;
    }
    let run = stored(&out);
    let said = run.warnings.iter().any(|warning| warning.text.contains("never woke up"));
    assert!(!run.valid && said && run.series[0].due == Some(0), "{:?}", run.warnings);
}

// A thread's scheduling, which others could change: CPUs, real-time priority and policy.
fn scheduling(thread: u32) -> (Option<String>, Vec<String>) {
    let stat = std::fs::read_to_string(format!("/proc/{thread}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    // Priority, nice value, real-time priority, policy: see proc_pid_stat(5).
    let processors = backwall_os::threads::allowed(Path::new(&format!("/proc/{thread}")));
    (processors, [15, 16, 37, 38].map(|at| fields[at].to_string()).to_vec())
}

fn has_figures(out: &Path) -> bool {
    let run = backwall_store::read(out).ok().filter(|run| run.unfinished().is_some());
    run.is_some_and(|run| run.series.iter().any(|series| series.done > 0))
}

// After a kill: the checkpoint, which is the run so far with its page.
fn check_what_is_left(out: &Path) {
    assert!(has_figures(out) && !out.join("run.json").exists(), "{:?}", tool::files(out));
    let run = backwall_store::read(out).unwrap();
    let (series, phases) = (&run.series[0], &run.sessions[0].phases);
    assert_eq!(series.due, Some(series.done + series.unseen));
    assert!(phases.len() == 1 && phases[0].ns > 0 && run.stages.len() == 1, "{phases:?}");
    let report = Command::new(env!("CARGO_BIN_EXE_backwall")).arg("report").arg(out).output().unwrap();
    let said = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(report.status.success() && said.contains(" of 50 s measured") && said.contains("cannot resume"), "{said}");
    assert!(out.join("report.html").exists());
}

#[test]
fn however_it_ends_the_thread_and_the_trace_are_as_they_were() {
    let users = Users::start("while :; do sleep 0.02; done");
    let before = scheduling(users.0.id());
    for name in ["INT", "TERM", "HUP", "KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command
            .args(["watch", &format!("thread:{}", users.id()), "--quiet", "-D", "50s", "--every", "20ms", "--output"])
            .arg(&out);
        let mut tool = command.stderr(Stdio::piped()).begin();
        let owner = tool.id();
        let mut ended = || tool.try_wait().unwrap().is_some();
        let begun = std::time::Instant::now();
        while !ended() && !has_figures(&out) {
            assert!(begun.elapsed().as_secs() < 60, "no checkpoint with figures");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        if !ended() {
            tool::signal(owner, name);
        }
        let output = tool.wait_with_output().unwrap();
        if skipped("however_it_ends", &output) {
            return;
        }
        tool::wait_until("the end of the instance", || tool::instances(owner).is_empty());
        match name {
            "KILL" => check_what_is_left(&out),
            _ => {
                // Other tests load the machine. If the ring overflowed, the run says so and is invalid.
                let lost = message(&output).contains("the kernel's trace lost");
                assert_eq!(output.status.code(), Some(if lost { 3 } else { 0 }), "{name}: {}", message(&output));
                let run = stored(&out);
                assert!(run.interrupted && run.series[0].done > 0, "{name}: {:?}", run.warnings);
            }
        }
        assert_eq!(scheduling(users.0.id()), before, "{name}");
    }
}

#[test]
fn a_quota_that_was_used_up_is_told_with_its_group() {
    const TEST: &str = "a_quota_that_was_used_up_is_told";
    let folder = tempfile::tempdir().unwrap();
    let group = match Quota::of_tenths(1) {
        Ok(group) => group,
        Err(error) => return skip(TEST, &format!("no control group with a quota can be made: {error}")),
    };
    let users = Users::start("while :; do :; done");
    if let Err(error) = std::fs::write(group.members(), users.id()) {
        return skip(TEST, &format!("nobody can be put into a control group: {error}"));
    }
    let out = folder.path().join("run");
    let output = attach(&users.id(), &out, &["-D", "1s", "--quiet"]);
    if skipped(TEST, &output) {
        return;
    }
    let warnings = stored(&out).warnings;
    let said =
        |text: &&String| text.contains("its control group used up its CPU quota") && text.contains(&group.path());
    assert!(warnings.iter().any(|warning| said(&&warning.text)), "{warnings:?}");
    drop(users);
}
