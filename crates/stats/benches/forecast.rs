// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often the interval forecast for the maximum of a longer run contains that maximum, on simulated machines that are known
//! completely.
//!
//! Each trial simulates a run, forecasts the maximum of another run `TIMES` times as long, and simulates that run too.
//! Prints one line for each kind, tab-separated: name, held in percent, goal, met, refused in percent, width, conditions.
//! With `--markdown` it prints the table for `docs/evidence/forecast.md`; with `--unseen` the table of the kinds that no rule was
//! made with. With `--values=FILE`, one latency per line, each of `--parts=N` parts of a measured run forecasts the maximum of
//! the others.
#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a bench reads its options and prints")]
use simulated::{KINDS, Kind, MEASURED, Study, UNSEEN};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

#[path = "../tests/forecast/simulated.rs"]
mod simulated;

const PAIRS: usize = 2_000;
const PARTS: usize = 25;
const SEED: u64 = 51;

fn main() {
    let option = |name: &str| std::env::args().find_map(|word| Some(word.strip_prefix(name)?.to_string()));
    let number = |name: &str, usual| option(name).and_then(|text| text.parse().ok()).unwrap_or(usual);
    if let Some(file) = option("--values=") {
        return measured(&file, number("--parts=", PARTS));
    }
    let (pairs, only) = (number("--pairs=", PAIRS), option("--kind="));
    let markdown = std::env::args().any(|word| word == "--markdown");
    if markdown {
        println!("{}", simulated::HEAD);
    }
    let all: &[Kind] = if std::env::args().any(|word| word == "--unseen") { &UNSEEN } else { &KINDS };
    let kinds: Vec<_> = all.iter().filter(|kind| only.as_ref().is_none_or(|only| kind.name.contains(only))).collect();
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(vec![String::new(); kinds.len()]);
    let work = || {
        while let Some((index, kind)) =
            Some(next.fetch_add(1, Relaxed)).and_then(|index| Some((index, kinds.get(index)?)))
        {
            let study = Study::of(kind, pairs, SEED);
            lines.lock().expect("no thread panics while it holds this")[index] =
                if markdown { study.row() } else { study.line() };
        }
    };
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(work)));
    });
    for line in lines.into_inner().expect("no thread panicked") {
        println!("{line}");
    }
}

fn measured(file: &str, parts: usize) {
    let text = std::fs::read_to_string(file).expect("a file of latencies");
    let values: Vec<u64> = text.lines().map(|line| line.parse().expect("a latency a line")).collect();
    println!("{file}: {} samples, {}", values.len(), Study::of_parts(&MEASURED, &values, parts).row());
}
