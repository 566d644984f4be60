// SPDX-License-Identifier: MIT OR Apache-2.0
//! The comparison of sets of runs: how long a thousand runs take, how often it errs, and how often it finds a change.
//!
//! Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
use backwall_judge::compare::{Comparison, PlacedRun, Question, Verdict, compare};
use backwall_model::units::Unit;
use backwall_model::{Key, Origin, Plan, Run, Span};
use backwall_stats::{Block, SeriesBuilder};
use simulated::{Random, side, six_short};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

#[path = "../../crates/judge/src/compare/tests/simulated.rs"]
mod simulated;

const SEED: u64 = 0x2545_F491_4F6C_DD1D;
const QUESTION: Question = Question { effect: 0.05, seed: 1 };
const RUNS: usize = 8;
const TRIALS: usize = 100;
const TAIL: f64 = 0.002;
const MANY: usize = 500;

fn main() {
    errors();
    few_runs();
    duration().expect("a folder for temporary files, and the tool");
}

// Share of comparisons that report a change not made (in any metric), and share that find one that was made.
fn errors() {
    let mut random = Random(SEED);
    let (mut wrong, mut found) = (0, 0);
    for _ in 0..TRIALS {
        let before = side(&mut random, RUNS, TAIL, 1.0);
        let same = compare(&before, &side(&mut random, RUNS, TAIL, 1.0), &QUESTION);
        wrong += usize::from(same.rows.iter().any(|row| is_change(row.verdict)));
        let doubled = compare(&before, &side(&mut random, RUNS, 2.0 * TAIL, 1.0), &QUESTION);
        found += usize::from(finds_tail(&doubled));
    }
    let share = |count: usize| 100.0 * count as f64 / TRIALS as f64;
    let of = "simulated comparisons of 8 runs a side, 20,000 latencies each, 2 % between runs, a tail of 0.2 %";
    let told = format!("{TRIALS} {of}; wrong: any metric of an unchanged set called regressed or improved");
    print("compare: wrong verdicts", share(wrong), "%", (5.0, wrong * 20 <= TRIALS), &told);
    let told = format!("{TRIALS} {of}; found: the share beyond the runs' p99.9 called regressed");
    print("compare: doubled tail rate found", share(found), "%", (70.0, found * 10 >= TRIALS * 7), &told);
}

// Few short runs: how often a median that is 10 % larger is found, and how often a change that was not made.
fn few_runs() {
    const ENLARGED: usize = 60;
    const SAME: usize = 100;
    let mut random = Random(SEED);
    let has = |found: &Comparison, is: fn(Verdict) -> bool| found.rows.iter().any(|row| is(row.verdict));
    let mut against = |factor| compare(&six_short(&mut random, 1.0), &six_short(&mut random, factor), &QUESTION);
    let found = (0..ENLARGED).filter(|_| has(&against(1.1), |verdict| verdict == Verdict::Regressed)).count();
    let wrong = (0..SAME).filter(|_| has(&against(1.0), is_change)).count();
    let of = "simulated comparisons of 6 runs a side, 6,000 latencies each, 4 % between runs";
    let told = format!("{ENLARGED} {of}; found: 10 % more called regressed");
    print("compare: +10 % found", found as f64, "comparisons", (40.0, found >= 40), &told);
    let told = format!("{SAME} {of}; wrong: any metric of an unchanged set called regressed or improved");
    print("compare: wrong verdicts of few runs", wrong as f64, "comparisons", (3.0, wrong <= 3), &told);
}

fn is_change(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Regressed | Verdict::Improved)
}

fn finds_tail(found: &Comparison) -> bool {
    found.rows.iter().any(|row| row.metric.starts_with("beyond") && row.verdict == Verdict::Regressed)
}

// From a thousand files to the answer, by the tool as a user calls it.
fn duration() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut random = Random(SEED);
    let written = |random: &mut Random, name: &str| stored(folder.path(), name, &side(random, MANY, TAIL, 1.0));
    let (before, after) = (written(&mut random, "before")?, written(&mut random, "after")?);
    let mut command = Command::new(env!("CARGO_BIN_EXE_backwall"));
    command.arg("compare").args(before).arg("--").args(after).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(status.code(), Some(0 | 1 | 3)), "it must answer");
    let told = "500 runs a side, a series of 20,000 latencies each, from their files to the answer, by the clock";
    print("compare: 1,000 runs", seconds, "s", (10.0, seconds <= 10.0), told);
    Ok(())
}

fn stored(folder: &Path, name: &str, side: &[PlacedRun]) -> std::io::Result<Vec<PathBuf>> {
    let one = |(number, placed): (usize, &PlacedRun)| {
        let place = folder.join(format!("{name}-{number}.json"));
        std::fs::write(&place, serde_json::to_string(&placed.run)?)?;
        Ok(place)
    };
    side.iter().enumerate().map(one).collect()
}

fn print(name: &str, value: f64, unit: &str, (goal, met): (f64, bool), conditions: &str) {
    let met = if met { "yes" } else { "no" };
    println!("{name}\t{value:.1}\t{unit}\t{goal:.0}\t{met}\t-\t-\t{conditions}");
}
