// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall bench interfere`: every case is measured or told with its reason, the run holds all of it, and nothing of ours stays.
use crate::lacking::skip;
use crate::tool::{Begin, code_of, message, signal, stored, wait_until};
use backwall_model::Run;
use backwall_model::picture::{Interference, Picture};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn interfere(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.current_dir(folder).args(["bench", "interfere"]).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn found(run: &Run) -> &Interference {
    let found = run.pictures.iter().find_map(|picture| match picture {
        Picture::Interference(found) => Some(found),
        _ => None,
    });
    found.expect("the cases")
}

#[test]
fn every_case_of_every_experiment_is_measured_or_told_with_its_reason() {
    let home = tempfile::tempdir().unwrap();
    let words = ["--primes", "5000", "--mebibytes", "1", "--images", "3", "--rounds", "2", "--output", "run"];
    let output = interfere(home.path(), &words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let run = stored(&home.path().join("run"));
    let found = found(&run);
    let has = |experiment: &str, name: &str| {
        found.cases.iter().any(|case| (case.experiment.as_str(), case.name.as_str()) == (experiment, name))
    };
    for name in ["file", "pipe", "telnet", "count", "nothing"] {
        assert!(has("sieve", name), "{text}");
    }
    for name in ["compressible", "incompressible", "images", "window"] {
        assert!(has("browser", name), "{text}");
    }
    assert!(has("throughput", "here-in") && has("throughput", "loopback-out"), "{text}");
    for place in ["tmpfs", "ext4", "btrfs", "btrfs-zstd", "zram"] {
        let measured = [has("throughput", &format!("{place}-in")), has("throughput", &format!("{place}-out"))];
        let reasons = found.absent.iter().filter(|line| line.starts_with(&format!("throughput, {place}: "))).count();
        assert!(measured == [reasons == 0; 2] && reasons < 2, "{place}: {measured:?}, {:?}", found.absent);
        match found.absent.iter().find(|line| line.starts_with(&format!("throughput, {place}: "))) {
            Some(why) => skip("interfere", why),
            None => println!("measured: {place}"),
        }
    }
    for case in &found.cases {
        assert!(case.rounds() == 2 && case.ratio.is_some_and(|ratio| ratio.limits.is_none()), "{case:?}");
        for form in &case.forms {
            let of = |key: &backwall_model::Key| {
                key.name == form.name
                    && key.variant["case"] == case.name
                    && key.variant["experiment"] == case.experiment
            };
            let series: Vec<_> = run.series.iter().filter(|series| of(&series.key)).collect();
            assert_eq!(series.len(), 1, "{}", form.name);
            assert_eq!((series[0].done, series[0].max), (2, form.times.iter().max().copied()));
        }
    }
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        ["the post", "ratio 1.00", "cannot tell, fewer than six rounds"].iter().all(|words| said.contains(words)),
        "{said}"
    );
    let page = fs::read_to_string(home.path().join("run/report.html")).unwrap();
    assert!(page.contains("211 KB/s for a .zip file; ratio 1.67"), "the page has room for every row of the post's");
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run"], "nothing but the run stays");
}

#[test]
fn what_was_measured_before_ctrl_c_is_kept_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    let words = ["browser", "--images", "12", "--rounds", "1000", "--output", "run", "--json"];
    let child = interfere(home.path(), &words).begin();
    wait_until("the browser", || threads(child.id()).iter().any(|name| name == "bw-browser"));
    std::thread::sleep(std::time::Duration::from_secs(1));
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    let run = stored(&home.path().join("run"));
    assert_eq!(output.status.code(), code_of(&run), "{}", message(&output));
    assert!(run.interrupted);
    let found = found(&run);
    match found.cases.first() {
        Some(case) => assert!(case.rounds() < 1_000 && run.valid),
        None => assert_eq!(found.absent, ["browser, images: interrupted in its first round"]),
    }
}

fn threads(process: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| Some(fs::read_to_string(task.path().join("comm")).ok()?.trim().to_string())).collect()
}

// Loop devices that lie on a file of this file system without a name.
fn loops() -> Vec<String> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let backing = devices.filter_map(|device| {
        let file = fs::read_to_string(device.path().join("loop/backing_file")).ok()?;
        Some(format!("{} {}", device.file_name().to_string_lossy(), file.trim()))
    });
    backing.collect()
}

#[test]
#[ignore = "make long"]
fn nothing_stays_after_kill_9_in_the_midst_of_a_private_mount() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap();
    let here = || loops().iter().any(|row| row.contains(folder.to_str().unwrap()));
    let words = ["throughput", "--mebibytes", "1", "--rounds", "300", "--quiet", "--output", "run"];
    let mut child = interfere(&folder, &words).begin();
    let mut mounted = false;
    while !mounted && child.try_wait().unwrap().is_none() {
        mounted = here();
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    if !mounted {
        let run = stored(&folder.join("run"));
        return skip("kill -9 in a private mount", &format!("{:?}", found(&run).absent));
    }
    signal(child.id(), "KILL");
    child.wait().unwrap();
    wait_until("the loop device's end", || !here());
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains("/dev/loop") || !mounts.contains(folder.to_str().unwrap()));
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name == "run"), "{left:?}");
    assert!(!folder.join("run/run.json").exists());
}

#[test]
fn words_that_cannot_be_are_refused_before_anything_is_measured() {
    let home = tempfile::tempdir().unwrap();
    for (words, said) in [
        (&["sieve", "shell"][..], "invalid value 'shell'"),
        (&["--mebibytes", "0"], "invalid value '0'"),
        (&["--images", "2001"], "invalid value '2001'"),
        (&["--require", "nonsense"], "nonsense"),
    ] {
        let output = interfere(home.path(), words).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && text.contains(said), "{words:?}: {text}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}
