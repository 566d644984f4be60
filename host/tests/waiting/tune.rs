// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune`, killed and disturbed, on settings of the test's own: files that are mounted over those of the kernel for
//! the tool alone, so that nothing of this machine is changed. `BACKWALL_KILLS` says how often it is killed.
use crate::lacking::skip;
use crate::tool::{Begin, Running, wait_until};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The setting that is tried, and where the kernel keeps it.
const SETTING: &str = "vm-statistics";
const KNOB: &str = "/proc/sys/vm/stat_interval";
/// Slices of a trial.
const SLICES: usize = 12;
/// About what one takes with the scripted probe.
const A_SLICE: Duration = Duration::from_millis(80);

/// A machine of its own in a mount namespace: `/var/lib` and the setting are files of a folder.
struct Scene {
    folder: TempDir,
}

impl Scene {
    /// `None`, with the reason told, where no such machine can be made.
    fn new(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("knob"), "1\n").unwrap();
        let scene = Self { folder };
        let output = scene.shell("true", &[]).output();
        match output {
            Ok(output) if output.status.success() && Path::new(KNOB).exists() => Some(scene),
            Ok(output) => {
                skip(test, &format!("no mounts of its own: {}", String::from_utf8_lossy(&output.stderr).trim()));
                None
            }
            Err(error) => {
                skip(test, &format!("unshare: {error}"));
                None
            }
        }
    }

    /// A command in the namespace; the process that is started is the command itself.
    fn shell(&self, program: &str, words: &[&str]) -> Command {
        let mounts =
            format!("mount --bind \"$1/lib\" /var/lib && mount --bind \"$1/knob\" {KNOB} && shift && exec \"$@\"");
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &mounts, "sh"]).arg(self.folder.path()).arg(program).args(words);
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn tune(&self, words: &[&str]) -> Output {
        self.shell(env!("CARGO_BIN_EXE_backwall"), &[&["tune"], words].concat()).output().unwrap()
    }

    /// A trial whose slices are made by the scripted probe.
    fn begin(&self) -> Running {
        let words = ["tune", "try", SETTING, "--apply", "--slice", "50ms", "--out", "trial", "--"];
        let loop_words = ["--probe", device::built::FAKE, "--load", "none"];
        let _ = fs::remove_dir_all(self.folder.path().join("trial"));
        self.shell(env!("CARGO_BIN_EXE_backwall"), &[&words[..], &loop_words].concat()).begin()
    }

    fn knob(&self) -> String {
        fs::read_to_string(self.folder.path().join("knob")).unwrap().lines().next().unwrap_or_default().to_string()
    }

    /// Slices that have begun.
    fn slices(&self) -> usize {
        let entries = fs::read_dir(self.folder.path().join("trial")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "log")).count()
    }

    fn journal(&self) -> bool {
        self.folder.path().join("lib/backwall/tune.json").exists()
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_trial_that_helps_nothing_leaves_the_machine_as_it_was() {
    let Some(scene) = Scene::new("a_trial_that_helps_nothing") else { return };
    let output = scene.begin().wait_with_output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("vm-statistics: taken back: nothing improved"), "{said}");
    assert!(said.contains("none of 1 was kept; this machine is as it was"), "{said}");
    assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false));
    let runs = fs::read_dir(scene.folder.path().join("trial")).unwrap().flatten();
    assert_eq!(runs.filter(|entry| entry.path().join("run.json").exists()).count(), SLICES);
}

#[test]
fn killed_at_any_instant_the_next_call_sets_everything_back() {
    let Some(scene) = Scene::new("killed_at_any_instant") else { return };
    let kills: u32 = std::env::var("BACKWALL_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let (mut changed, mut ended) = (0, 0);
    for kill in 0..kills {
        let mut child = scene.begin();
        // In each slice in turn, after a part of one that never repeats: the golden ratio's.
        let slice = 1 + kill as usize % SLICES;
        wait_until("the slice", || scene.slices() >= slice || crate::tool::ended(child.id()));
        std::thread::sleep(A_SLICE.mul_f64((f64::from(kill) * 0.618_033_988_75).fract()));
        ended += u32::from(child.try_wait().unwrap().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        changed += u32::from(scene.knob() != "1");
        // Whichever call it is that comes next.
        let next = [&["status"][..], &["plan"], &["undo"], &["try", SETTING], &["boot"]][kill as usize % 5];
        let output = scene.tune(next);
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false), "kill {kill}");
    }
    println!("tune: {kills} kills, {changed} of them while the setting was made, {ended} after the trial's end");
    assert!(changed > 0 && ended < kills, "no kill met a trial: {changed} {ended}");
}

#[test]
fn two_trials_at_once_are_refused_and_an_end_by_the_user_restores() {
    let Some(scene) = Scene::new("two_trials_at_once") else { return };
    let child = scene.begin();
    wait_until("the setting", || scene.knob() != "1");
    let second = scene.tune(&["undo"]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second));
    assert!(text(&second).contains("another backwall tune is at work"), "{}", text(&second));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false));
}
