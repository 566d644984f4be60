// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tune`, killed and disturbed, on test settings: files mounted over the kernel's for the tool alone, so that this machine
//! stays unchanged. `BACKWALL_KILLS` sets the number of kills, `BACKWALL_SEED` the seed of their times.
use crate::lacking::skip;
use crate::tool::{Begin, Running, wait_until};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const SETTING: &str = "vm-statistics";
const KNOB: &str = "/proc/sys/vm/stat_interval";
const SLICES: usize = 12;
const A_SLICE: Duration = Duration::from_millis(80);

// A separate machine in a mount namespace: `/var/lib`, the setting, the command line, the boot number and debugfs are files in a folder.
pub struct Scene {
    pub folder: TempDir,
}

const DEBUGFS: &str = "/sys/kernel/debug";

const LINE: &str = "/proc/cmdline";
const START: &str = "/proc/sys/kernel/random/boot_id";

impl Scene {
    pub fn new(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::create_dir_all(folder.path().join("debug/sched")).unwrap();
        fs::write(folder.path().join("knob"), "1\n").unwrap();
        let scene = Self { folder };
        scene.started("1", "quiet");
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

    pub fn shell(&self, program: &str, words: &[&str]) -> Command {
        let mounts = [("lib", "/var/lib"), ("knob", KNOB), ("line", LINE), ("start", START)]
            .map(|(own, place)| format!("mount --bind \"$1/{own}\" {place}"));
        let debugfs = format!(" && {{ [ ! -d {DEBUGFS} ] || mount --bind \"$1/debug\" {DEBUGFS}; }}");
        let mounts = mounts.join(" && ") + &debugfs + " && shift && exec \"$@\"";
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &mounts, "sh"]).arg(self.folder.path()).arg(program).args(words);
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn started(&self, start: &str, line: &str) {
        for (file, text) in [("start", start), ("line", line)] {
            fs::write(self.folder.path().join(file), format!("{text}\n")).unwrap();
        }
    }

    pub fn tune(&self, words: &[&str]) -> Output {
        self.shell(env!("CARGO_BIN_EXE_backwall"), &[&["tune"], words].concat()).output().unwrap()
    }

    fn begin(&self) -> Running {
        let words = ["tune", "try", SETTING, "--apply", "--duration", "50ms", "--output", "trial", "--"];
        let loop_words = ["--probe", backwall_runner::device::built::FAKE, "--load", "none"];
        let _ = fs::remove_dir_all(self.folder.path().join("trial"));
        self.shell(env!("CARGO_BIN_EXE_backwall"), &[&words[..], &loop_words].concat()).begin()
    }

    pub fn knob(&self) -> String {
        fs::read_to_string(self.folder.path().join("knob")).unwrap().lines().next().unwrap_or_default().to_string()
    }

    pub fn slices(&self) -> usize {
        let entries = fs::read_dir(self.folder.path().join("trial")).into_iter().flatten().flatten();
        entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "log")).count()
    }

    fn journal(&self) -> bool {
        self.folder.path().join("lib/backwall/tune.json").exists()
    }
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_trial_that_helps_nothing_leaves_the_machine_as_it_was() {
    let Some(scene) = Scene::new("a_trial_that_helps_nothing") else { return };
    let output = scene.begin().wait_with_output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("vm-statistics: restored: nothing improved"), "{said}");
    assert!(said.contains("none of 1 was kept; this machine is as before"), "{said}");
    assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false));
    let runs = fs::read_dir(scene.folder.path().join("trial")).unwrap().flatten();
    assert_eq!(runs.filter(|entry| entry.path().join("run.json").exists()).count(), SLICES);
}

pub fn kills(usual: u32) -> (u32, backwall_stats::random::SplitMix) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("BACKWALL_SEED").unwrap_or(1);
    let kills = number("BACKWALL_KILLS").map_or(usual, |kills| kills as u32);
    println!("tune: {kills} kills at instants of the seed {seed}");
    (kills, backwall_stats::random::SplitMix(seed))
}

// In a slice that the seed chooses, after a part of one that it chooses: also in the start of the tool, and after the trial's end.
#[test]
fn killed_at_any_instant_the_next_call_sets_everything_back() {
    let Some(scene) = Scene::new("killed_at_any_instant") else { return };
    let ((kills, mut random), mut changed, mut ended) = (kills(12), 0, 0);
    for kill in 0..kills {
        let mut child = scene.begin();
        let slice = random.number() as usize % (SLICES + 1);
        wait_until("the slice", || scene.slices() >= slice || crate::tool::ended(child.id()));
        std::thread::sleep(A_SLICE.mul_f64(random.number() as f64 / u64::MAX as f64));
        ended += u32::from(child.try_wait().unwrap().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        changed += u32::from(scene.knob() != "1");
        // Whichever call it is that comes next.
        let next = [&["status"][..], &["plan"], &["undo"], &["try", SETTING], &["boot"]][kill as usize % 5];
        let output = scene.tune(next);
        assert!(output.status.success(), "kill {kill} in slice {slice}: {}", text(&output));
        assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false), "kill {kill} in slice {slice}");
    }
    println!("tune: {kills} kills, {changed} of them while the setting was made, {ended} after the trial's end");
    assert!(changed > 0 && ended < kills, "no kill met a trial: {changed} {ended}");
}

// Options that no slice can use are refused first, in one line.
#[test]
fn what_no_slice_can_be_measured_with_is_refused_without_apply_too() {
    let folder = tempfile::tempdir().unwrap();
    for (words, code, says) in [
        (&["-a", "4000"][..], 4, "-a 4000: this CPU is offline"),
        (&["--duration", "0"], 2, "--duration is too short: each phase must have at least one --period"),
        (&["--duration", "500000h"], 2, "--duration must be at most 8760h"),
        (&["--", "--lod", "all"], 2, "after --: unknown option '--lod'"),
        (&["--", "--load", "nothing"], 2, "--load nothing: unknown"),
        (&["--", "-i", "0"], 2, "--period must be 1us to 1h"),
        (&["--", "-D", "5"], 2, "-D is not allowed after --"),
        (&["--", "--output=x"], 2, "--output=x is not allowed after --"),
        (&["--", "--help"], 2, "after --: "),
        (&["--app", "bw-no-such-loop"], 2, "--app bw-no-such-loop: not running"),
        (&["--app", ""], 2, "expected a recipe, a process"),
    ] {
        for command in [&["tune", "try", SETTING][..], &["tune", "boot", "threadirqs"]] {
            let output = crate::tool::tool_in(folder.path(), &[command, words].concat());
            let line = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), line.lines().count()), (Some(code), 1), "{words:?}: {line}");
            assert!(line.contains(says) && output.stdout.is_empty(), "{words:?}: {line}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is half done");
}

#[test]
fn two_trials_at_once_are_refused_and_an_end_by_the_user_restores() {
    let Some(scene) = Scene::new("two_trials_at_once") else { return };
    let child = scene.begin();
    wait_until("the setting", || scene.knob() != "1");
    let signalled = |signal| rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
    // Its end must not come before the second one's.
    signalled(rustix::process::Signal::STOP);
    let second = scene.tune(&["undo"]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second));
    let holder = format!("another backwall tune is active (process {}: ", child.id());
    assert!(text(&second).contains(&holder) && text(&second).contains(" tune try "), "{}", text(&second));
    signalled(rustix::process::Signal::TERM);
    signalled(rustix::process::Signal::CONT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert_eq!((scene.knob().as_str(), scene.journal()), ("1", false));
}

#[test]
fn two_trials_with_journals_of_their_own_do_not_change_one_kernel_at_once() {
    const TEST: &str = "two_trials_with_journals_of_their_own";
    let (Some(one), Some(other)) = (Scene::new(TEST), Scene::new(TEST)) else { return };
    if !Path::new(DEBUGFS).is_dir() {
        return skip(TEST, "this kernel has no debugfs");
    }
    let shared = other.folder.path().join("debug");
    fs::remove_dir_all(&shared).unwrap();
    std::os::unix::fs::symlink(one.folder.path().join("debug"), &shared).unwrap();
    let child = one.begin();
    wait_until("the setting", || one.knob() != "1");
    let signalled = |signal| rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
    signalled(rustix::process::Signal::STOP);
    let second = other.tune(&["try", SETTING, "--apply", "--duration", "50ms"]);
    assert_eq!(second.status.code(), Some(4), "{}", text(&second));
    let holder = format!("another backwall tune is active (process {}: ", child.id());
    assert!(text(&second).contains(&holder), "{}", text(&second));
    signalled(rustix::process::Signal::TERM);
    signalled(rustix::process::Signal::CONT);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
    assert_eq!((one.knob().as_str(), other.knob().as_str(), one.journal()), ("1", "1", false));
}

// An unreadable journal, and an unknown boot.
#[test]
fn a_journal_that_cannot_be_gone_by_is_refused_and_stays() {
    let Some(scene) = Scene::new("a_journal_that_cannot_be_gone_by") else { return };
    let mut child = scene.begin();
    wait_until("the setting", || scene.knob() != "1");
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(scene.folder.path().join("start"), "").unwrap();
    let undo = scene.tune(&["undo"]);
    assert_eq!(undo.status.code(), Some(4), "{}", text(&undo));
    assert!(text(&undo).contains("backwall cannot tell whether this machine has rebooted"), "{}", text(&undo));
    assert!(scene.journal() && scene.knob() != "1", "{}", text(&undo));
    scene.started("1", "quiet");
    let undo = scene.tune(&["undo"]);
    assert!(undo.status.success() && scene.knob() == "1", "{}", text(&undo));
    let pipe = scene.folder.path().join("lib/backwall/tune.json");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    for command in ["status", "undo"] {
        let output = scene.tune(&[command]);
        assert_eq!(output.status.code(), Some(2), "{command}: {}", text(&output));
    }
}

fn allowed(id: u32) -> Option<Vec<u32>> {
    let list = backwall_os::threads::allowed(Path::new(&format!("/proc/{id}")))?;
    Some(backwall_model::units::ranges::ranges(&list).flatten().collect())
}

// The trial of a setting of an application's threads, which another start of it does not have.
#[test]
fn an_applications_own_setting_is_tried_on_its_threads_and_undone() {
    const TEST: &str = "an_applications_own_setting";
    let Some(scene) = Scene::new(TEST) else { return };
    fs::copy("/bin/sh", scene.folder.path().join("bw-tuned")).unwrap();
    let begin = || {
        let mut command = Command::new(scene.folder.path().join("bw-tuned"));
        command.args(["-c", "while :; do sleep 0.002; done"]).stdin(Stdio::null()).begin()
    };
    let missing = scene.tune(&["plan", "--app", "bw-tuned"]);
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
    assert!(text(&missing).contains("--app bw-tuned: not running"), "{}", text(&missing));
    let loops = begin();
    let before = allowed(loops.id()).unwrap();
    if before.len() < 2 {
        return skip(TEST, "one processor");
    }
    let words = ["try", "app-cpu", "--app", "bw-tuned"];
    let dry = text(&scene.tune(&words));
    assert!(dry.contains("CPUs of bw-tuned (") && allowed(loops.id()).as_ref() == Some(&before), "{dry}");
    let output = scene.tune(&[&words[..], &["--apply", "--duration", "200ms", "--output", "trial"]].concat());
    if text(&output).contains("the kernel's trace is not available") {
        return skip(TEST, &text(&output));
    }
    assert!(output.status.success(), "{}", text(&output));
    let kept = text(&output).contains("app-cpu: KEPT");
    assert_eq!(allowed(loops.id()).unwrap().len() == 1, kept, "{}", text(&output));
    let undone = scene.tune(&["undo"]);
    assert!(undone.status.success() && allowed(loops.id()) == Some(before), "{}", text(&undone));
}
