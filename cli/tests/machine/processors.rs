// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several processors at once, schedulers, loads with a priority, and the user's own load, on this machine.
use crate::lacking::skip;
use crate::tool::{Begin, wait_until};
use backwall_model::{CHECKPOINT_THREAD, Policy, RECORDER_THREAD, Run};
use backwall_os::threads::{self, Thread};
use std::path::Path;
use std::process::{Command, Output};

fn backwall(out: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command
        .args(["run", "--best-effort", "--quiet", "--idle", "as-is"])
        .args(arguments)
        .arg("--output")
        .arg(out)
        .output()
        .unwrap()
}

fn measured(arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let output = backwall(&folder.path().join("run"), arguments);
    assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(folder.path().join("run/run.json")).unwrap()).unwrap()
}

fn two() -> [String; 2] {
    let allowed = backwall_os::affinity::allowed();
    [allowed[0].to_string(), allowed[allowed.len() - 1].to_string()]
}

#[test]
fn four_threads_on_two_processors_account_for_every_release() {
    let [first, last] = two();
    let list = format!("{first},{last}");
    let run = measured(&["-a", &list, "-t", "4", "-i", "2000", "-l", "500", "--load", "none", "--keep-samples"]);
    assert_eq!(run.series.len(), 4);
    for series in &run.series {
        assert_eq!((series.due, series.missed), (Some(550), Some(550 - series.done)), "{}", series.key);
        assert!(series.key.cpu.is_some_and(|cpu| [&first, &last].contains(&&cpu.to_string())), "{}", series.key);
        assert!(series.key.variant.contains_key("thread"), "{}", series.key);
    }
    let worst: Vec<_> = run.series.iter().map(|series| series.max).collect();
    assert!(worst.is_sorted_by(|one, next| one >= next), "the worst first: {worst:?}");
    assert_eq!(run.plan.cpus.len(), 4);
}

// Every response of every thread takes longer than a microsecond; ten of them are kept, the others are counted.
#[test]
fn the_flight_recorder_watches_all_measured_threads() {
    let [first, last] = two();
    let list = format!("{first},{last}");
    let arguments = ["-a", &list, "-t", "4", "-i", "10ms", "-l", "60", "--load", "none", "--snapshot-above", "1"];
    let folder = tempfile::tempdir().unwrap();
    let output = backwall(&folder.path().join("run"), &arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(4) && complaint.contains("cannot open the kernel's trace") {
        skip("the_flight_recorder_watches_all_measured_threads", &complaint);
        return;
    }
    assert_eq!(output.status.code(), Some(3), "{complaint}");
    let kept: Vec<String> = std::fs::read_dir(folder.path().join("run/trace"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(kept.len() == 10 && kept.iter().all(|name| name.contains("-cpu") && name.contains("-thread")), "{kept:?}");
    let run: Run = serde_json::from_slice(&std::fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    let named = |text: &str| run.warnings.iter().filter(|warning| warning.text.contains(text)).count();
    assert_eq!(named(" crossed the limit: "), 10, "{:?}", run.warnings);
    assert!(named(" more responses crossed the limit") + named("while backwall read the trace of an earlier one") >= 1);
}

#[test]
fn one_processor_of_several_is_required_by_its_number() {
    let [first, last] = two();
    if first == last {
        skip("one_processor_of_several", "this machine has one processor");
        return;
    }
    let list = format!("{first},{last}");
    let require = format!("wakeup[cpu={last}].done > 0");
    let run = measured(&["--cpu", &list, "-l", "100", "--load", "none", "--require", &require]);
    assert!(run.requirements[0].because.contains(&format!("cpu={last}]")), "{:?}", run.requirements);
}

#[test]
#[ignore = "make long"]
fn every_scheduler_is_measured_or_refused_with_the_reason() {
    for (policy, expected) in [("rr", Policy::Rr), ("deadline", Policy::Deadline), ("other", Policy::Other)] {
        let run = measured(&["--policy", policy, "-l", "200", "--load", "none"]);
        assert_eq!(run.plan.policy, Some(expected));
        assert!(
            run.series[0].due == run.series[0].missed.map(|lost| run.series[0].done + lost) && run.series[0].done > 0,
            "{policy}"
        );
        assert_eq!(run.plan.runtime_ns.is_some(), policy == "deadline");
    }
}

#[test]
#[ignore = "make long"]
fn a_load_with_a_priority_and_the_users_own_are_phases_that_prove_themselves() {
    if let Some(refused) = backwall_tuning::check::real_time_refused(2) {
        return skip("a_load_with_a_priority", &format!("real-time priority is refused: {}", refused.error));
    }
    let run = measured(&["--load", "handoff@2", "--load-cmd", "while :; do :; done", "--for", "1s"]);
    let phases: Vec<_> = run.series.iter().map(|series| series.key.load.as_str()).collect();
    assert_eq!(phases, ["handoff@2", "with"]);
    let own = run.loads.iter().find(|load| load.name == "with").unwrap();
    assert!(own.done > 0, "{own:?}");
}

/// The threads of a process that exist now, each with whether it may run on a CPU.
fn of_process(process: u32, cpu: u32) -> Vec<(Thread, bool)> {
    let all = threads::of_process(process as i32, Path::new(&format!("/proc/{process}")));
    all.filter_map(|thread| {
        let allowed = thread.allowed()?;
        Some((thread, backwall_model::units::ranges::names(&allowed, cpu)))
    })
    .collect()
}

fn assert_kept_off(process: u32, cpu: u32, named: &[&str]) {
    let own = || of_process(process, cpu);
    wait_until("the tool's threads", || named.iter().all(|name| own().iter().any(|(thread, _)| thread.name == *name)));
    let there: Vec<String> = own().iter().filter(|(_, may)| *may).map(|(thread, _)| thread.to_string()).collect();
    assert!(there.is_empty(), "on CPU {cpu}: {there:?}");
}

/// The load says that the measurement has begun; it must not have the affinity of the tool that starts it.
#[test]
fn the_tool_keeps_off_the_measured_processor_and_its_loads_do_not() {
    let [first, last] = two();
    if first == last {
        return skip("the_tool_keeps_off", "this machine has one processor");
    }
    let (folder, cpu) = (tempfile::tempdir().unwrap(), last.parse().unwrap());
    let tool =
        crate::tool::backwall(&folder.path().join("run")).args(["-a", &last, "--load", "spin", "-D", "20s"]).begin();
    let loads = || {
        let started = crate::tool::children(tool.id());
        let threads = started.iter().flat_map(|child| of_process(child.id, cpu));
        threads.filter(|(thread, _)| thread.name == "bw-spin").map(|(_, may)| may).collect::<Vec<bool>>()
    };
    wait_until("the load on the measured processor", || loads().contains(&true));
    assert_kept_off(tool.id(), cpu, &["backwall", CHECKPOINT_THREAD]);
}

#[test]
fn a_watch_keeps_off_the_processor_of_a_thread_that_is_held_there() {
    let [first, last] = two();
    if first == last {
        return skip("a_watch_keeps_off", "this machine has one processor");
    }
    if let Err(refused) = backwall_runner::attached::attachee::may_follow() {
        return skip("a_watch_keeps_off", &refused.to_string());
    }
    let folder = tempfile::tempdir().unwrap();
    let held = Command::new("taskset").args(["-c", &last, "sh", "-c", "while :; do sleep 0.01; done"]).begin();
    let mut watch = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let output = folder.path().join("run");
    let watch = watch.args(["watch", &held.id().to_string(), "-q", "-D", "20s", "--output"]).arg(output).begin();
    wait_until("the recorder", || of_process(watch.id(), 0).iter().any(|(thread, _)| thread.name == RECORDER_THREAD));
    assert_kept_off(watch.id(), last.parse().unwrap(), &["backwall", CHECKPOINT_THREAD, RECORDER_THREAD]);
}
