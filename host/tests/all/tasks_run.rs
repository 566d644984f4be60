// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks run`: on the scripted port every figure is known beforehand; on this machine accounts and orders are.
use crate::lacking::{skip, skipped, warned};
use backwall::run::picture::{Fates, TaskSet};
use backwall::run::{Picture, Run, Series};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

const FAKE: &str = concat!(env!("OUT_DIR"), "/probe/probe-fake");

/// Runs a set of this text.
fn run(folder: &Path, set: &str, words: &[&str]) -> Output {
    fs::write(folder.join("set.toml"), set).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["tasks", "run", "set.toml"]).args(words).current_dir(folder).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_string()
}

pub fn read(output: &Output) -> Run {
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), crate::endings::code_of(&run), "{}", text(&output.stderr));
    run
}

pub fn task_set(run: &Run) -> &TaskSet {
    let found = run.pictures.iter().find_map(|picture| match picture {
        Picture::TaskSet(set) => Some(set),
        _ => None,
    });
    found.unwrap()
}

fn series<'a>(run: &'a Run, name: &str) -> &'a Series {
    run.series.iter().find(|series| series.key.name == name).unwrap()
}

fn one(period: &str, computation: &str, more: &str) -> String {
    let series =
        format!("[[series]]\nname = \"a\"\nperiod = \"{period}\"\ncomputation = \"{computation}\"\npriority = 10\n");
    format!("duration = \"10ms\"\n{more}\n{series}")
}

/// The script's waits end 5 us late or a little more, a count is 100 ns, and a turn of the computing loop is a count.
#[test]
fn on_the_scripted_port_every_response_is_what_the_script_says() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &one("1ms", "100us", ""), &["--probe", FAKE, "--json", "--keep-samples"]);
    let found = read(&output);
    let (start, response) = (series(&found, "start"), series(&found, "response"));
    assert_eq!((start.min, start.max, start.due, start.done), (Some(5_100), Some(6_000), Some(10), 10));
    assert_eq!((response.min, response.max, response.late), (Some(105_200), Some(106_100), Some(0)));
    let set = task_set(&found);
    assert_eq!(set.tasks[0].fates, Fates { nominal: 10, on_time: 10, ..Fates::default() });
    let predicted = set.tasks[0].predicted.as_ref().unwrap();
    assert_eq!((predicted.bound, predicted.verdict.as_str()), (Some(100_000), "met"));
    assert_eq!(set.turns.unwrap().before, 10_000, "as many as counts in a millisecond");
    assert!(set.turns.unwrap().hold());
    let folder = fs::read_dir(folder.path().join("backwall-runs")).unwrap().next().unwrap().unwrap().path();
    let jobs = fs::read_to_string(folder.join("jobs.csv")).unwrap();
    assert_eq!(jobs.lines().count(), 11);
    assert!(jobs.contains("\n\"a\",1,1000000,1005200,1005200,1105300,done\n"), "{jobs}");
}

/// Jobs of one period and a half.
#[test]
fn each_rule_of_overrun_accounts_for_every_release() {
    let folder = tempfile::tempdir().unwrap();
    let fates = |rule: &str, words: &[&str]| {
        let set = one("1ms", "1500us", &format!("overrun = \"{rule}\""));
        let output = run(folder.path(), &set, &[&["--probe", FAKE, "--json"], words].concat());
        let found = read(&output);
        assert!(task_set(&found).tasks[0].fates.closes());
        assert_eq!(series(&found, "response").due, Some(10));
        task_set(&found).tasks[0].fates
    };
    let nominal = Fates { nominal: 10, missed_in_a_row: 10, ..Fates::default() };
    assert_eq!(fates("skip", &[]), Fates { late: 5, skipped: 5, ..nominal });
    assert_eq!(fates("queue", &[]), Fates { late: 7, unfinished: 3, ..nominal }, "the end is one deadline after 10 ms");
    assert_eq!(fates("abort", &[]), Fates { aborted: 9, late: 1, ..nominal }, "nothing follows the last");
}

#[test]
fn what_cannot_be_run_is_refused_by_name_before_anything_is() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |set: &str, words: &[&str], says: &str| {
        let output = run(folder.path(), set, words);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{set}: {said}");
        assert!(said.contains(says), "{said}");
        assert!(output.stdout.is_empty() && !folder.path().join("backwall-runs").exists());
    };
    let plain = one("1ms", "100us", "");
    refused(&format!("{plain}stretch = \"10us\"\n"), &[], "series a: stretch: no system lets a thread compute");
    refused(&plain.replace("priority = 10", "policy = \"deadline\"\ncpu = 0"), &[], "series a: cpu: policy");
    refused(&format!("{plain}[reservation]\nperiod = \"2ms\"\nbudget = \"1ms\"\n"), &[], "reservation: ");
    refused(&plain, &["--for", "100h"], "duration: more than 4000000 releases");
    refused(
        &one("1s", "100us", "").replace("priority", "offset = \"1s\"\npriority"),
        &[],
        "duration: no job is released",
    );
    refused(&plain, &["--load", "spni"], "spin");
    refused(&plain, &["--require", "response[task=b].max < 1ms"], "no such series");
    refused(&plain, &["--for", "900d"], "duration: want a time below two years");
    refused(&plain.replace("\"10ms\"", "\"0s\""), &[], "duration: want a time above 0");
    let deadline = |more: &str| plain.replace("priority = 10", &format!("policy = \"deadline\"\n{more}"));
    refused(&deadline("deadline = \"2ms\""), &[], "series a: deadline: policy");
    refused(&deadline("runtime = \"1100us\""), &[], "series a: runtime: policy");
    let ceiling =
        "section = [{ lock = \"bus\", length = \"10us\" }]\n[[lock]]\nname = \"bus\"\nprotocol = \"ceiling\"\n";
    refused(&deadline(ceiling), &[], "series a: section: policy");
    refused(&deadline(""), &["--trace"], "--trace: series a: the kernel chooses its processor");
    let aborts = format!("organisation = \"thread-per-event\"\noverrun = \"abort\"\n{plain}");
    refused(&aborts, &["--trace"], "--trace: overrun = \"abort\": of an aborted job nobody knows");
    refused(&plain, &["--guest", "detent-probe", "--load", "Spin'\""], "want NAME or NAME@PRIORITY");
    refused(&format!("processors = 2\n{plain}cpu = 1\n"), &["--guest", "detent-probe"], "detent-probe has one");
    let heavy = one("10ms", "9900us", "");
    refused(&heavy, &["--for", "10s"], "would use 99.0 % of a second on CPU");
    refused(&heavy, &["--for", "10s"], "allow it with --allow-starvation");
}

/// One at a time of what needs a processor for seconds: sets of tasks, operations, interrupt timing.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

pub fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// On this machine; `None` where it lacks a right.
fn real(folder: &Path, test: &str, set: &str, words: &[&str]) -> Option<Run> {
    let _alone = alone();
    let output = run(folder, set, &[&["--json", "--work", "cpu-time"], words].concat());
    (!skipped(test, &output)).then(|| read(&output))
}

pub fn closes(run: &Run) {
    for task in &task_set(run).tasks {
        assert!(task.fates.closes(), "{task:?}");
        let of_task = run.series.iter().filter(|series| series.key.variant["task"] == task.name);
        let due: Vec<_> = of_task.map(|series| series.due).collect();
        assert_eq!(due, [Some(task.fates.nominal); 3], "{}", task.name);
    }
}

/// The shipped overloaded set with ticks of 5 ms, and computations a tenth shorter: the second would else end at the very
/// instant at which the first is released again.
#[test]
fn under_overload_the_less_urgent_miss_first() {
    let folder = tempfile::tempdir().unwrap();
    let series = |(name, period, computation, priority): (&str, u32, u32, u32)| {
        format!(
            "[[series]]\nname = \"{name}\"\nperiod = \"{period}us\"\ncomputation = \"{computation}us\"\npriority = {priority}\n"
        )
    };
    let rows = [
        ("first", 10_000, 4_500, 90),
        ("second", 15_000, 4_500, 80),
        ("third", 45_000, 13_500, 70),
        ("fourth", 90_000, 13_500, 60),
    ];
    let set: String = rows.into_iter().map(series).collect();
    let Some(run) = real(folder.path(), "under_overload_the_less_urgent_miss_first", &set, &["--for", "720ms"]) else {
        return;
    };
    closes(&run);
    let tasks = &task_set(&run).tasks;
    assert_eq!(tasks.iter().map(|task| task.fates.nominal).collect::<Vec<_>>(), [72, 48, 16, 8]);
    let missed: Vec<f64> = tasks.iter().map(|task| task.fates.missed() as f64 / task.fates.nominal as f64).collect();
    assert!(missed[0] < 0.5 && missed[0] < missed[2] && missed[1] < missed[3], "{missed:?}");
    assert!(missed[3] > 0.9, "there is no time for the least urgent: {missed:?}");
}

/// Of each 10 ms the one series takes 6 ms, so that the other's 3 ms are never done within 8 ms.
fn two(more: &str) -> String {
    let series = |name: &str, computation: &str, deadline: &str, priority: u32| {
        format!(
            "[[series]]\nname = \"{name}\"\nperiod = \"10ms\"\ncomputation = \"{computation}\"\ndeadline = \"{deadline}\"\npriority = {priority}\n"
        )
    };
    format!("{more}\n{}{}", series("low", "3ms", "8ms", 10), series("high", "6ms", "10ms", 20))
}

/// The times of the jobs of a series that were done late, from its rows in jobs.csv.
fn late_ns(folder: &Path, task: &str, deadline_ns: u64) -> Vec<u64> {
    let jobs = fs::read_to_string(folder.join("run/jobs.csv")).unwrap();
    let done = jobs.lines().filter(|line| line.starts_with(&format!("\"{task}\"")) && line.ends_with("done"));
    let response = |line: &str| {
        let cells: Vec<u64> = line.split(',').skip(2).take(4).map(|cell| cell.parse().unwrap()).collect();
        cells[3] - cells[0]
    };
    done.map(response).filter(|response| *response > deadline_ns).collect()
}

#[test]
fn who_used_the_time_of_missed_deadlines_is_named_and_the_shares_sum_to_it() {
    const TEST: &str = "who_used_the_time_of_missed_deadlines";
    for organisation in ["thread-per-series", "pool", "thread-per-event"] {
        let folder = tempfile::tempdir().unwrap();
        let set = two(&format!("organisation = \"{organisation}\""));
        let words = ["--for", "1s", "--trace", "--keep-samples", "--out", "run"];
        let Some(run) = real(folder.path(), TEST, &set, &words) else { return };
        closes(&run);
        if warned(TEST, &run.warnings) {
            return;
        }
        let (low, high) = (&task_set(&run).tasks[0], &task_set(&run).tasks[1]);
        assert!(low.fates.missed() >= 90, "{organisation}: {:?}", low.fates);
        let of = |name: &str| run.stages.iter().find(|stages| stages.key.variant["task"] == name);
        let stages = of("low").unwrap();
        assert_eq!(stages.blamed + stages.unmatched + low.fates.skipped, low.fates.missed(), "{organisation}");
        let late = late_ns(folder.path(), "low", 8_000_000);
        let told: u64 = stages.causes.iter().map(|cause| cause.ns).sum();
        assert!(stages.unmatched * 20 <= late.len() as u64, "{organisation}: {stages:?}");
        // Those that the end cut off have no time of their own in jobs.csv.
        if stages.unmatched + low.fates.unfinished == 0 {
            assert_eq!((stages.blamed, told), (late.len() as u64, late.iter().sum()), "{organisation}: {stages:?}");
        }
        let culprit = stages.causes.iter().find(|cause| cause.what == "series high (real-time 20)");
        let largest_in = culprit.map_or(0, |cause| cause.largest_in);
        assert!(largest_in * 10 >= stages.blamed * 9, "{organisation}: {:?}", stages.causes);
        let unexplained = stages.causes.iter().find(|cause| cause.what == "unexplained").map_or(0, |cause| cause.ns);
        assert!(unexplained * 20 <= told, "{organisation}: {:?}", stages.causes);
        let of_low = |one: &&Series| one.key.name == "response" && one.key.variant["task"] == "low";
        let worst = &run.series.iter().find(of_low).unwrap().worst[0];
        assert_eq!(worst.blame, stages.worst[0].blame);
        assert_eq!(of("high").is_some(), high.fates.missed() > 0, "only of what missed");
    }
}

/// Jobs of a microsecond, ten at each instant: a thread that waits for a wake-up which was left out would leave its jobs open.
#[test]
fn a_pool_that_is_hurried_loses_no_wake_up() {
    let folder = tempfile::tempdir().unwrap();
    let series = |number: u32| {
        format!(
            "[[series]]\nname = \"s{number}\"\nperiod = \"200us\"\ncomputation = \"1us\"\ndeadline = \"4s\"\npriority = 50\n"
        )
    };
    let set: String = (0..10).map(series).collect();
    let set = format!("organisation = \"pool\"\noverrun = \"queue\"\n{set}");
    let Some(run) = real(folder.path(), "a_pool_that_is_hurried", &set, &["--for", "200ms"]) else { return };
    closes(&run);
    for task in &task_set(&run).tasks {
        assert_eq!(task.fates.nominal, 1_000, "{task:?}");
        assert_eq!(task.fates.on_time + task.fates.late, 1_000, "{task:?}");
    }
}

#[test]
fn every_organisation_runs_locks_and_poisson_series_and_accounts_for_each_release() {
    let folder = tempfile::tempdir().unwrap();
    let lock = "[[lock]]\nname = \"bus\"\nprotocol = \"ceiling\"\n[[lock]]\nname = \"log\"\n";
    let section = |lock: &str| format!("[[series.section]]\nlock = \"{lock}\"\nlength = \"200us\"\n");
    let low = "[[series]]\nname = \"b\"\nmean = \"20ms\"\ndeadline = \"50ms\"\ncomputation = \"1ms\"\npriority = 5\npolicy = \"rr\"\n";
    for organisation in ["thread-per-series", "pool", "thread-per-event"] {
        let head = one("10ms", "1ms", &format!("organisation = \"{organisation}\""));
        let set = format!("{head}{}{low}{}{}{lock}", section("bus"), section("bus"), section("log"));
        let Some(run) = real(folder.path(), "every_organisation", &set, &["--for", "400ms"]) else { return };
        closes(&run);
        let tasks = &task_set(&run).tasks;
        assert_eq!(tasks[0].fates.nominal, 40);
        assert!(tasks[0].fates.on_time > 0 && tasks[1].fates.nominal > 4, "{organisation}: {tasks:?}");
        assert_eq!(series(&run, "release").unit, backwall::units::Unit::Ns);
    }
}

/// The kernel chooses the processor of such a thread.
#[test]
fn jobs_are_done_under_sched_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let set = one("20ms", "1ms", "").replace("priority = 10", "policy = \"deadline\"\nruntime = \"4ms\"");
    let Some(run) = real(folder.path(), "jobs_are_done_under_sched_deadline", &set, &["--for", "200ms"]) else {
        return;
    };
    closes(&run);
    assert_eq!((task_set(&run).tasks[0].cpu, task_set(&run).tasks[0].fates.nominal), (None, 10));
}

/// Its jobs are queued, so its thread never waits.
#[test]
fn a_set_that_starves_its_processor_is_stopped_by_the_guard() {
    let folder = tempfile::tempdir().unwrap();
    let set = one("10ms", "15ms", "overrun = \"queue\"");
    let words = ["--for", "20s", "--allow-starvation", "--work", "cpu-time", "--json"];
    let _alone = alone();
    let output = run(folder.path(), &set, &words);
    let said = text(&output.stderr);
    if skipped("a_set_that_starves_its_processor", &output) {
        return;
    }
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("used its processor for 2 s without waiting once"), "{said}");
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    closes(&run);
    assert!(run.interrupted && task_set(&run).tasks[0].fates.nominal < 2_000);
}

/// Ctrl-C keeps what was measured; what had arrived and was not done is unfinished, the rest was not due.
#[test]
fn an_interrupted_set_accounts_for_what_was_due() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("set.toml"), one("10ms", "1ms", "")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["tasks", "run", "set.toml", "--for", "60s", "--json", "--best-effort"]).current_dir(folder.path());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let run = read(&child.wait_with_output().unwrap());
    closes(&run);
    let nominal = task_set(&run).tasks[0].fates.nominal;
    assert!(run.interrupted && !run.evidence && nominal > 0 && nominal < 6_000, "{nominal}");
}

/// Tasks with a bound, none of which was later than it, and none a third earlier.
pub fn bounded(run: &Run) -> usize {
    let mut found = 0;
    for task in &task_set(run).tasks {
        let Some(bound) = task.predicted.as_ref().unwrap().bound else { continue };
        let of_task = |one: &&Series| one.key.name == "response" && one.key.variant["task"] == task.name;
        let measured = run.series.iter().find(of_task).unwrap().max.unwrap();
        assert!(measured <= bound, "{}: {measured} of {bound}", task.name);
        assert!(bound * 2 <= measured * 3, "{}: {measured} of {bound}", task.name);
        found += 1;
    }
    found
}

/// With the kernel's own constants, and the instants that were drawn: each bound holds, and is no more than half as much again.
#[test]
fn on_detent_no_response_of_a_shipped_set_is_later_than_predicted() {
    let folder = tempfile::tempdir().unwrap();
    for (name, length, tasks) in [("overload", "900ms", 2), ("control", "3s", 4)] {
        let set = format!("{}/../docs/tasks/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
        command.args(["tasks", "run", &set, "--guest", "detent-probe", "--json", "--for", length]);
        let output = command.current_dir(folder.path()).output().unwrap();
        if skipped("on_detent_no_response", &output) {
            return;
        }
        let run = read(&output);
        closes(&run);
        assert_eq!(bounded(&run), tasks, "{name}");
    }
}

/// The first experiments of the paper, cut short: what was measured is a run that can be read, and each figure accounts for its events.
#[test]
fn the_papers_experiments_end_at_ctrl_c_with_a_readable_run() {
    let folder = tempfile::tempdir().unwrap();
    let _alone = alone();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["tasks", "paper", "--quick", "--json", "--out", "run"]).current_dir(folder.path());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(6));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    if skipped("the_papers_experiments", &output) {
        return;
    }
    let run = read(&output);
    assert!(run.interrupted && run.series.len() < 53, "{}", run.series.len());
    for series in &run.series {
        assert_eq!(series.due, Some(series.done + series.known_lost()), "{}", series.key);
    }
    let creation = run.series.iter().find(|series| series.key.name == "creation").unwrap();
    assert_eq!(
        (creation.from.as_str(), creation.to.as_str(), creation.key.variant["class"].as_str()),
        ("create", "start", "ordinary")
    );
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    for section in ["Table I:", "The paper&#39;s Table I", "Table III:", "As printed, in us"] {
        assert!(page.contains(section) || page.contains(&section.replace("&#39;", "'")), "{section}");
    }
}

/// Jitter of thirty periods and a deadline of one: the last job arrives long after the last nominal instant.
#[test]
fn jobs_that_arrive_beyond_the_duration_are_carried_out_by_every_organisation() {
    let folder = tempfile::tempdir().unwrap();
    for organisation in ["thread-per-series", "pool", "thread-per-event"] {
        let head = format!("organisation = \"{organisation}\"\noverrun = \"queue\"");
        let set = one("10ms", "100us", &head).replace("priority", "jitter = \"300ms\"\npriority");
        let Some(run) = real(folder.path(), "jobs_that_arrive_beyond", &set, &["--for", "100ms"]) else { return };
        closes(&run);
        assert!(!run.interrupted, "{organisation}");
        assert_eq!(task_set(&run).tasks[0].fates.nominal, 10, "{organisation}");
        assert_eq!(run.plan.phase_ns.unwrap().0, 100_000_000);
    }
}

/// As soon as there is one such series no assignment and no bound is asked for.
#[test]
fn a_set_of_several_processors_runs_series_of_sched_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let moved =
        one("20ms", "1ms", "processors = 2").replace("priority = 10", "policy = \"deadline\"\nruntime = \"4ms\"");
    let fixed = "[[series]]\nname = \"b\"\nperiod = \"20ms\"\ncomputation = \"1ms\"\npriority = 5\n";
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get());
    if cpus < 2 {
        skip("a_set_of_several_processors", "this machine has one processor");
        return;
    }
    let words = ["--for", "100ms", "--assign", "first-fit"];
    let Some(run) = real(folder.path(), "a_set_of_several_processors", &format!("{moved}{fixed}"), &words) else {
        return;
    };
    closes(&run);
    let tasks = &task_set(&run).tasks;
    assert!(tasks[0].cpu.is_none() && tasks[1].cpu.is_some());
    for predicted in tasks.iter().map(|task| task.predicted.as_ref().unwrap()) {
        assert!(predicted.bound.is_none() && predicted.no_bound.as_ref().unwrap().contains("SCHED_DEADLINE"));
    }
}
