// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of a guest: runs sets with the tool, and prints what was predicted and measured of each task.
use super::sets::{RandomSet, random};
use backwall_model::{Picture, Run};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;

const SET: &str = "/tmp/set.toml";
const LENGTH: &str = "300ms";

pub fn run() -> ! {
    for (kind, place) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp")] {
        mount(kind, place);
    }
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    for number in numbers {
        if let Err(what) = one(number) {
            println!("FAULT set {number}: {what}");
        }
        println!("\nDONE {number}");
    }
    // SAFETY: nothing is mounted that would lose anything.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    unreachable!("the guest is off")
}

fn mount(kind: &str, place: &str) {
    let (kind, place) = (CString::new(kind).expect("no zero"), CString::new(place).expect("no zero"));
    // SAFETY: the texts live through the call; no data is passed.
    unsafe { libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
}

fn one(number: u64) -> Result<(), String> {
    let RandomSet { text, load } = random(number);
    std::fs::write(SET, text).map_err(|error| error.to_string())?;
    tool(&["tasks", "run", SET, "-D", LENGTH, "--load", load, "--trace", "--keep-samples", "-q", "-o", "/tmp/first"])?;
    tool(&["tasks", "run", SET, "-D", LENGTH, "--load", load, "--seed", "2", "-q", "-o", "/tmp/second"])?;
    let afterwards = responses("/tmp/second")?;
    rows("own", number, &tool(&["tasks", "predict", "--from", "/tmp/first", "--json"])?, &afterwards)?;
    rows("set", number, &tool(&["tasks", "predict", SET, "--from", "/tmp/first", "--json"])?, &afterwards)?;
    ["/tmp/first", "/tmp/second"].iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    Ok(())
}

// Exit code 1: a deadline is or can be missed. Exit code 3: the analysis does not decide. Both are results.
fn tool(words: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new("/bin/backwall").env("PATH", "/bin").env("HOME", "/root").args(words).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.code() {
        Some(0 | 1 | 3) => Ok(output.stdout),
        code => Err(format!("{words:?}: {code:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn responses(folder: &str) -> Result<BTreeMap<String, u64>, String> {
    let run = std::fs::read(Path::new(folder).join("run.json")).map_err(|error| error.to_string())?;
    let run: Run = serde_json::from_slice(&run).map_err(|error| error.to_string())?;
    assert!(run.pictures.iter().any(|picture| matches!(picture, Picture::TaskSet(_))), "a run of a set");
    let responses = run.series.iter().filter(|series| series.key.name == "response");
    Ok(responses.filter_map(|series| Some((series.key.variant["task"].clone(), series.max?))).collect())
}

fn rows(way: &str, number: u64, json: &[u8], afterwards: &BTreeMap<String, u64>) -> Result<(), String> {
    let found: serde_json::Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let recording = found.get("recording").unwrap_or(&found);
    let cpus = recording["cpus"].as_array().ok_or("no cpus")?;
    for task in cpus.iter().filter_map(|cpu| cpu["tasks"].as_array()).flatten() {
        let name = task["name"].as_str().ok_or("no name")?;
        // All others are threads of the kernel.
        let Some(after) = afterwards.get(name) else { continue };
        // The second run counts from the nominal release, as a set does. The threads of a recording count from their
        // wakeups.
        let after = if way == "set" { after.to_string() } else { "-".to_string() };
        let (predicted, measured) = (task["predicted_ns"].as_u64(), task["measured"]["longest_ns"].as_u64());
        match (predicted, measured) {
            (Some(predicted), Some(measured)) => println!("ROW {way} {number} {name} {predicted} {measured} {after}"),
            _ => println!("FAULT set {number}: {way}: {name} has {predicted:?} predicted, {measured:?} measured"),
        }
    }
    Ok(())
}
