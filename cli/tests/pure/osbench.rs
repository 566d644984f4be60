// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel operations: on the scripted port every figure is known in advance.
use crate::operations::{osbench, rows};
use crate::page::{SHEET, printed, texts_looked_at};
use backwall_model::Run;
use std::fs;
use std::process::Command;

const FAKE: &str = backwall_runner::device::built::FAKE;

// The counts of the script are 100 ns each.
#[test]
fn on_the_scripted_port_every_row_costs_what_the_script_says() {
    let folder = tempfile::tempdir().unwrap();
    let tests = ["-t", "0", "-t", "1", "-t", "2", "-t", "3", "-t", "4", "-t", "5", "-t", "6", "-n", "5"];
    let output = osbench(folder.path(), &[&["--probe", FAKE, "--json", "--csv", "rows.csv"], &tests[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    let papers: Vec<u64> = rows(&run).iter().filter_map(|(row, _)| row.paper_row).collect();
    assert_eq!(papers, (1..=33).collect::<Vec<u64>>(), "every row of the paper's table, in its order");
    let each = |paper: u64| match paper {
        1 | 5 => 2_300.0,
        2 | 6 => 2_100.0,
        3 | 4 => 100.0,
        7..=10 => 2_400.0,
        11..=14 => 2_600.0,
        15..=18 => 2_800.0,
        19..=22 => 2_500.0,
        23..=28 => 4_600.0,
        29 => 200.0,
        _ => 0.0,
    };
    for (row, series) in rows(&run) {
        let expected = each(row.paper_row.unwrap());
        let found = [series.min, series.max, row.first].map(|value| row.each(value.unwrap() as f64));
        assert_eq!(found, [expected; 3], "{}", row.test);
        assert_eq!(
            (series.due, series.done, series.warmup, series.missed),
            (Some(15), 15, 10, Some(0)),
            "{}",
            row.test
        );
        assert_eq!((row.void, row.clamped, row.clock_read, row.failure.as_deref()), (0, 0, 100, None), "{}", row.test);
    }
    let csv = fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    assert_eq!(csv.lines().count(), 34);
    assert!(csv.contains("1.00,7,event,no,no,no,real-time,1,5,0,0,0,ns,2400.000,2400.000,"), "{csv}");
}

// Whatever a narrow terminal leaves out: name, median and maximum stay, and no name is cut where others begin alike.
#[test]
fn the_table_keeps_its_answer_in_a_terminal_and_on_paper() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "--json", "-n", "5"]);
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    for columns in [50, 80, 200] {
        let text = backwall_report::osbench::text(&run, columns, false);
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
        let head = text.lines().find(|line| line.starts_with("test ")).unwrap();
        assert!(["operation", "p50", "max"].iter().all(|name| head.contains(name)), "{head}");
        assert!(columns < 80 || !text.contains('…'), "{columns}: {text}");
    }
    let Some(program) = crate::browser::find("the operations on paper") else { return };
    let page = backwall_report::page::page(&run);
    let pages = [(printed(&page), SHEET), (page.clone(), 1180), (page, 390)];
    assert!(texts_looked_at(&program, &pages).iter().all(|count| *count > 30));
}

#[test]
fn a_block_has_the_lines_of_the_2002_tool_and_every_sample_is_printed_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "-t", "1.00", "-n", "3", "-v"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "|  1.00  |  IP =  NO  |  CS =  NO  |       1 IPS",
        "|  Max Time =          2.400 us",
        "|  Avg Time =          2.400 us",
    ] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
    assert_eq!(text.lines().filter(|line| line.contains(" sample ")).count(), 13, "ten of them are warm-up");
    assert!(text.contains("7.339"), "the K6-2's average stands beside ours: {text}");
}

#[test]
fn what_is_not_there_is_refused_in_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (words, exit, line) in [
        (&["-t", "99"][..], 2, "--test 99: unknown test; expected 0 to 9"),
        (&["--all", "-n", "0"], 2, "0 is not in 1..=1000000"),
        (&["-t", "1", "-m", "here"], 2, "'here' for '--mark <ADDRESS>'"),
        (&["-t", "1", "-m", "0x1000"], 4, "parallel port"),
        (&["--probe", FAKE, "-t", "8.00"], 4, "this system has nothing that this operation could be done with"),
        (&["--probe", "/no/such/probe", "-t", "1"], 4, "cannot start the probe /no/such/probe"),
    ] {
        let output = osbench(folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(exit), "{words:?}: {said}");
        assert!(said.contains(line) && said.lines().count() == 1, "{words:?}: {said}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn without_a_test_named_all_are_measured_and_the_table_alone_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let told = |words: &[&str]| {
        let output = osbench(folder.path(), &[&["--probe", FAKE, "-n", "3"], words].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let (alone, blocks) = (told(&[]), told(&["--all"]));
    assert!(alone.lines().any(|line| line.starts_with("1.00 ")) && !alone.contains("Max Time"), "{alone}");
    assert!(blocks.contains("Max Time") && blocks.lines().any(|line| line.starts_with("1.00 ")), "{blocks}");
}

#[test]
fn a_requirement_that_fails_is_told_beside_the_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "-t", "1.00", "-n", "3", "--require", "max < 1us"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("FAIL 'max < 1us': event"), "{said}");
}

#[test]
fn no_line_is_longer_than_a_terminal_and_every_option_stands_in_the_help() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "-t", "0", "-t", "5", "-t", "6", "-n", "3"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let wide = text.lines().filter(|line| line.chars().count() > 80).collect::<Vec<_>>();
    assert!(output.status.success() && wide.is_empty(), "{wide:?}");
    assert!(text.contains("K6-2 avg") && text.contains("unit"), "{text}");
    for tool in ["osbench", "iltiming"] {
        let help = Command::new(env!("CARGO_BIN_EXE_backwall")).args(["bench", tool, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        for part in ["--all", "  -n, --", "Examples:"] {
            assert!(help.contains(part), "{tool}: {part}: {help}");
        }
    }
}

// The file of rows is tried before anything is measured, and what was measured does not depend on it.
#[test]
fn a_file_that_cannot_be_written_is_refused_at_once_and_the_list_is_json_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "-t", "1.00", "--csv", "/nonexistent/rows.csv"]);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--csv /nonexistent/rows.csv"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was measured");
    let listed: serde_json::Value =
        serde_json::from_slice(&osbench(folder.path(), &["--list", "--json"]).stdout).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[3]["about"]), (10, &"Mutex".into()));
    let quiet = osbench(folder.path(), &["--probe", FAKE, "-t", "1.00", "-n", "3", "-q"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty(), "{}", String::from_utf8_lossy(&quiet.stderr));
}

#[test]
fn rows_that_a_system_lacks_are_told_and_the_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let output = osbench(folder.path(), &["--probe", FAKE, "-t", "6.00", "-t", "8.00", "-n", "2", "--json"]);
    let run: Run = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), rows(&run).len()), (Some(0), 1));
    assert!(
        run.warnings.iter().any(|warning| warning.text.starts_with("not measured: test 8.00: ")),
        "{:?}",
        run.warnings
    );
}
