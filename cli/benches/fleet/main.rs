// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fleets, publishing and merging at the sizes that they are made for, by the tool as a user calls it.
//!
//! Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions. With names of its parts those alone,
//! as `cargo bench --bench fleet -- merging`.
mod made;
mod merging;
mod steps;

use made::{Runs, Spool};
use std::fs;
use std::io::Result;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const DEVICES: usize = 200;
const RUNS: usize = 100;
// Runs that a site has before one more is published.
const PUBLISHED: usize = 10_000;
const PUSHING: usize = 500;
const MINUTES: usize = 3;

type Part = (&'static str, fn(&Path) -> Result<()>);

fn main() -> Result<()> {
    let place = tempfile::tempdir()?;
    let parts: [Part; 5] = [
        ("steps", |_| {
            steps::print_all();
            Ok(())
        }),
        ("merging", |_| merging::print_all()),
        ("page", page),
        ("site", site),
        ("pushes", pushes),
    ];
    // Cargo adds an option of its own.
    let named: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let asked = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    parts.iter().filter(|(name, _)| asked(name)).try_for_each(|(_, make)| make(place.path()))
}

fn seconds_of(folder: &Path, words: &[&str]) -> Result<f64> {
    let start = Instant::now();
    let output = tool(folder, words).stdout(Stdio::null()).output()?;
    let seconds = start.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
    Ok(seconds)
}

fn tool(folder: &Path, words: &[&str]) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
    tool.args(words).current_dir(folder);
    tool
}

fn print(name: &str, value: f64, unit: &str, (goal, met): (&str, bool), conditions: &str) {
    let met = if met { "yes" } else { "no" };
    println!("{name}\t{value:.2}\t{unit}\t{goal}\t{met}\t-\t-\t{conditions}");
}

fn page(folder: &Path) -> Result<()> {
    let mut runs = Runs::new(6);
    let mut spool = Spool::create(&folder.join("spool"))?;
    for device in 0..DEVICES {
        for hour in 0..RUNS {
            spool.push(&format!("device-{device:03}"), &runs.at(hour))?;
        }
    }
    let told = format!("{DEVICES} devices with {RUNS} runs of six series each, by the clock");
    let kept = seconds_of(folder, &["fleet", "import", "spool", "--output", "fleet", "--quiet"])?;
    println!("fleet: import\t{kept:.2}\ts\t-\t-\t-\t-\t{told}");
    let seconds = seconds_of(folder, &["fleet", "report", "fleet", "--quiet"])?;
    print("fleet: report", seconds, "s", ("<= 10", seconds <= 10.0), &told);
    fs::remove_dir_all(folder.join("spool"))?;
    fs::remove_dir_all(folder.join("fleet"))
}

// One more run in a site that has many, and all of them at once before that.
fn site(folder: &Path) -> Result<()> {
    let mut runs = Runs::new(2);
    for number in 0..=PUBLISHED {
        made::store(&folder.join(format!("runs/{number}")), &runs.at(24 * number))?;
    }
    fs::rename(folder.join(format!("runs/{PUBLISHED}")), folder.join("one"))?;
    let all = seconds_of(folder, &["export", "site", "runs", "-o", "table", "--quiet"])?;
    println!("publish: all at once\t{all:.2}\ts\t-\t-\t-\t-\t{PUBLISHED} runs of two series each, by the clock");
    let seconds = seconds_of(folder, &["export", "site", "one", "-o", "table", "--quiet"])?;
    let told = format!("one more run, its page and the index of {PUBLISHED} runs of two series each, by the clock");
    print("publish: one more", seconds, "s", ("<= 2", seconds <= 2.0), &told);
    ["runs", "one", "table"].iter().try_for_each(|name| fs::remove_dir_all(folder.join(name)))
}

// Many devices push into one folder while it is read: each minute's runs must be stored before the next minute.
fn pushes(folder: &Path) -> Result<()> {
    let (spool, mut runs) = (folder.join("spool"), Runs::new(2));
    let ready = folder.join("ready");
    let mut waiting = Spool::create(&ready)?;
    for minute in 0..MINUTES {
        for device in 0..PUSHING {
            waiting.push(&format!("device-{device:03}"), &runs.at(minute))?;
        }
    }
    fs::create_dir(&spool)?;
    let import = ["fleet", "import", "spool", "--output", "fleet", "--remove", "--quiet"];
    let start = Instant::now();
    for minute in 0..MINUTES {
        let mut pushing: Vec<Child> = (0..2).map(|half| push(&ready, &spool, minute, half)).collect::<Result<_>>()?;
        // As a timer calls it, also while they push.
        seconds_of(folder, &import)?;
        for child in &mut pushing {
            assert!(child.wait()?.success());
        }
        seconds_of(folder, &import)?;
    }
    let seconds = start.elapsed().as_secs_f64() / MINUTES as f64;
    let kept = made::runs_of(&folder.join("fleet"))?;
    let lost = (PUSHING * MINUTES).saturating_sub(kept) as f64;
    let told = format!("{PUSHING} devices push {MINUTES} times, while their folder is read; {kept} runs are kept");
    print("fleet: lost pushes", lost, "runs", ("0", lost == 0.0), &told);
    print("fleet: a minute's pushes", seconds, "s", ("<= 60", seconds <= 60.0), &told);
    Ok(())
}

const DIGITS: [&str; 2] = ["02468", "13579"];

// Half of the devices, as the script of each does: copied under another name, then renamed.
fn push(from: &Path, to: &Path, minute: usize, half: usize) -> Result<Child> {
    let script = "for device in \"$1\"/*[$4]; do name=${device##*/}; mkdir -p \"$2/$name\"; \
         cp -r \"$device/$3\" \"$2/$name/.$3\" && mv \"$2/$name/.$3\" \"$2/$name/$3\" || exit 1; done";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).args([from, to]).args([minute.to_string(), DIGITS[half].to_string()]).spawn()
}
