// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interrupt timing on this machine: list, table and run must agree. Skipped with a reason without the kernel's trace or real-time
//! rights.
use crate::lacking::{skipped, warned};
use backwall_model::{Extension, Run, Series};
use std::fs;
use std::process::{Command, Output};

const INTERRUPTS: usize = 50;

fn iltiming(test: &str, arguments: &[&str]) -> Option<(Output, tempfile::TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let output = command.args(["bench", "iltiming"]).args(arguments).current_dir(folder.path()).output().unwrap();
    if skipped(test, &output) {
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    Some((output, folder))
}

fn number(cell: &str) -> f64 {
    cell.replace(',', "").parse().unwrap_or_else(|_| panic!("{cell} is no figure"))
}

// The figures of the list's rows: ISR, IST, handoff in microseconds, and what was interrupted.
fn rows(text: &str) -> Vec<([f64; 3], String)> {
    let listed = text.lines().skip(1).take_while(|line| !line.is_empty());
    let row = |line: &str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        // Only a handoff is ever not known.
        let handoff = if cells[3] == "-" { f64::NAN } else { number(cells[3]) };
        ([number(cells[1]), number(cells[2]), handoff], cells[4..].join(" "))
    };
    listed.map(row).collect()
}

fn table_row(text: &str, title: &str) -> Vec<f64> {
    let line = text.lines().find(|line| line.starts_with(title)).unwrap();
    line.split_whitespace().skip(1).map(number).collect()
}

#[test]
fn list_table_and_run_say_the_same() {
    let arguments = ["-n", "50", "-t", "1", "-i3", "--all", "--output", "run"];
    let Some((output, folder)) = iltiming("list_table_and_run", &arguments) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let run: Run = serde_json::from_slice(&fs::read(folder.path().join("run/run.json")).unwrap()).unwrap();
    if warned("list_table_and_run", &run.warnings) {
        return;
    }
    let rows = rows(&text);
    check_series(&run, rows.len());
    check_rows(&rows);
    check_table(&text, &rows);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let sentences = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(sentences.contains("one every 1 ticks of 1 ms, idle thread idle3"), "{text}");
    let (_, target) = sentences.rsplit_once("industrial target, IST within 100 us").expect("the target");
    assert!(target.contains("; the largest of "), "{text}");
    assert_eq!(run.loads[0].name, "idle3");
    let Extension::Iltiming(asked) = &run.plan.extension else { panic!("{:?}", run.plan) };
    assert_eq!((run.plan.priority, asked.ce_priority), (Some(98), 0));
    assert!(folder.path().join("run/run.json").exists());
}

fn check_series(run: &Run, listed: usize) {
    let names: Vec<&str> = run.series.iter().map(|series| series.key.name.as_str()).collect();
    assert_eq!(names, ["isr", "ist", "handoff"]);
    for series in &run.series {
        let (due, lost) = (series.due.unwrap(), series.missed.unwrap());
        assert_eq!(due, series.done + lost);
        // Beyond the warm-up that was answered stand the interrupts asked for, and what was lost of the warm-up.
        let lost_in_warmup = due - series.warmup - INTERRUPTS as u64;
        assert!(lost_in_warmup <= lost, "{due} due, {} warm-up", series.warmup);
    }
    let in_figures = |series: &Series| (series.done - series.warmup) as usize;
    assert_eq!(in_figures(&run.series[0]), listed, "every interrupt the kernel stamped is listed");
}

fn check_rows(rows: &[([f64; 3], String)]) {
    for ([isr, ist, handoff], interrupted) in rows {
        assert!(isr <= ist, "{isr} {ist} {handoff}");
        assert!(handoff.is_nan() || isr + handoff <= ist + 0.2, "{isr} {ist} {handoff}");
        assert!(!interrupted.is_empty());
    }
}

fn check_table(text: &str, rows: &[([f64; 3], String)]) {
    let isr: Vec<f64> = rows.iter().map(|(figures, _)| figures[0]).collect();
    let least = isr.iter().copied().fold(f64::INFINITY, f64::min);
    let most = isr.iter().copied().fold(0.0, f64::max);
    let average = isr.iter().sum::<f64>() / isr.len() as f64;
    for (title, expected) in [("Minimum", least), ("Maximum", most), ("Average", average)] {
        let shown = table_row(text, title)[0];
        assert!((shown - expected).abs() <= 0.1, "{title}: {shown}, from the list {expected}");
    }
}

// An IST that comes after the next interrupt was due takes more than 1,000 us.
#[test]
fn a_row_is_read_with_its_commas() {
    let text = "interrupt  ISR  IST  handoff  interrupted\n\
                3  954.9  1,004.5  49.6  idle\n4  1,200.0  2,000.0  -  stress (7)\n\nnext";
    let [(late, _), (unended, interrupted)] = &rows(text)[..] else { panic!("two rows") };
    assert_eq!((late, interrupted.as_str()), (&[954.9, 1_004.5, 49.6], "stress (7)"));
    assert!(unended[..2] == [1_200.0, 2_000.0] && unended[2].is_nan());
    check_rows(&rows(text));
}

#[test]
fn without_an_idle_thread_none_runs() {
    let arguments = ["-i0", "-n", "10", "-p", "255", "--json", "--output", "run"];
    let Some((output, _folder)) = iltiming("without_an_idle_thread", &arguments) else { return };
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    assert!(run.loads.is_empty());
    assert_eq!((run.plan.loads[0].as_str(), run.plan.priority), ("none", Some(1)));
}
