// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall import`: streams of both versions, whole, cut and spoiled, from files, pipes and standard input.
use backwall_model::units::Nanoseconds;
use backwall_model::{Origin, Overrun, Run};
use rustix::process::{Pid, Signal, kill_process};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const DUMMY: &str = backwall_runner::device::built::DUMMY;
const DUMMY_LINUX: &str = backwall_runner::device::built::DUMMY_LINUX;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../wire/golden").join(name)
}

fn read(stream: &Path, words: &[&str]) -> Output {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["import", "--json", "--output"]).arg(out.path().join("run")).arg(stream).args(words);
    command.stdin(Stdio::null()).output().unwrap()
}

fn run_of(output: &Output) -> Run {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

// Refused: exit 2, one line that holds `expected`, nothing on standard output.
fn refused(output: &Output, expected: &str) {
    let line = complaint(output);
    assert_eq!((output.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.contains(expected) && output.stdout.is_empty(), "{line}");
}

#[test]
fn a_whole_stream_is_a_run_with_its_own_plan_and_nothing_of_this_machine() {
    let output = read(&golden("v2/wakeup_skip.bin"), &["--require", "wakeup.p50 < 100us", "--load", "my own"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let run = run_of(&output);
    assert_eq!((run.origin, run.interrupted, run.device.kind.as_str()), (Origin::Simulated, false, "fake"));
    assert!(run.environment.checks.is_empty() && run.environment.steal_ticks == 0 && run.warnings.is_empty());
    let plan = &run.plan;
    assert_eq!((plan.measures.as_slice(), plan.priority, plan.cpu), (&["wakeup".to_string()][..], Some(95), Some(0)));
    assert_eq!(
        (plan.period_ns, plan.overrun, plan.idle.as_str()),
        (Some(Nanoseconds(1_000_000)), Some(Overrun::Skip), "as-is")
    );
    assert!(!run.device.more.contains_key("measure"), "what was asked is no part of the device");
    let series = &run.series[0];
    assert_eq!(series.key.to_string(), "wakeup[load=my own,idle=as-is]");
    assert_eq!((series.due, series.done, series.missed, series.max), (Some(530), 527, Some(3), Some(3_500_000)));
}

#[test]
fn version_1_is_read_and_says_what_it_does_not_know() {
    let run = run_of(&read(&golden("v1/wakeup_skip.bin"), &[]));
    assert_eq!(run.series[0].key.to_string(), "wakeup[load=unknown,idle=unknown]");
    let newer = run_of(&read(&golden("v2/wakeup_skip.bin"), &["--load", "unknown"]));
    let figures = |run: &Run| (run.series[0].max, run.series[0].histogram.clone(), run.series[0].missed);
    assert_eq!(figures(&run), figures(&newer));
}

#[test]
fn forty_series_of_one_process_are_forty_figures() {
    let run = run_of(&read(&golden("v2/forty_series.bin"), &["--require", "dummy-operation-number-00.max < 1ms"]));
    assert_eq!(run.series.len(), 40);
    for (index, series) in run.series.iter().enumerate() {
        assert_eq!((series.due, series.done, series.missed), (Some(4), 4, Some(0)));
        assert_eq!((series.warmup, series.late), (1, Some(0)));
        let value = (3 + index as u64) * 100;
        assert_eq!((series.min, series.max), (Some(value), Some(value)), "{}", series.key);
    }
    assert_eq!(run.series[38].key.to_string(), "dummy-copy[load=unknown,idle=as-is,size=128]");
    assert_eq!((run.plan.period_ns, run.plan.overrun), (None, None));
}

fn measured(words: &[&str]) -> Run {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["run", "--json", "--measure", "dummy"]).args(words);
    let output = command.arg("--output").arg(out.path().join("run")).output().unwrap();
    let run = run_of(&output);
    assert_eq!(output.status.code(), crate::tool::code_of(&run), "{}", String::from_utf8_lossy(&output.stderr));
    run
}

#[test]
fn a_measure_of_forty_series_and_a_load_of_the_tests_run_like_any_other_on_linux() {
    let best_effort = ["--best-effort", "--priority", "0", "--for", "300ms"];
    let run = measured(&[["--probe", DUMMY_LINUX, "--load", "dummy"].as_slice(), &best_effort].concat());
    assert_eq!((run.series.len(), run.loads.len()), (40, 1), "{:?}", run.warnings);
    assert_eq!((run.loads[0].name.as_str(), run.loads[0].unit.as_str()), ("dummy", "questions whether to go on"));
    assert!(run.loads[0].done > 0);
    for series in &run.series {
        assert!(series.done > 0 && series.missed == Some(0) && series.due == run.series[0].due, "{}", series.key);
    }
}

#[test]
fn a_measure_of_forty_series_is_run_like_any_other() {
    let required = ["--require", "dummy-operation-number-07.done > 0", "--require", "dummy-copy[size=128].missed == 0"];
    let run = measured(&[&["--load", "none", "--for", "20ms", "--probe", DUMMY], &required[..]].concat());
    assert_eq!((run.series.len(), run.requirements.len(), run.interrupted), (40, 2, false));
    let done = run.series[0].done;
    assert!(done > 100 && run.series.iter().all(|series| series.due == Some(done) && series.done == done), "{done}");
}

#[test]
fn a_stream_that_is_cut_is_kept_and_marked() {
    let whole = std::fs::read(golden("v2/wakeup_skip.bin")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &whole[..whole.len() - 100]).unwrap();
    let output = read(file.path(), &[]);
    let run = run_of(&output);
    assert_eq!((output.status.code(), run.interrupted), (Some(0), true));
    assert!(run.warnings.iter().any(|warning| warning.text.contains("the stream is truncated")), "{:?}", run.warnings);
    assert_eq!(run.series[0].due, run.series[0].missed.map(|lost| run.series[0].done + lost));
}

// Output of the Windows probe under Wine: `measure wakeup --count 4 --warmup 1 --period-ns 2000000`.
const WINE: &[u8] = include_bytes!("../data/wine.stream");

#[test]
fn a_stream_of_windows_is_read_and_cut_anywhere_it_is_a_part_of_it_or_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stream");
    std::fs::write(&file, WINE).unwrap();
    let run = run_of(&read(&file, &[]));
    assert_eq!((run.device.kind.as_str(), run.interrupted, run.series[0].due), ("wine", false, Some(5)));
    for length in (0..WINE.len()).step_by(9) {
        std::fs::write(&file, &WINE[..length]).unwrap();
        let output = read(&file, &[]);
        let said = complaint(&output);
        match output.status.code() {
            Some(0) => assert!(run_of(&output).interrupted && said.is_empty(), "{length}: {said}"),
            // Without a sample nothing is decided, and the one line says why.
            Some(3) => assert!(run_of(&output).interrupted && said.starts_with("NO EVIDENCE"), "{length}: {said}"),
            Some(2) => assert_eq!(said.lines().count(), 1, "{length}: {said}"),
            code => panic!("{length}: {code:?}: {said}"),
        }
    }
}

#[test]
fn what_came_before_a_fault_is_kept_and_the_fault_is_bad_input() {
    let mut bytes = std::fs::read(golden("v2/wakeup_skip.bin")).unwrap();
    let at = bytes.len() - 24;
    bytes[at + 2] ^= 1;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let output = read(file.path(), &[]);
    let run = run_of(&output);
    assert!(run.interrupted && run.series[0].done == 527, "{:?}", run.series[0].done);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("records were lost; backwall kept the records before it"));
}

#[test]
fn what_is_no_stream_is_refused_with_one_line_and_leaves_no_folder() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    refused(&read(Path::new("/dev/zero"), &[]), "not a probe stream");
    refused(&read(empty.path(), &[]), "the file is empty");
    refused(&read(Path::new("no/such/stream"), &[]), "No such file");
    refused(&read(Path::new("."), &[]), "a folder; name a file");
    refused(&read(&golden("v2/load_spin.bin"), &[]), "the stream has no series");
    refused(&read(&golden("v2/unknown.bin"), &[]), "the stream has no series");
    refused(&read(&golden("v2/wakeup_skip.bin"), &["--require", "wakeup < 1"]), "wakeup < 1");
}

fn reading(stream: &Path, folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["import", "--quiet", "--output"]).arg(folder.join("run")).arg(stream);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn stored(folder: &Path) -> Run {
    serde_json::from_slice(&std::fs::read(folder.join("run/run.json")).unwrap()).unwrap()
}

fn ends(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = reading(Path::new("-"), folder.path());
    let mut input = child.stdin.take().unwrap();
    input.write_all(&std::fs::read(golden("v2/wakeup_queue.bin")).unwrap()).unwrap();
    drop(input);
    assert_eq!(ends(child).status.code(), Some(0));
    let run = stored(folder.path());
    assert_eq!((run.plan.overrun, run.interrupted), (Some(Overrun::Queue), false));
}

#[test]
fn ctrl_c_while_a_pipe_is_silent_keeps_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = reading(Path::new("-"), folder.path());
    let mut input = child.stdin.take().unwrap();
    let whole = std::fs::read(golden("v2/wakeup_skip.bin")).unwrap();
    input.write_all(&whole[..whole.len() - 24]).unwrap();
    // It has taken all of it once its folder is there: the pipe holds less than 64 KiB, and one look empties it.
    while !folder.path().join("run").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = ends(child);
    drop(input);
    let run = stored(folder.path());
    assert_eq!((output.status.code(), run.interrupted, run.series[0].missed), (Some(0), true, Some(3)));
}

#[test]
fn a_pipe_that_nobody_writes_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = reading(&pipe, folder.path());
    std::thread::sleep(Duration::from_millis(300));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = ends(child);
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(!folder.path().join("run").exists());
}
