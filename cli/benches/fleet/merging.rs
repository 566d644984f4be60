// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of many units as one run, and the memory that it takes.
use super::{print, seconds_of, tool};
use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const UNITS: usize = 10_000;

// Only one unit runs. Its result stands for all of them, with different edges, because equal edges count once.
pub fn print_all() -> Result<()> {
    let place = tempfile::tempdir()?;
    let folder = place.path();
    fs::write(folder.join("matrix.toml"), "[matrix]\nscenario = [\"bare-answer\"]\n")?;
    if tool(folder, &["lab", "batch", "plan", "matrix.toml", "--output", "many", "--quiet"]).output()?.status.code()
        != Some(0)
    {
        println!("campaign: merge\t-\ts\t<= 10\t-\t-\t-\tnot measured here: the lab does not run");
        return Ok(());
    }
    seconds_of(folder, &["lab", "batch", "run", "many", "--quiet"])?;
    let row = fs::read_to_string(folder.join("many/units.jsonl"))?;
    let key = row.split('"').nth(3).ok_or_else(|| Error::other("no key"))?.to_string();
    let units = folder.join("many/units");
    let (run, edges) = (fs::read(units.join(&key).join("run.json"))?, fs::read(units.join(&key).join("edges.bin"))?);
    let mut rows = String::new();
    for number in 0..UNITS {
        let name = format!("{number:032}");
        rows += &row.replace(&key, &name);
        fs::create_dir(units.join(&name))?;
        fs::write(units.join(&name).join("run.json"), &run)?;
        fs::write(units.join(&name).join("edges.bin"), [&edges[..], name.as_bytes()].concat())?;
    }
    fs::write(folder.join("many/units.jsonl"), rows)?;
    merged(folder)
}

fn merged(folder: &Path) -> Result<()> {
    let start = Instant::now();
    let mut child = tool(folder, &["lab", "batch", "merge", "many", "--quiet"]).stdout(Stdio::null()).spawn()?;
    let mut most_kib = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        most_kib = most_kib.max(high_water_kib(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    };
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(status.code(), Some(0 | 1)), "it must put them together: {status}");
    let told = format!("{UNITS} units of 1,000 answers each, by the clock");
    print("campaign: merge", seconds, "s", ("<= 10", seconds <= 10.0), &told);
    let mib = most_kib as f64 / 1_024.0;
    print("campaign: merge, memory", mib, "MiB", ("<= 256", mib <= 256.0), "the most that was resident of the same");
    Ok(())
}

fn high_water_kib(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|row| row.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}
