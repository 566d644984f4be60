// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace report --rules`: verdicts, exit codes and mistakes.
use crate::recordings;
use crate::tool::tool_in as tool;
use serde_json::Value;
use std::path::Path;

fn judged(folder: &Path, rules: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("rules"), rules).unwrap();
    let output = tool(folder, &["trace", "report", "trace.dat", "--rules", "rules"]);
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// Without the breaks of lines.
fn flat(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_rule_has_its_account_and_the_worst_outcome_is_the_exit_code() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let (code, said) = judged(home.path(), "after runs 15360 within 1ns runs nobody\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.starts_with("violated: after runs 15360 within 1ns runs nobody\n") && said.contains(" due: 0 kept"),
        "{said}"
    );
    let (code, said) = judged(home.path(), "after runs nobody within 1s runs 15360\n");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("undecided: the first event of the rule never occurred: "), "{said}");
    let output = tool(home.path(), &["trace", "report", "trace.dat", "--rules", "rules", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rules"][0]["due"], 0, "{json}");
}

#[test]
fn a_mistake_has_its_file_its_line_and_its_column() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let (code, said) = judged(home.path(), "# loop\nafter timer in 1ms timer\n");
    assert_eq!((code, said.as_str()), (Some(2), "backwall: rules: line 2, column 13: 'in': expected 'within'\n"));
}

#[test]
fn an_automaton_is_kept_broken_or_names_its_missing_event() {
    let home = tempfile::tempdir().unwrap();
    let row = |thread: &str, at_us: u32, event: &str| format!("  {thread} [000] d..2.  10.{at_us:06}: {event}\n");
    let comes = "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=servo next_pid=7 next_prio=9";
    let sleeps = "sched_switch: prev_comm=servo prev_pid=7 prev_prio=9 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120";
    let woken = "sched_waking: comm=servo pid=7 prio=9 target_cpu=000";
    let rows = [
        ("servo-7", 5, sleeps),
        ("<idle>-0", 10, woken),
        ("<idle>-0", 15, comes),
        ("servo-7", 20, woken),
        ("servo-7", 40, sleeps),
    ];
    let text: String = rows.iter().map(|(thread, at_us, event)| row(thread, *at_us, event)).collect();
    std::fs::write(home.path().join("trace.dat"), format!("# tracer: nop\n#\n{text}")).unwrap();
    let (code, said) = judged(home.path(), "monitor wwnr\nmonitor stall within 10us\nmonitor wip\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with("broken: monitor wwnr: a thread is woken only while it does not run\n"), "{said}");
    assert!(flat(&said).contains("servo (7) woken in state running, while servo (7) had the CPU"), "{said}");
    assert!(said.contains("kept: monitor stall: a ready thread runs within the limit\n"), "{said}");
    assert!(flat(&said).contains("0 breaches; the recording has no preemptirq:preempt_disable"), "{said}");
    let (code, said) = judged(home.path(), "monitor rtapp:stall within 2us\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(flat(&said).contains("servo (7) stayed in state enqueued for more than 2.0 us"), "{said}");
    let (code, said) = judged(home.path(), "monitor sched:sco\n");
    assert_eq!(code, Some(3), "{said}");
    assert!(flat(&said).contains("the recording has no sched_entry_tp, sched_set_state_tp"), "{said}");
}
