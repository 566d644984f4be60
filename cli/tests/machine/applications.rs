// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applications as Debian has them, watched by their recipes, each with a disturber on its CPU that must be named.
use crate::lacking::skip;
use crate::tool::{self, Begin};
use backwall_os::affinity;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

// Time for an application to end after the request.
const PATIENCE: Duration = Duration::from_secs(5);
// Some 10 ms of work in each 60, which no thread below its priority gets.
const DISTURBS: &str = "while :; do i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done; sleep 0.05; done";

// Processes that end with the test, however that does; they hold no pipe of its.
#[derive(Default)]
struct Started {
    children: Vec<Child>,
    apart: Vec<Pid>,
}

impl Started {
    fn begin(&mut self, command: &mut Command, says: &Path) {
        let said = File::create(says).unwrap();
        command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said).process_group(0);
        self.children.push(command.spawn().unwrap());
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // First as their user would end them, so that they take away what they share with others.
        for signal in [Signal::TERM, Signal::KILL] {
            let begun = Instant::now();
            self.apart.iter().for_each(|process| kill_process(*process, signal).unwrap_or_default());
            let children = || self.children.iter().map(Pid::from_child);
            children().for_each(|group| kill_process_group(group, signal).unwrap_or_default());
            while begun.elapsed() < PATIENCE
                && self.children.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)))
            {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

fn on_one(program: &str, words: &[&str], folder: &TempDir) -> Command {
    let cpu = affinity::allowed()[0].to_string();
    let mut command = Command::new("taskset");
    command.args(["-c", &cpu, program]).args(words).current_dir(folder.path());
    command
}

fn is_missing(test: &str, program: &str) -> bool {
    let there = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap().status.success();
    if !there {
        skip(test, &format!("{program} is not here; tools/install.sh test brings it"));
    }
    !there
}

// Process and number of the thread of that name, if it has one of these scheduling classes.
fn thread_of(name: &str, classes: &[&str]) -> Option<[i32; 2]> {
    let listed = Command::new("ps").args(["-eLo", "pid=,lwp=,cls=,comm="]).output().unwrap();
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let rows = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    let mut found = rows.filter(|row| row.len() == 4 && classes.contains(&row[2]) && row[3] == name);
    let row = found.next()?;
    Some([row[0].parse().ok()?, row[1].parse().ok()?])
}

// Watches until a report names the disturber next to JACK's own message, then ends as a user does.
fn watched(test: &str, recipe: &str, folder: &TempDir, others: &mut Started) -> Option<String> {
    fs::copy("/bin/sh", folder.path().join("bw-hog")).unwrap();
    let hog = on_one("chrt", &["-f", "90", "./bw-hog", "-c", DISTURBS], folder);
    others.begin(&mut { hog }, &folder.path().join("hog"));
    let said = folder.path().join("said");
    let mut tool = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_backwall"), "watch", recipe])
        .args(["--every", "1s", "--deadline", "1ms", "--output", "run"])
        .current_dir(folder.path())
        .stderr(File::create(&said).unwrap())
        .stdout(Stdio::null())
        .begin();
    let text = || fs::read_to_string(&said).unwrap();
    let names_it = || text().lines().any(|line| line.contains(" later than ") && line.contains("bw-hog ("));
    let own = || fs::read_to_string(folder.path().join("run/own.log")).unwrap_or_default();
    let says_it =
        || recipe != "jack" || own().lines().any(|line| line.contains(" jack said \"") && line.contains("XRun"));
    tool::wait_until("a sentence with the disturber", || (names_it() && says_it()) || tool::ended(tool.id()));
    let _ = kill_process(Pid::from_child(&tool), Signal::INT);
    let status = tool.wait().unwrap();
    let hog = fs::read_to_string(folder.path().join("hog")).unwrap();
    if text().contains("cannot open the kernel's trace") || hog.contains("failed to set") {
        skip(test, &format!("{}{hog}", text()));
        return None;
    }
    assert!(status.code().is_some_and(|code| [0, 3].contains(&code)), "{status}: {}", text());
    Some(text())
}

fn blames(text: &str, recipe: &str, called: &str) {
    let counted = text.lines().find(|line| line.contains(" later than ") && line.contains("bw-hog (")).unwrap();
    assert!(counted.contains(&format!("Z {recipe}: ")) && counted.contains(" bw-hog (real-time 90)"), "{counted}");
    let mut rows = text.lines().skip_while(|line| !(line.starts_with("  worst ") && line.contains("bw-hog (")));
    let (worst, command) = (rows.next().unwrap(), rows.next().unwrap());
    assert!(worst.contains(&format!(" of {called} ")) && worst.contains(", real-time 90)"), "{worst}");
    assert!(worst.contains("; fix: run bw-hog ("), "{worst}");
    assert!(command.trim_start().starts_with("chrt -f -p "), "{worst}\n{command}");
}

#[test]
fn the_driver_of_jack_is_found_and_who_made_it_late_is_named() {
    const TEST: &str = "the_driver_of_jack";
    if is_missing(TEST, "jackd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut others = Started::default();
    let words = ["-n", "bw-test", "-R", "-P70", "-d", "dummy", "-p", "64", "-r", "48000"];
    let mut jack = on_one("jackd", &words, &folder);
    others.begin(jack.env("JACK_NO_AUDIO_RESERVATION", "1"), &folder.path().join("jack"));
    let said = || fs::read_to_string(folder.path().join("jack")).unwrap();
    let begun = || thread_of("jackd", &["FF"]).is_some() || said().contains("annot use real-time scheduling");
    tool::wait_until("the driver", || begun() || tool::ended(others.children[0].id()));
    let Some(text) = watched(TEST, "jack", &folder, &mut others) else { return };
    let jack = fs::read_to_string(folder.path().join("jack")).unwrap();
    assert!(text.contains("jack: 1 audio driver is watched: jackd ("), "{text}\n{jack}");
    assert!(text.contains(", real-time 70)") && text.contains("(xrun)"), "{text}");
    assert!(text.contains("jack: a longer period (-p)"), "what the recipe advises: {text}");
    assert!(text.contains("; jack itself counted "), "its own count beside ours: {text}");
    blames(&text, "jack", "audio driver");
}

// Without PREEMPT_RT, LinuxCNC requests no real-time priority; the test sets it.
#[test]
fn the_servo_thread_of_linuxcnc_is_found_and_who_made_it_late_is_named() {
    const TEST: &str = "the_servo_thread_of_linuxcnc";
    if is_missing(TEST, "halrun") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    let hal = "loadrt threads name1=servo-thread period1=1000000\nloadrt siggen\naddf siggen.0.update servo-thread\n\
               start\nloadusr -w sleep 600\n";
    fs::write(home.join("loop.hal"), hal).unwrap();
    // As root it refuses to run.
    let other = if rustix::process::geteuid().is_root() { Some(65_534) } else { None };
    for path in [folder.path(), &home, &home.join("loop.hal")] {
        std::os::unix::fs::chown(path, other, None).unwrap();
    }
    let mut halrun = on_one("halrun", &["-f", "loop.hal"], &folder);
    halrun.current_dir(&home).env("HOME", &home);
    other.into_iter().for_each(|user| {
        halrun.uid(user).gid(user);
    });
    let mut others = Started::default();
    others.begin(&mut halrun, &folder.path().join("hal"));
    let hal = || fs::read_to_string(folder.path().join("hal")).unwrap();
    let servo = || thread_of("rtapi_app:T#0", &["TS", "FF"]);
    tool::wait_until("the servo thread, or the end of LinuxCNC", || {
        servo().is_some() || tool::ended(others.children[0].id())
    });
    let [process, thread] = servo().unwrap_or_else(|| panic!("{}", hal()));
    others.apart.extend(Pid::from_raw(process));
    // It takes a processor of its own choice.
    let (cpu, thread) = (affinity::allowed()[0].to_string(), thread.to_string());
    for (program, words) in [("taskset", ["-c", "-p", &cpu, &thread]), ("chrt", ["-f", "-p", "80", &thread])] {
        let _ = Command::new(program).args(words).output();
    }
    let Some(text) = watched(TEST, "linuxcnc", &folder, &mut others) else { return };
    assert!(text.contains("linuxcnc: 1 servo thread is watched: rtapi_app:T#0 ("), "{text}\n{}", hal());
    assert!(text.contains("(Unexpected realtime delay)") && text.contains("halcmd show thread"), "{text}");
    blames(&text, "linuxcnc", "servo thread");
}
