// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope --generator … --scope …` against a bench that is simulated down to the words on the wire.
mod simulator;

use serde_json::Value;
use simulator::{Bench, Manner};
use std::path::Path;
use std::process::{Command, Output, Stdio};

// The device answers after 5 us, is busy for 40 us per pulse and loses earlier pulses, so its maximum is 25 kHz.
const BUSY_NS: u64 = 40_000;

fn scope(folder: &Path, bench: &Bench, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    let addresses = [bench.generator(), bench.scope()];
    command.args(["scope", "--generator", &addresses[0], "--scope", &addresses[1]]);
    command.args(["--stimulus", "CH1", "--response", "app=CH2"]).args(words).current_dir(folder);
    command
}

fn one_line(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn a_burst_becomes_a_run_and_the_output_is_off_again() {
    let (home, bench) = (tempfile::tempdir().unwrap(), Bench::start(Manner::Good, BUSY_NS));
    let output = scope(home.path(), &bench, &["--period", "100us", "--pulses", "12", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    let series = &run["series"][0];
    let [due, lost, min, max] = ["due", "missed", "min", "max"].map(|name| series[name].as_u64().unwrap());
    assert_eq!((due, lost, &series["name"], &series["to"]), (12, 0, &"app".into(), &"CH2".into()), "{series}");
    // The record has 2,500 points on 2 ms: an edge is known to a point.
    assert!((4_200..=5_800).contains(&min) && (4_200..=5_800).contains(&max), "{min} {max}");
    assert_eq!(run["origin"], "measured");
    assert!(!bench.output_is_on() && bench.said().contains(&"OUTP ON".to_string()));
}

#[test]
fn a_search_finds_the_frequency_from_which_on_the_device_loses_pulses() {
    let (home, bench) = (tempfile::tempdir().unwrap(), Bench::start(Manner::Good, BUSY_NS));
    let words = ["--period", "200us", "--pulses", "8", "--saturation", "--output", "run"];
    let output = scope(home.path(), &bench, &words).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("MF-APP: answers all stimuli up to "), "{said}");
    let run: Value = serde_json::from_slice(&std::fs::read(home.path().join("run/run.json")).unwrap()).unwrap();
    let [holds, fails] = ["answered", "fails_at"].map(|name| run["results"]["periods"]["app"][name].as_u64().unwrap());
    assert!(fails < BUSY_NS && BUSY_NS <= holds && holds - fails <= holds / 16, "{fails} {holds}");
    assert!(!bench.output_is_on());
}

#[test]
fn what_an_instrument_does_wrong_is_one_line_and_exit_4() {
    for (manner, expected) in [
        (Manner::AnotherGenerator, "this is \"ACME,Toaster 9,0,1.0\"; expected an Agilent or Keysight generator"),
        (Manner::AnotherScope, "this is \"ACME,Toaster 9,0,1.0\"; expected a Tektronix oscilloscope"),
        (Manner::RefusesFrequency, "refuses \"FREQ 1000.000000\": -222,\"Data out of range\""),
        (Manner::Silent, "no answer to *IDN? within 5 s"),
        (Manner::HangsUp, "switch the instrument on"),
        (Manner::SeesTwice, "the oscilloscope saw 20 of 10 pulses on CH1"),
        (Manner::NoCurve, "answered CURVE? with"),
        (Manner::CutCurve, "the curve has 2500 bytes, but its preamble announces 2500 points"),
        (Manner::Mumbles, "no answer to *IDN? within 5 s"),
        (Manner::Floods, "expected a short line"),
    ] {
        let (home, bench) = (tempfile::tempdir().unwrap(), Bench::start(manner, BUSY_NS));
        let output = scope(home.path(), &bench, &["--quiet"]).output().unwrap();
        let said = one_line(&output);
        assert_eq!(output.status.code(), Some(4), "{manner:?}: {said}");
        assert!(said.contains(expected), "{manner:?}: {said}");
        assert!(!bench.output_is_on(), "{manner:?}");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "{manner:?} leaves nothing");
    }
}

#[test]
fn nobody_there_and_wrong_words_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_backwall")).arg("scope").args(words).current_dir(home.path()).output();
        let output = output.unwrap();
        (output.status.code(), one_line(&output))
    };
    let lines = ["--stimulus", "CH1", "--response", "CH2"];
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(); // closed again
    let address = format!("tcp:{nobody}");
    let (code, said) = run(&[&["--generator", &address, "--scope", &address][..], &lines].concat());
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("switch the instrument on"), "{said}");
    for (words, expected) in [
        (&["--generator", "10.0.0.1", "--scope", "tcp:a:1"][..], "expected tcp:HOST:PORT"),
        (&["--generator", "tcp:a:1"], "--scope"),
        (&["--generator", &address, "--scope", &address, "--period", "50ns"], "expected 100ns to 1s (100ns: shortest"),
        (&["a.vcd", "--period", "1ms"], "--generator"),
        (&["--generator", &address, "--scope", &address, "--stimulus", "CH9"], "unknown line CH9"),
    ] {
        let (code, said) = run(words);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(expected), "{words:?}: {said}");
    }
}

// The search is long; measurements before the signal are kept.
#[test]
fn ctrl_c_switches_the_output_off_and_keeps_what_was_measured() {
    let (home, bench) = (tempfile::tempdir().unwrap(), Bench::start(Manner::Slow, BUSY_NS));
    let words = ["--period", "200us", "--saturation", "--quiet", "--output", "run"];
    let mut child = scope(home.path(), &bench, &words).stderr(Stdio::piped()).spawn().unwrap();
    bench.wait_for_bursts(3);
    // SAFETY: kill(2) of a child of ours, which was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!bench.output_is_on());
    let run: Value = serde_json::from_slice(&std::fs::read(home.path().join("run/run.json")).unwrap()).unwrap();
    assert_eq!((&run["interrupted"], &run["series"][0]["due"]), (&true.into(), &10.into()));
}
