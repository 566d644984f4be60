// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that are lost while a thread changes its processor: no maximum above what the thread's own clock has.
use super::cause::{self, Cause, Crowd, Group};
use super::ledger;
use super::ways::{self, Asked, Way};
use super::{Bench, figure};
use serde_json::Value;
use std::fs;
use std::io::Result;
use std::path::Path;
use std::time::Duration;

// Pause of the recorder, and its work before and after.
const STANDS: Duration = Duration::from_secs(1);
const WORKS: Duration = Duration::from_millis(1_500);
const SECONDS: u64 = 4;
// The clock reading comes some time after the switch to the thread, never before it.
const NEAR_NS: i64 = 50_000;

struct Found {
    way: &'static str,
    max_ns: i64,
    own_ns: i64,
    lost: i64,
    says_so: bool,
    sums: bool,
}

// A run for each quarter of the requested injections, or a hundred.
pub fn print_all(bench: &Bench) -> Result<()> {
    let program = cause::build(&bench.out)?;
    let _crowd = Crowd::begin(&program, 2, 4)?;
    let runs = if bench.times >= 100 { 100 } else { bench.times };
    let mut found = Vec::new();
    for run in 0..runs {
        found.extend(one(bench, &program, if run % 3 == 2 { Way::Watch } else { Way::Attach })?);
    }
    let invented: Vec<&Found> = found.iter().filter(|found| found.max_ns > found.own_ns + NEAR_NS).collect();
    let told: String = found
        .iter()
        .map(|found| {
            format!("{} {} us, own {} us, lost {}\n", found.way, found.max_ns / 1_000, found.own_ns / 1_000, found.lost)
        })
        .collect();
    fs::write(bench.out.join("losses.log"), told)?;
    let with_losses: Vec<&Found> = found.iter().filter(|found| found.lost > 0).collect();
    let conditions = format!(
        "runs of attach and watch whose recorder stood still for 1 s while the thread was moved each 30 to 50 ms; {} of them lost events",
        with_losses.len()
    );
    let of = |count: usize| format!("of {count}");
    figure(
        "truth.losses invented",
        &invented.len().to_string(),
        &of(found.len()),
        "0",
        Some(invented.is_empty()),
        &conditions,
    );
    let silent = with_losses.iter().filter(|found| !found.says_so).count();
    figure(
        "truth.losses silent",
        &silent.to_string(),
        &of(with_losses.len()),
        "0",
        Some(silent == 0),
        "runs that lost events and did not say so before their maximum",
    );
    let open = found.iter().filter(|found| !found.sums).count();
    figure(
        "truth.losses sum",
        &open.to_string(),
        &of(found.len()),
        "0",
        Some(open == 0),
        "runs whose due is not done + lost",
    );
    Ok(())
}

fn one(bench: &Bench, program: &Path, way: Way) -> Result<Option<Found>> {
    let Ok(mut cause) = Cause::start(program, "roam", Group::None, 1_000_000, &bench.out) else { return Ok(None) };
    cause.begin();
    let folder = bench.out.join("losses.run");
    let _ = fs::remove_dir_all(&folder);
    let words: Vec<String> =
        way.words(cause.thread, 1_000, SECONDS).into_iter().filter(|word| word != "--quiet").collect();
    let mut asked = Asked::begin(&bench.tool, way, &words, folder.clone())?;
    std::thread::sleep(WORKS);
    asked.signal(libc::SIGSTOP);
    std::thread::sleep(STANDS);
    asked.signal(libc::SIGCONT);
    asked.wait(Duration::from_secs(120));
    let over_ns = ways::now_ns();
    let own_ns = ledger::read(&cause.ledger, "victim")?
        .iter()
        .filter(|row| row.to_ns < over_ns)
        .map(|row| row.length_ns())
        .max();
    let run: Value = fs::read(folder.join("run.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let Some(series) = run["series"].get(0) else { return Ok(None) };
    let number = |name: &str| series[name].as_i64().unwrap_or(0);
    let lost = run["stages"].as_array().into_iter().flatten().filter_map(|stages| stages["events_lost"].as_i64()).sum();
    let said = asked.said();
    // `watch` has a line a second before its answer, each with its time; progress has the tool's name.
    let answer = said.lines().filter(|line| !line.starts_with(char::is_numeric) && !line.starts_with("backwall: "));
    let first: Vec<&str> = answer.take_while(|line| !line.starts_with("maximum ")).collect();
    Ok(Some(Found {
        way: way.name(),
        max_ns: number("max"),
        own_ns: own_ns.unwrap_or(0),
        lost,
        says_so: first.iter().any(|line| line.contains("lost") || line.contains("not seen")),
        sums: number("due") == number("done") + number("missed") + series["unseen"].as_i64().unwrap_or(0),
    }))
}
