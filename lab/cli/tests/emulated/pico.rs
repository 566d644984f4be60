// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope --pico …` with the firmware in its emulator, and with serial lines on which a test plays the firmware.
mod line;
mod played;

use crate::common::program::program;
use crate::lacking::skip;
use line::Board;
use played::{FULL_PULSES, Manner, Played};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

// The device answers after 5 us, is busy for 40 us with each pulse and loses pulses that come earlier, so it can answer 25 kHz.
const LATENCY_CYCLES: u32 = 500;
const BUSY_CYCLES: u32 = 4_000;

fn scope(folder: &Path, line: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["scope", "--pico", line, "--response", "isr=GP3"]).args(words).current_dir(folder);
    command
}

fn one_line(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

fn board(test: &str) -> Option<Board> {
    Board::start(LATENCY_CYCLES, BUSY_CYCLES).map_err(|reason| skip(test, &reason)).ok()
}

fn read(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("run/run.json")).unwrap()).unwrap()
}

#[test]
fn the_firmware_s_edges_become_a_run() {
    let Some(board) = board("the_firmware_s_edges_become_a_run") else { return };
    let home = tempfile::tempdir().unwrap();
    let words = ["--response", "app=GP4", "--period", "100us", "--pulses", "12", "--json"];
    let output = scope(home.path(), &board.path, &words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (index, latency_ns) in [(0, 5_000_u64), (1, 10_000)] {
        let series = &run["series"][index];
        let [due, lost, min, max] = ["due", "missed", "min", "max"].map(|name| series[name].as_u64().unwrap());
        assert_eq!((due, lost), (12, 0), "{series}");
        // Each of the two edges is known to within two ticks.
        assert!(min.abs_diff(latency_ns) <= 40 && max.abs_diff(latency_ns) <= 40, "{min} {max}");
    }
    assert_eq!((&run["origin"], &run["device"]["clock_hz"]), (&"measured".into(), &100_000_000.into()));
}

// A guest of the lab and a board, captured by the Pico, with the same line names: one page shows both, each in its own unit.
#[test]
#[ignore = "make long"]
fn a_run_of_the_lab_and_a_board_s_capture_make_one_page() {
    let Some(board) = board("a_run_of_the_lab_and_a_board_s_capture") else { return };
    let home = tempfile::tempdir().unwrap();
    let words = ["--response", "app=GP4", "--period", "100us", "--pulses", "12", "--output", "board", "-q"];
    assert!(scope(home.path(), &board.path, &words).status().unwrap().success());
    let tool = |words: &[&str]| {
        let output = Command::new(program()).args(words).current_dir(home.path()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    tool(&["lab", "run", "bare-service", "--output", "lab", "-q"]);
    let text = tool(&["report", "lab", "board", "--output", "both"]);
    let table = text.split("The same lines in the lab and on a board").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(table.contains("max, instructions") && table.contains("max, us"), "{text}");
    let rows = table.lines().filter(|row| row.starts_with("ISR ") || row.starts_with("APP ")).count();
    assert_eq!(rows, 2, "{text}");
    for unit in ["us", "instructions"] {
        let title = if unit == "us" { "in time" } else { "in executed instructions" };
        let side = text.split(&format!("Runs side by side, {title}")).nth(1).unwrap_or_else(|| panic!("{text}"));
        let rows: Vec<&str> =
            side.lines().skip(1).filter(|row| row.starts_with("lab ") || row.starts_with("board ")).collect();
        let own = |row: &&str| row.starts_with(if unit == "us" { "board " } else { "lab " }) && row.ends_with(unit);
        assert!(rows.iter().take(2).all(own), "{text}");
    }
    let page = std::fs::read_to_string(home.path().join("both/report.html")).unwrap();
    assert!(page.contains("id=\"rise-lab\"") && page.contains("id=\"rise-board\""));
}

#[test]
fn a_search_with_the_firmware_finds_the_frequency_from_which_on_the_device_loses_pulses() {
    let Some(board) = board("a_search_with_the_firmware") else { return };
    let home = tempfile::tempdir().unwrap();
    let words = ["--period", "100us", "--pulses", "6", "--saturation", "--output", "run"];
    let output = scope(home.path(), &board.path, &words).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("MF-ISR: answers all stimuli up to "), "{said}");
    let run = read(home.path());
    let [holds, fails] = ["answered", "fails_at"].map(|name| run["results"]["periods"]["isr"][name].as_u64().unwrap());
    let busy_ns = u64::from(BUSY_CYCLES) * 10;
    assert!(fails < busy_ns && busy_ns <= holds + 20 && holds - fails <= holds / 16, "{fails} {holds}");
}

#[test]
fn what_a_pico_does_wrong_is_one_line_and_exit_4() {
    let wrong = [
        (Manner::Another, "this is \"ACME,Toaster 9,0,1.0\"; expected a Raspberry Pi Pico"),
        (Manner::NewerVersion, "this is \"backwall,pico,0,2\"; expected a Raspberry Pi Pico"),
        (Manner::Refuses, "refuses \"RUN 20000,80000,10\": error not today"),
        (Manner::Silent, "no answer to *IDN? within 5 s: expected a Pico with backwall's firmware"),
        (Manner::Garbage, "no answer to *IDN? within 5 s"),
        (Manner::NoBlock, "answered EDGES? with \"no block\\n\"; expected a block of bytes"),
        (Manner::ShortBlock, "a block has 20 bytes, but its header announces 40"),
        (Manner::Spoilt, "a line changed too fast to timestamp"),
        (Manner::StandsStill, "the Pico's clock does not advance"),
        (Manner::VanishesAtOnce, "connect a Pico"),
        (Manner::VanishesLater, "connect a Pico"),
    ];
    // The tool gives up some of them only after seconds of silence, so all are started at the same time.
    let ends = |(manner, expected)| {
        let (home, played) = (tempfile::tempdir().unwrap(), Played::start(manner));
        let output = scope(home.path(), &played.path, &["--quiet"]).output().unwrap();
        let said = one_line(&output);
        assert_eq!(output.status.code(), Some(4), "{manner:?}: {said}");
        assert!(said.contains(expected), "{manner:?}: {said}");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "{manner:?} leaves nothing");
    };
    std::thread::scope(|scope| wrong.into_iter().for_each(|case| drop(scope.spawn(move || ends(case)))));
}

#[test]
fn edges_that_still_wait_when_the_pulses_are_over_are_fetched() {
    let (home, played) = (tempfile::tempdir().unwrap(), Played::start(Manner::Full));
    let pulses = FULL_PULSES.to_string();
    let output =
        scope(home.path(), &played.path, &["--period", "100us", "--pulses", &pulses, "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [due, lost, max] = ["due", "missed", "max"].map(|name| run["series"][0][name].as_u64().unwrap());
    assert_eq!((due, lost, max), (u64::from(FULL_PULSES), 0, 5_000));
}

// A search needs every edge. Fewer pulses help only if there were more edges than the Pico can store.
#[test]
fn a_search_that_loses_edges_of_few_pulses_points_at_the_wire() {
    let (home, played) = (tempfile::tempdir().unwrap(), Played::start(Manner::Rings));
    let words = ["--period", "100us", "--pulses", "10", "--saturation", "--quiet"];
    let output = scope(home.path(), &played.path, &words).output().unwrap();
    let said = one_line(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("4 edges of a burst of 10 pulses") && said.contains("ringing"), "{said}");
}

#[test]
fn edges_that_a_pico_lost_are_told_and_their_stimuli_are_not_due() {
    let (home, played) = (tempfile::tempdir().unwrap(), Played::start(Manner::Loses));
    let output = scope(home.path(), &played.path, &["--period", "100us", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let series = &run["series"][0];
    assert_eq!(
        (&series["missed"], &series["min"], &series["max"]),
        (&0.into(), &5_000.into(), &5_000.into()),
        "{series}"
    );
    assert!(series["due"].as_u64().unwrap() < 9, "{series}");
    let told = run["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|line| line["text"].as_str().unwrap().contains("Pico's buffer: 4;"));
    assert!(told, "{}", run["warnings"]);
}

#[test]
fn no_line_and_wrong_words_are_refused() {
    let home = tempfile::tempdir().unwrap();
    for (line, words, code, expected) in [
        ("/dev/none", &[][..], 4, "/dev/none: No such file or directory: connect a Pico"),
        ("/dev/null", &[], 4, "not a serial line"),
        ("/dev/none", &["--period", "15ns"], 2, "expected 100ns"),
        ("/dev/none", &["--period", "1005ns"], 2, "must be a multiple of 10 ns"),
        ("/dev/none", &["--period", "500ns"], 2, "from 1us to 1s"),
        ("/dev/none", &["--threshold", "1"], 2, "--threshold"),
        ("/dev/none", &["--generator", "tcp:a:1"], 2, "--generator"),
        ("/dev/none", &["--stimulus", "GP9"], 2, "unknown line GP9"),
    ] {
        let output = scope(home.path(), line, words).output().unwrap();
        let said = one_line(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

// The pulses would never end: after the signal the tool keeps what it has seen and tells the Pico to stop.
#[test]
fn ctrl_c_stops_a_pico_and_keeps_what_it_saw() {
    let (home, played) = (tempfile::tempdir().unwrap(), Played::start(Manner::Endless));
    let words = ["--period", "100us", "--pulses", "10000000", "--quiet", "--output", "run"];
    let mut child = scope(home.path(), &played.path, &words).stderr(Stdio::piped()).spawn().unwrap();
    assert!(played.hears("EDGES?", 4));
    // SAFETY: kill(2) of a child of ours, which was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(played.hears("STOP", 1));
    let run = read(home.path());
    assert_eq!(run["interrupted"], true);
    assert!(run["series"][0]["due"].as_u64().unwrap() >= 2, "{}", run["series"]);
}
