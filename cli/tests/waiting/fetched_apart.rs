// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall trace snapshot` of runs that are the first process of namespaces of their own, as containers are: all have the number 1 there.
use crate::lacking::skip;
use crate::tool::{
    Begin, LOOKED_INTO, Running, children, files, measured, message, signal, so_far, tool_in, wait_until,
};
use backwall_ftrace::tracefs::Tracefs;
use std::path::Path;
use std::process::{Command, Stdio};

const APART: [&str; 3] = ["-pf", "--mount-proc", "--kill-child"];

// A run that records all the time, once it has measured: who waits for it, and its number around its namespace.
fn run(folder: &Path, name: &str) -> (Running, u32) {
    let mut command = Command::new("unshare");
    let what = ["run", "--measure", "wakeup", "--load", "none", "--idle", "as-is", "--snapshot-above", "50s"];
    command.args(APART).arg(env!("CARGO_BIN_EXE_backwall")).args(what).args(["--best-effort", "--quiet"]);
    command.args(["--for", "500s", "--output"]).arg(folder.join(name)).args(LOOKED_INTO);
    let around = command.stdout(Stdio::null()).stderr(Stdio::null()).begin();
    wait_until("the first process of a namespace", || !children(around.id()).is_empty());
    let tool = children(around.id())[0].id;
    (around, tool)
}

#[test]
fn runs_that_are_process_1_of_their_namespaces_are_fetched_each_by_its_number_around_it_and_by_1_within() {
    let test = "runs that are process 1 of their namespaces";
    let able = Command::new("unshare").args(APART).arg("true").output();
    match (able, Tracefs::open()) {
        (Ok(able), Ok(_)) if able.status.success() => {}
        (_, Err(why)) => return skip(test, &why.to_string()),
        _ => return skip(test, "unshare makes no namespace of processes here"),
    }
    let top = tempfile::tempdir().unwrap();
    let folder = top.path();
    // Both begin at once: their traces must not be taken for one.
    let runs = ["one", "other"].map(|name| (name, run(folder, name)));
    for (name, _) in &runs {
        wait_until("a first figure", || so_far(&folder.join(name)).is_some_and(|run| measured(&run) > 0));
    }
    let both = tool_in(folder, &["trace", "snapshot", "--output", "both", "--quiet"]);
    // It asks all runs of this user, and those of other tests that run meanwhile may record nothing just then.
    assert!(matches!(both.status.code(), Some(0 | 3)), "{}", message(&both));
    for (name, (_, process)) in &runs {
        let number = process.to_string();
        assert!(!message(&both).contains(&format!("run {number}:")), "{}", message(&both));
        assert!(folder.join("both").join(&number).join("trace.dat").is_file(), "{:?}", files(&folder.join("both")));
        let named = tool_in(folder, &["trace", "snapshot", &number, "--output", &number, "--quiet"]);
        assert_eq!((named.status.code(), message(&named).as_str()), (Some(0), ""));
        let out = folder.join(format!("within-{name}"));
        let mut within = Command::new("nsenter");
        within.args(["-p", "-m", "-t", &number, env!("CARGO_BIN_EXE_backwall"), "trace", "snapshot", "1", "--quiet"]);
        let within = within.arg("--output").arg(&out).output().unwrap();
        assert_eq!((within.status.code(), message(&within).as_str()), (Some(0), ""));
    }
    let strange = tool_in(folder, &["trace", "snapshot", "1", "--output", "none", "--quiet"]);
    assert_eq!(strange.status.code(), Some(2), "{}", message(&strange));
    for (name, (around, process)) in runs {
        signal(process, "INT");
        around.wait_with_output().unwrap();
        assert!(folder.join(name).join("run.json").is_file(), "it went on, and was kept");
    }
}
