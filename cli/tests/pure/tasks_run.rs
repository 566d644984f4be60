// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall tasks run`: on the scripted port every figure is known beforehand.
use crate::task_sets::{FAKE, one, read, run, series, task_set, text};
use backwall_model::picture::Fates;
use std::fs;

// The script's waits end 5 us late or a little more, a count is 100 ns, and a turn of the computing loop is a count.
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
fn the_page_begins_with_the_missed_deadlines_of_all_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let top = |computation: &str, code: i32| {
        let output = run(folder.path(), &one("1ms", computation, ""), &["--probe", FAKE, "-o", computation]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let page = fs::read_to_string(folder.path().join(computation).join("report.html")).unwrap();
        let verdict = page.split_once("class=\"wall-of\">").unwrap().1;
        verdict.split_once("class=\"tiles\"").unwrap().0.to_string()
    };
    let missed = top("1500us", 0);
    assert!(missed.starts_with("deadlines missed: a 10 of 10<"), "{missed}");
    assert!(missed.contains("<b>10 <i>of 10</i></b>"), "{missed}");
    let met = top("100us", 0);
    assert!(met.starts_with("deadlines missed<") && met.contains("<b>0 <i>of 10</i></b>"), "{met}");
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
    refused(&format!("{plain}stretch = \"10us\"\n"), &[], "series a: stretch: tasks run cannot disable preemption");
    refused(&plain.replace("priority = 10", "policy = \"deadline\"\ncpu = 0"), &[], "series a: cpu: policy");
    refused(&format!("{plain}[reservation]\nperiod = \"2ms\"\nbudget = \"1ms\"\n"), &[], "reservation: ");
    refused(&plain, &["--for", "100h"], "duration: more than 4000000 releases");
    refused(&one("1s", "100us", "").replace("priority", "offset = \"1s\"\npriority"), &[], "duration: no release");
    refused(&plain, &["--load", "spni"], "spin");
    refused(&plain, &["--require", "response[task=b].max < 1ms"], "no such series");
    refused(&plain, &["--for", "900d"], "duration: must be below two years");
    refused(&plain.replace("\"10ms\"", "\"0s\""), &[], "duration: expected a time above 0");
    let deadline = |more: &str| plain.replace("priority = 10", &format!("policy = \"deadline\"\n{more}"));
    refused(&deadline("deadline = \"2ms\""), &[], "series a: deadline: policy");
    refused(&deadline("runtime = \"1100us\""), &[], "series a: runtime: policy");
    let ceiling =
        "section = [{ lock = \"bus\", length = \"10us\" }]\n[[lock]]\nname = \"bus\"\nprotocol = \"ceiling\"\n";
    refused(&deadline(ceiling), &[], "series a: section: policy");
    refused(&deadline(""), &["--trace"], "--trace: series a has no CPU");
    let aborts = format!("organisation = \"thread-per-event\"\noverrun = \"abort\"\n{plain}");
    refused(&aborts, &["--trace"], "--trace: overrun = \"abort\" with thread-per-event");
    refused(&plain, &["--guest", "detent-probe", "--load", "Spin'\""], "expected NAME or NAME@PRIORITY");
    refused(&format!("processors = 2\n{plain}cpu = 1\n"), &["--guest", "detent-probe"], "detent-probe has one");
    let heavy = one("10ms", "9900us", "");
    refused(&heavy, &["--for", "10s"], "would use 99.0 % of CPU");
    refused(&heavy, &["--for", "10s"], "use --allow-starvation");
}
