// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands that the tool runs in the guest, and their expected results.
use super::inside;
use std::path::Path;

pub struct Case {
    pub name: &'static str,
    pub arguments: Vec<&'static str>,
    pub meanwhile: Option<fn()>,
    pub code: i32,
    pub cpus: &'static [u32],
    // Texts that the output must contain.
    pub says: &'static [&'static str],
    // Loads, each with the least number of responses that must be matched in the trace.
    pub traced: &'static [(&'static str, u32)],
}

const QUIET: Case =
    Case { name: "", arguments: Vec::new(), meanwhile: None, code: 0, cpus: &[], says: &[], traced: &[] };

const SHORT: [&str; 9] = ["run", "--load", "none", "--idle", "as-is", "-i", "4ms", "--for", "600ms"];

pub fn wanted(traced: bool) -> Vec<Case> {
    let short = |more: &[&'static str]| [&SHORT, more].concat();
    let mut cases = vec![
        Case {
            name: "usual",
            arguments: short(&[]),
            cpus: &[2],
            says: &["measuring CPU 2, which is isolated (2, 3); --cpu chooses another"],
            ..QUIET
        },
        Case { name: "isolated", arguments: short(&["--cpu", "isolated"]), cpus: &[2, 3], ..QUIET },
        Case { name: "all", arguments: short(&["--cpu", "all"]), cpus: &[0, 1, 2, 3], ..QUIET },
        Case { name: "range", arguments: short(&["--cpu", "2-3"]), cpus: &[2, 3], ..QUIET },
        Case { name: "beyond", arguments: short(&["--cpu", "4"]), code: 4, says: &["CPU 4 cannot be used"], ..QUIET },
        Case { name: "check", arguments: vec!["check"], says: &["CPU 2"], ..QUIET },
        Case {
            name: "unplugged",
            arguments: vec!["run", "--cpu", "2-3", "--load", "none", "--idle", "as-is", "-i", "4ms", "--for", "12s"],
            meanwhile: Some(inside::unplug),
            cpus: &[2, 3],
            says: &["EVIDENCE false", "the measured thread was moved off CPU 3"],
            ..QUIET
        },
    ];
    // The load stays on the measured processor: four spinning threads would leave the host no time for the emulated fourth
    // processor.
    let phases = ["--load", "none", "--load", "spin", "--idle", "as-is", "-i", "2ms", "--for", "20s"];
    let long = |cpu: &'static str| [&["run", "--cpu", cpu, "--load-cpu", cpu], &phases[..]].concat();
    let looked_for: &[(&str, u32)] = &[("none", 1_000), ("spin", 1_000)];
    if traced {
        cases.push(Case { name: "traced-isolated", arguments: long("2"), cpus: &[2, 2], traced: looked_for, ..QUIET });
        cases.push(Case {
            name: "traced-housekeeping",
            arguments: long("1"),
            cpus: &[1, 1],
            traced: looked_for,
            ..QUIET
        });
    }
    cases
}

// Panics with the guest's output if a case has another result.
pub fn check(kernel: &Path, cases: &[Case], said: &str) {
    let place = kernel.display();
    let found: Vec<&str> = said.split("\nCASE ").skip(1).collect();
    assert_eq!(found.len(), cases.len() + 1, "{place}: the guest did not come to its end:\n{said}");
    for (case, text) in cases.iter().zip(found) {
        let head = format!("{} {} ", case.name, case.code);
        assert!(text.starts_with(&head), "{place}: {head} is expected:\n{text}");
        case.says.iter().for_each(|what| assert!(text.contains(what), "{place}: {what:?} is expected:\n{text}"));
        let mut cpus: Vec<u32> = numbers(text, "SERIES cpu=");
        cpus.sort_unstable();
        assert_eq!(cpus, case.cpus, "{place}: {text}");
        println!("guest: {place}: CASE {}", text.lines().next().unwrap_or_default());
        case.traced.iter().for_each(|(load, least)| seen_whole(kernel, text, load, *least));
    }
}

// At least 999 of 1,000 responses under a load must be complete in the trace.
fn seen_whole(kernel: &Path, text: &str, load: &str, least: u32) {
    let line = text.lines().find(|line| line.starts_with(&format!("STAGES load={load} ")));
    let line = line.unwrap_or_else(|| panic!("{}: no stages under the load {load}: {text}", kernel.display()));
    println!("guest: {}: {line}", kernel.display());
    let number = |name: &str| numbers(line, name)[0];
    let (matched, unmatched) = (number(" matched="), number(" unmatched="));
    assert!(matched + unmatched >= least, "{text}");
    assert!(u64::from(unmatched) * 1_000 <= u64::from(matched + unmatched), "{text}");
}

fn numbers(text: &str, word: &str) -> Vec<u32> {
    text.match_indices(word)
        .filter_map(|(at, _)| {
            text[at + word.len()..].split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        })
        .collect()
}
