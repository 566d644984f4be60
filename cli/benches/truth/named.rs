// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each kind of cause, injected and named: how many of those that made the victim late by its own clock.
use super::cause::{self, Cause};
use super::kinds::{Counts, KINDS, Kind};
use super::ledger::{self, Row};
use super::ways::{self, Answer, Asked, WAYS, Way};
use super::{Bench, figure};
use std::fmt::Write as _;
use std::fs;
use std::io::Result;
use std::path::Path;
use std::time::{Duration, Instant};

// Time for all ways to start recording, after one has; a busy machine is slow.
const SETTLED: Duration = Duration::from_secs(3);
// Its ready message, and the time limit for it.
const SAYS_SO: &str = "watched: ";
const BEGINS: Duration = Duration::from_secs(60);
// Time for a way to end, after the victim has ended.
const ENDS: Duration = Duration::from_secs(120);
const SECONDS: u64 = 3_600;
const KEPT: usize = 100;
const NEAR_NS: i64 = 1_500_000;

pub fn print_all(bench: &Bench, names: &[String]) -> Result<()> {
    let program = cause::build(&bench.out)?;
    let asked = |kind: &&Kind| names.is_empty() || names.iter().any(|name| name == kind.name);
    for kind in KINDS.iter().filter(asked) {
        let each = if kind.alone { 1 } else { WAYS.len() };
        for ways in WAYS.chunks(each) {
            one(bench, &program, kind, ways)?;
        }
    }
    Ok(())
}

fn one(bench: &Bench, program: &Path, kind: &Kind, ways: &[Way]) -> Result<()> {
    let times = (bench.times * kind.times).div_ceil(100);
    let mut cause = match Cause::start(program, kind.name, kind.group, times, &bench.out) {
        Ok(cause) => cause,
        Err(why) => {
            eprintln!("bench: {}: {why}", kind.name);
            return Ok(());
        }
    };
    let mut asked = Vec::new();
    for way in ways {
        let words = way.words(cause.thread, kind.late_us, SECONDS);
        asked.push(Asked::begin(&bench.tool, *way, &words, bench.out.join(format!("{}.{}", kind.name, way.name())))?);
    }
    let over = Instant::now() + BEGINS;
    while ways.contains(&Way::Watch)
        && Instant::now() < over
        && !asked.iter().any(|asked| asked.said().contains(SAYS_SO))
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(SETTLED);
    let from_ns = ways::now_ns();
    cause.begin();
    cause.wait();
    let over_ns = ways::now_ns();
    for asked in &asked {
        asked.signal(libc::SIGINT);
    }
    for asked in &mut asked {
        if asked.wait(ENDS).is_none() {
            eprintln!("bench: {} {} did not end", kind.name, asked.way.name());
        }
    }
    let mut seen = ledger::read(&cause.ledger, "victim")?;
    let injected = ledger::read(&cause.ledger, "culprit")?;
    let meanwhile: Vec<Row> = seen.iter().filter(|row| row.from_ns > from_ns && row.to_ns < over_ns).copied().collect();
    let late = counted(kind, &meanwhile, &injected);
    // The beginning of a run is found by matching all that the victim saw, also before the injections. With a part of it, earlier
    // responses would match later ones of the same length.
    seen.extend(&injected);
    seen.sort_by_key(|row| row.from_ns);
    for asked in &asked {
        let answers = ways::answers(&bench.tool, asked, cause.thread, kind.late_us / 2, &seen);
        judge(bench, kind, asked, &late, &answers)?;
    }
    asked.into_iter().filter(|_| !bench.keep).for_each(|asked| drop(fs::remove_dir_all(&asked.folder)));
    Ok(())
}

fn counted(kind: &Kind, seen: &[Row], injected: &[Row]) -> Vec<Row> {
    let late = seen.iter().filter(|row| row.length_ns() > kind.late_us * 1_000);
    let takes_half = |row: &Row| {
        injected.iter().any(|injected| {
            let overlap = injected.overlap_ns(row.from_ns, row.to_ns);
            let used = injected.third_ns as f64 / injected.length_ns().max(1) as f64;
            overlap as f64 * used.min(1.0) * 2.0 > row.length_ns() as f64
        })
    };
    let is_counted = |row: &&Row| match kind.counts {
        Counts::Injected => takes_half(row),
        Counts::Unhindered => row.third_ns * 5 < row.length_ns(),
        Counts::Late => true,
    };
    late.filter(is_counted).copied().collect()
}

fn told_of<'a>(row: &Row, answers: &'a [Answer]) -> Option<&'a Answer> {
    let overlap = |answer: &Answer| row.overlap_ns(answer.from_ns - NEAR_NS, answer.from_ns + answer.ns + NEAR_NS);
    let best = answers.iter().max_by_key(|answer| (overlap(answer), -(answer.from_ns - row.from_ns).abs()))?;
    let fits = overlap(best) * 2 > row.length_ns() && best.ns * 2 > row.length_ns();
    fits.then_some(best)
}

fn judge(bench: &Bench, kind: &Kind, asked: &Asked, late: &[Row], answers: &[Answer]) -> Result<()> {
    let (mut right, mut of, mut untold, mut wrong) = (0, 0, 0, String::new());
    // A run and a log keep the hundred longest; they say nothing of the others.
    let shortest_ns = answers.iter().map(|answer| answer.ns).min().unwrap_or(0);
    let is_beyond = |row: &Row| asked.way != Way::Track && answers.len() >= KEPT && row.length_ns() < shortest_ns;
    for row in late {
        let answer = told_of(row, answers);
        if answer.is_none() && (is_beyond(row) || asked.way != Way::Track && kind.counts != Counts::Injected) {
            untold += 1;
            continue;
        }
        of += 1;
        match answer {
            Some(answer) if kind.is_named(&answer.words) => right += 1,
            _ => {
                let words = answer.map_or("not told at all", |answer| &answer.words);
                let _ = writeln!(wrong, "{} {} us: {words}", row.from_ns, row.length_ns() / 1_000);
            }
        }
    }
    fs::write(bench.out.join(format!("{}.{}.wrong", kind.name, asked.way.name())), wrong)?;
    let untold = if untold > 0 { format!(", {untold} beyond the hundred longest") } else { String::new() };
    figure(
        &format!("truth.{} {}", kind.name, asked.way.name()),
        &right.to_string(),
        &format!("of {of}"),
        ">= 95 %",
        (of > 0).then_some(right * 100 >= of * 95),
        &format!("named as the largest share, of responses late by the victim's own clock{untold}"),
    );
    Ok(())
}
