// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of days: whenever it is cut off, its last checkpoint is whole; it continues from there and reports the gap.
//!
//! `--best-effort` lets the tests run without real-time rights. `BACKWALL_KILLS` is how often the tool is killed,
//! `BACKWALL_SOAK_S` the length of the run whose memory is watched.
use crate::lacking::{say, skip};
use crate::tool::{
    Begin, Running, all_gone, backwall, children, code_of, due, files, is_planned, message, signal, stand_in,
    wait_until,
};
use backwall_stats::random::SplitMix;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const FAKE: &str = backwall_runner::device::built::FAKE;

fn often(out: &Path, words: &[&str]) -> Command {
    let mut command = backwall(out);
    command.args(["--checkpoint-every", "20ms"]).args(words);
    command
}

fn started(out: &Path, words: &[&str]) -> Running {
    let tool = often(out, words).begin();
    wait_until("a checkpoint", || out.join("checkpoint.json").exists());
    tool
}

fn kill(mut tool: Running) {
    let started = children(tool.id());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the end of all processes", || all_gone(&started));
}

fn report(out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backwall")).arg("report").arg(out).output().unwrap()
}

#[test]
fn a_checkpoint_cut_at_every_byte_is_read_or_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    kill(started(&out, &["--load", "none", "--for", "50s", "--period", "20ms"]));
    let whole = std::fs::read(out.join("checkpoint.json")).unwrap();
    let (file, mut read) = (folder.path().join("cut.json"), 0);
    for length in 0..=whole.len() {
        std::fs::write(&file, &whole[..length]).unwrap();
        match backwall_store::read(&file) {
            Ok(run) => {
                assert!(run.unfinished().is_some());
                read += 1;
            }
            Err(error) => {
                let line = format!("{error:#}");
                assert!(
                    !line.contains('\n')
                        && (line.contains("cut.json: no run: ") || line.contains("cut.json: not a run")),
                    "{length}: {line}"
                );
            }
        }
    }
    assert_eq!(read, 2, "whole, and without its last line end");
}

// A run killed at any time leaves a readable checkpoint and its page.
#[test]
fn whenever_the_tool_is_killed_its_checkpoint_is_whole_and_nothing_else_stays() {
    let kills: u64 = std::env::var("BACKWALL_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(6);
    let (mut random, mut with_figures) = (SplitMix(kills), 0);
    for number in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let tool = often(&out, &["--load", "spin", "--load", "none", "--for", "1s"]).begin();
        std::thread::sleep(Duration::from_millis(random.number() % 3_000));
        kill(tool);
        let left: Vec<String> =
            files(&out).iter().map(|file| file.file_name().unwrap().to_string_lossy().into()).collect();
        let ours =
            |name: &String| ["checkpoint.json", "run.json", "report.html"].iter().any(|own| name.starts_with(own));
        assert!(left.iter().all(ours), "{number}: {left:?}");
        let whole = |name: &&str| left.iter().any(|left| left == name);
        let Some(_) = ["checkpoint.json", "run.json"].iter().find(|name| whole(name)) else { continue };
        let run = backwall_store::read(&out).unwrap();
        run.series.iter().for_each(|series| assert!(due(series) <= 2_000, "{number}"));
        with_figures += u64::from(!run.series.is_empty());
        let drawn = report(&out);
        assert!(
            drawn.status.code() == code_of(&run) && out.join("report.html").exists(),
            "{number}: {}",
            message(&drawn)
        );
    }
    say(&format!("{kills} kills, {with_figures} left figures"));
}

#[test]
fn a_run_that_is_killed_again_and_again_measures_what_was_planned_and_names_every_gap() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--load", "spin", "--for", "1500ms", "--resume"];
    kill(started(&out, &words));
    let page = report(&out);
    let said = String::from_utf8(page.stdout).unwrap();
    assert!(said.contains("unfinished: ") && said.contains(" --resume"), "{said}");
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("unfinished, until 2"));
    for stretches in 1..4 {
        let tool = often(&out, &words).begin();
        wait_until("its first checkpoint", || {
            backwall_store::read(&out).is_ok_and(|run| run.sessions.len() > stretches)
        });
        kill(tool);
    }
    let output = often(&out, &words).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = backwall_store::read(&out).unwrap();
    assert!(
        run.series.len() == 2 && run.series.iter().all(|series| is_planned(due(series), 1_500)),
        "{:?}",
        run.sessions
    );
    assert_eq!(run.sessions.len(), 5);
    assert!(run.sessions[1..].iter().all(|stretch| stretch.gap_seconds.is_some_and(|gap| gap < 600.0)));
    assert_eq!(
        run.warnings.iter().filter(|warning| warning.text.starts_with("resumed: nothing was measured")).count(),
        4
    );
    assert!(run.unfinished().is_none() && !out.join("checkpoint.json").exists());
    let counted: u64 = run.series[0].over_time.iter().map(|slice| slice.done + slice.missed).sum();
    assert_eq!(counted, due(&run.series[0]), "no slice is lost");
    let again = often(&out, &words).output().unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(message(&again).contains("the run is finished"), "{}", message(&again));
}

#[test]
fn a_request_to_end_is_a_last_checkpoint_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--for", "3s"];
    let tool = started(&out, &words);
    let busy = often(&out, &[&words[..], &["--resume"]].concat()).output().unwrap();
    assert!(message(&busy).contains("another run is writing there"), "{}", message(&busy));
    signal(tool.id(), "TERM");
    let output = tool.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let first = backwall_store::read(&out).unwrap();
    assert!(first.interrupted && first.unfinished().is_none() && !out.join("checkpoint.json").exists());
    let other = often(&out, &["--load", "none", "--for", "4s", "--resume"]).output().unwrap();
    let line = message(&other);
    assert_eq!((other.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("phase_ns was 3000000000 and is 4000000000 now; the run was started with: "), "{line}");
    let output = often(&out, &[&words[..], &["--resume"]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = backwall_store::read(&out).unwrap();
    assert_eq!((run.interrupted, run.sessions.len()), (false, 2));
    assert!(due(&first.series[0]) < 3_000 && is_planned(due(&run.series[0]), 3_000));
}

#[test]
fn whatever_is_asked_for_otherwise_is_named_and_nothing_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--for", "3s"];
    let tool = started(&out, &words);
    signal(tool.id(), "INT");
    assert_eq!(tool.wait_with_output().unwrap().status.code(), Some(3));
    let before = std::fs::read(out.join("run.json")).unwrap();
    for (more, said) in [
        (&["--load-cpu", "0"][..], "load_cpus was nothing and is [0] now; the run was started with: "),
        (&["--load-cmd", "yes"], "idle was \"as-is\" and is \"as-is, as-is\" now"),
        (&["--stop-above", "1s"], "stop_above_ns was nothing and is 1000000000 now"),
        (&["--snapshot-above", "1s"], "snapshot_above_ns was nothing and is 1000000000 now"),
        (&["--require", "missed == 0"], "require was nothing and is [\"missed == 0\"] now"),
        (&["--deadline", "1ms"], "deadline_ns was nothing and is 1000000 now"),
        (&["--period", "2ms"], "period_ns was 1000000 and is 2000000 now"),
        (&["--seed", "7"], "seed was 1 and is 7 now"),
        (&["--overrun", "queue"], "overrun was \"skip\" and is \"queue\" now"),
    ] {
        let refused = often(&out, &[&words[..], more, &["--resume"]].concat()).output().unwrap();
        let line = message(&refused);
        assert_eq!((refused.status.code(), line.lines().count()), (Some(2), 1), "{more:?}: {line}");
        assert!(line.contains(said), "{more:?}: {line}");
    }
    let mut strict = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let strict = strict.args(["run", "--quiet", "--output"]).arg(&out).args(words).arg("--resume").output().unwrap();
    assert!(message(&strict).contains("best_effort was true and is nothing now"), "{}", message(&strict));
    assert_eq!(std::fs::read(out.join("run.json")).unwrap(), before);
}

#[test]
fn other_conditions_after_the_gap_are_named_and_make_no_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let words = ["--load", "none", "--for", "1500ms"];
    kill(started(&out, &words));
    let file = out.join("checkpoint.json");
    let mut run = backwall_store::read(&file).unwrap();
    for (name, value) in [("kernel", "Linux version 2.4.18"), ("boot", "another")] {
        run.sessions[0].conditions.insert(name.to_string(), value.to_string());
    }
    // As if the clock on the wall had been set back since.
    run.sessions[0].until = "2999-01-01T00:00:00Z".to_string();
    std::fs::write(&file, serde_json::to_string(&run).unwrap()).unwrap();
    let output = often(&out, &[&words[..], &["--resume"]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = backwall_store::read(&out).unwrap();
    let said = |text: &str| run.warnings.iter().any(|warning| warning.to_string().contains(text));
    assert!(
        said("no evidence: the kernel changed when the run was resumed: Linux version 2.4.18 before"),
        "{:?}",
        run.warnings
    );
    assert!(said("the machine was rebooted between two sessions") && said("for an unknown time"), "{:?}", run.warnings);
    assert!(!run.valid && run.sessions[1].gap_seconds.is_none());
}

#[test]
fn a_folder_that_is_removed_under_the_run_costs_the_run_nothing_but_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command
        .args(["run", "--best-effort", "--checkpoint-every", "20ms", "--load", "none", "--for", "3s", "--output"])
        .arg(&out);
    let tool = command.stdout(Stdio::piped()).stderr(Stdio::piped()).begin();
    wait_until("a checkpoint", || out.join("checkpoint.json").exists());
    // A checkpoint may be made between the two steps of the removal.
    wait_until("the removal", || std::fs::remove_dir_all(&out).is_ok() || !out.exists());
    let output = tool.wait_with_output().unwrap();
    let lines = message(&output);
    assert_eq!(output.status.code(), Some(4), "{lines}");
    assert!(
        lines.contains("cannot write a checkpoint; measuring continues: ") && lines.contains("cannot write"),
        "{lines}"
    );
    assert_eq!(lines.lines().count(), 2, "told once: {lines}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("maximum ")) && !out.exists(), "{text}");
}

// The disk is full for a while: the last checkpoint survives, and measuring continues.
#[test]
fn a_disk_that_is_full_for_a_while_keeps_the_last_checkpoint_and_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=4m none \"$1\" || exit 77
\"$2\" run --best-effort --quiet --checkpoint-every 20ms --load none --for 4s --output \"$1/run\" & tool=$!
while [ ! -e \"$1/run/checkpoint.json\" ]; do sleep 0.05; kill -0 $tool || exit 76; done
dd if=/dev/zero of=\"$1/fill\" bs=4k 2>/dev/null; sleep 0.5; cat \"$1/run/checkpoint.json\" >\"$3\"; rm \"$1/fill\"
wait $tool; code=$?; cat \"$1/run/run.json\" >\"$4\"; ls -A \"$1/run\" >&2; exit $code";
    let (checkpoint, run) = (folder.path().join("kept.json"), folder.path().join("kept-run.json"));
    let place = folder.path().join("disk");
    std::fs::create_dir(&place).unwrap();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(&place).arg(env!("CARGO_BIN_EXE_backwall"));
    let output = command.arg(&checkpoint).arg(&run).output();
    let refused = output.as_ref().map_or(true, |output| [Some(77), Some(1)].contains(&output.status.code()));
    if refused {
        let reason = output.map_or_else(|error| error.to_string(), |output| message(&output));
        skip("a_disk_that_is_full_for_a_while", &format!("no small file system here: {reason}"));
        return;
    }
    let output = output.unwrap();
    let said = message(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("cannot write a checkpoint; measuring continues: ") && said.contains("No space left"),
        "{said}"
    );
    assert!(!said.contains(".part") && !said.lines().any(|line| line == "checkpoint.json"), "{said}");
    assert!(backwall_store::read(&checkpoint).unwrap().unfinished().is_some());
    let run = backwall_store::read(&run).unwrap();
    assert!(run.warnings.iter().any(|warning| warning.text.starts_with("checkpoints not written: ")));
}

#[test]
fn a_run_that_was_not_begun_here_is_not_resumed_and_nothing_of_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("checkpoint.json"), "{\"schema\": \"backwall/run/4\"").unwrap();
    let output = often(&out, &["--load", "none", "--resume"]).output().unwrap();
    let line = message(&output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains("checkpoint.json: no run: "), "{line}");
    assert_eq!(files(&out).len(), 1);
    let without = Command::new(env!("CARGO_BIN_EXE_backwall")).args(["run", "--resume"]).output().unwrap();
    assert!(message(&without).contains("--output <PATH>"), "{}", message(&without));
}

#[test]
fn a_probe_that_dies_leaves_a_run_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let broken = stand_in(folder.path(), &format!("'{FAKE}' \"$@\" | head -c 20000; exit 4"));
    let words = ["--load", "none", "--for", "3s"];
    let output = often(&out, &words).arg("--probe").arg(&broken).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", message(&output));
    let first = backwall_store::read(&out).unwrap();
    let output = often(&out, &[&words[..], &["--resume", "--probe", FAKE]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", message(&output));
    let run = backwall_store::read(&out).unwrap();
    assert_eq!((due(&run.series[0]), run.sessions.len()), (3_000, 2));
    assert!(due(&first.series[0]) > 0 && run.series[0].max >= first.series[0].max);
    let of_both: Vec<u64> = run.series[0].worst.iter().map(|worst| worst.seq).collect();
    let mut unique = of_both.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), of_both.len(), "every stimulus has a number of its own");
}
