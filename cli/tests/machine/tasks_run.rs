// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks run` on this machine: accounts and orders.
use crate::lacking::{skip, skipped, warned};
use crate::task_sets::{closes, one, read, real, run, series, task_set, text};
use crate::tool::{Begin, children, ended, signal, turns, wait_until};
use backwall_model::{Run, Series};
use backwall_report::trace::accused;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

// The shipped overloaded set with ticks of 5 ms, and computations a tenth shorter: the second would else end at the very
// instant at which the first is released again.
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

// One series takes 6 of each 10 ms, so the other's 3 ms are never done within 8 ms.
fn two(more: &str) -> String {
    let series = |name: &str, computation: &str, deadline: &str, priority: u32| {
        format!(
            "[[series]]\nname = \"{name}\"\nperiod = \"10ms\"\ncomputation = \"{computation}\"\ndeadline = \"{deadline}\"\npriority = {priority}\n"
        )
    };
    format!("{more}\n{}{}", series("low", "3ms", "8ms", 10), series("high", "6ms", "10ms", 20))
}

// The times of the jobs of a series that were done late, from its rows in jobs.csv.
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
        let words = ["--for", "1s", "--trace", "--keep-samples", "--output", "run"];
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
        let culprit = stages.causes.iter().find(|cause| accused::total(cause) == "series high (real-time 20)");
        let largest_in = culprit.map_or(0, |cause| cause.largest_in);
        assert!(largest_in * 10 >= stages.blamed * 9, "{organisation}: {:?}", stages.causes);
        let unexplained =
            stages.causes.iter().find(|cause| accused::total(cause) == "unexplained").map_or(0, |cause| cause.ns);
        assert!(unexplained * 20 <= told, "{organisation}: {:?}", stages.causes);
        let of_low = |one: &&Series| one.key.name == "response" && one.key.variant["task"] == "low";
        let worst = &run.series.iter().find(of_low).unwrap().worst[0];
        assert_eq!(worst.blame, stages.worst[0].blame);
        assert_eq!(of("high").is_some(), high.fates.missed() > 0, "only of what missed");
    }
}

// Jobs of a microsecond, ten at each instant: a thread that waits for a wake-up which was left out would leave its jobs open.
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
        assert_eq!(series(&run, "release").unit, backwall_model::units::Unit::Ns);
    }
}

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

// Its jobs are queued, so its thread never waits.
#[test]
fn a_set_that_starves_its_processor_is_stopped_by_the_guard() {
    let folder = tempfile::tempdir().unwrap();
    let set = one("10ms", "15ms", "overrun = \"queue\"");
    let words = ["--for", "20s", "--allow-starvation", "--work", "cpu-time", "--json"];
    let output = run(folder.path(), &set, &words);
    let said = text(&output.stderr);
    if skipped("a_set_that_starves_its_processor", &output) {
        return;
    }
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("used its CPU for 2 s without waiting once"), "{said}");
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    closes(&run);
    assert!(run.interrupted && task_set(&run).tasks[0].fates.nominal < 2_000);
}

// Ctrl-C keeps the measurement; arrived but unfinished jobs are unfinished, the rest was not due.
#[test]
fn an_interrupted_set_accounts_for_what_was_due() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("set.toml"), one("10ms", "1ms", "")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["tasks", "run", "set.toml", "--for", "60s", "--json", "--best-effort"]).current_dir(folder.path());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).begin();
    wait_until("jobs", || children(child.id()).iter().any(|probe| most_turns(probe.id) > 20));
    signal(child.id(), "INT");
    let run = read(&child.wait_with_output().unwrap());
    closes(&run);
    let nominal = task_set(&run).tasks[0].fates.nominal;
    assert!(run.interrupted && !run.valid && nominal > 0 && nominal < 6_000, "{nominal}");
}

// How often that thread of a process waited which did so most often. Its first thread does no job: it makes the others, and
// has waited often before any of them begins.
fn most_turns(process: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let of_jobs = threads.filter(|thread| thread.file_name().to_string_lossy() != process.to_string());
    of_jobs.map(|thread| turns(&thread.path())).max().unwrap_or(0)
}

fn runs_a_set(probe: u32) -> bool {
    fs::read(format!("/proc/{probe}/cmdline"))
        .is_ok_and(|words| words.split(|byte| *byte == 0).nth(1) == Some(b"tasks"))
}

const FIRST_EXPERIMENTS: usize = 8;

// The paper's first experiments, cut short: the result is a readable run, and each figure accounts for its events.
#[test]
#[ignore = "make long"]
fn the_papers_experiments_end_at_ctrl_c_with_a_readable_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.args(["bench", "events", "--paper", "--quick", "--json", "--output", "run"]).current_dir(folder.path());
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).begin();
    let begun = RefCell::new(BTreeSet::new());
    wait_until("the first experiments", || {
        begun
            .borrow_mut()
            .extend(children(child.id()).iter().filter(|probe| runs_a_set(probe.id)).map(|probe| probe.id));
        begun.borrow().len() > FIRST_EXPERIMENTS || ended(child.id())
    });
    signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    if skipped("the_papers_experiments", &output) {
        return;
    }
    let run = read(&output);
    assert!(run.interrupted && run.series.len() < 53, "{}", run.series.len());
    for series in &run.series {
        assert_eq!(series.due, Some(series.done + series.known_missed()), "{}", series.key);
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

// Jitter of thirty periods and a deadline of one: the last job arrives long after the last nominal instant.
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

// With one such series, no assignment and no bound is needed.
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
