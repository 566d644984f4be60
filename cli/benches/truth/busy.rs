// SPDX-License-Identifier: MIT OR Apache-2.0
//! An overloaded machine (ten times its capacity): do the ways end in time, stop when asked, and report their losses?
use super::cause::{self, Cause, Crowd, Group};
use super::ways::{Asked, WAYS, Way};
use super::{Bench, figure};
use serde_json::Value;
use std::fs;
use std::io::Result;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

// `BACKWALL_POLLERS` and `BACKWALL_PAIRS` are others: 20 of each make a load of 16 to 35 on two processors.
const POLLERS: usize = 12;
const PAIRS: usize = 8;
const SECONDS: u64 = 8;
const ENDS_S: f64 = 2.0;
const OBEYS_S: f64 = 1.0;
const TOO_LONG: Duration = Duration::from_secs(120);

pub fn print_all(bench: &Bench) -> Result<()> {
    let program = cause::build(&bench.out)?;
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (pollers, pairs) = (number("BACKWALL_POLLERS", POLLERS), number("BACKWALL_PAIRS", PAIRS));
    let _crowd = Crowd::begin(&program, pollers, pairs)?;
    let Ok(mut cause) = Cause::start(&program, "none", Group::None, 1_000_000, &bench.out) else { return Ok(()) };
    cause.begin();
    std::thread::sleep(Duration::from_secs(3));
    for way in WAYS {
        to_its_end(bench, &cause, way)?;
        obeys(bench, &cause, way)?;
    }
    Ok(())
}

fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or("?").to_string()
}

fn to_its_end(bench: &Bench, cause: &Cause, way: Way) -> Result<()> {
    let folder = bench.out.join(format!("busy.{}", way.name()));
    let mut asked = Asked::begin(&bench.tool, way, &way.words(cause.thread, 1_000, SECONDS), folder.clone())?;
    let ended = asked.wait(TOO_LONG).is_some();
    let beyond_s = asked.seconds() - SECONDS as f64;
    let conditions = format!(
        "seconds beyond the {SECONDS} that were asked for, load {}{}",
        load(),
        if ended { "" } else { "; killed" }
    );
    let name = format!("truth.busy {}", way.name());
    figure(
        &format!("{name} ends"),
        &format!("{beyond_s:.2}"),
        "s",
        &format!("<= {ENDS_S}"),
        Some(ended && beyond_s <= ENDS_S),
        &conditions,
    );
    losses(&name, &folder, way);
    if way == Way::Track {
        let begun = Instant::now();
        let done = Command::new(&bench.tool)
            .args(["blame", "--quiet"])
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(|mut child| {
                let over = Instant::now() + TOO_LONG;
                while Instant::now() < over && matches!(child.try_wait(), Ok(None)) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                let _ = child.kill();
                let _ = child.wait();
            });
        let size = fs::metadata(folder.join("trace.dat")).map_or(0, |file| file.len() / 1_000_000);
        let seconds = begun.elapsed().as_secs_f64();
        let conditions = format!("seconds for a recording of {SECONDS} s, {size} MB, load {}", load());
        let within = done.is_ok() && seconds <= SECONDS as f64 + ENDS_S;
        figure(
            "truth.busy blame ends",
            &format!("{seconds:.2}"),
            "s",
            &format!("<= {}", SECONDS as f64 + ENDS_S),
            Some(within),
            &conditions,
        );
    }
    Ok(())
}

// Losses of events in thousandths, or what a run says about its responses.
fn losses(name: &str, folder: &std::path::Path, way: Way) {
    let file = folder.join(if way == Way::Track { "summary.json" } else { "run.json" });
    let told: Value = fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let (lost, of, what) = if way == Way::Track {
        (told["lost"].as_i64(), told["events"].as_i64(), "events")
    } else {
        let series = &told["series"][0];
        (series["unseen"].as_i64().or(Some(0)), series["due"].as_i64(), "responses not seen to their end")
    };
    let (lost, of) = (lost.unwrap_or(-1), of.unwrap_or(0));
    figure(
        &format!("{name} loses"),
        &lost.to_string(),
        &format!("of {of}"),
        "< 0.1 %",
        Some(lost >= 0 && lost * 1_000 <= of),
        what,
    );
}

fn obeys(bench: &Bench, cause: &Cause, way: Way) -> Result<()> {
    let folder = bench.out.join(format!("obeys.{}", way.name()));
    let mut asked = Asked::begin(&bench.tool, way, &way.words(cause.thread, 1_000, 60), folder)?;
    std::thread::sleep(Duration::from_secs(SECONDS / 2));
    let begun = Instant::now();
    asked.signal(libc::SIGTERM);
    let ended = asked.wait(TOO_LONG).is_some();
    let seconds = begun.elapsed().as_secs_f64();
    figure(
        &format!("truth.busy {} obeys", way.name()),
        &format!("{seconds:.2}"),
        "s",
        &format!("<= {OBEYS_S}"),
        Some(ended && seconds <= OBEYS_S),
        &format!("from SIGTERM to its end, load {}", load()),
    );
    Ok(())
}
