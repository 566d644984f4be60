// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether what the tool says is true: injected causes, responses that nobody delayed on purpose, lost events, and an overloaded
//! machine. The truth is what victims and culprits saw by their own clocks, and a second reader of the recordings.
//!
//! Prints one tab-separated line per figure: name, value, unit, goal, met, peer, peer value, conditions. With names, only those
//! parts, as `cargo bench --bench truth -- named slack ppoll`. Run as root, on at least two CPUs. `BACKWALL` is another build of
//! the tool, `BACKWALL_TIMES` the number of injections of each cause (40).
mod busy;
mod cause;
mod kinds;
mod ledger;
mod losses;
mod named;
mod natural;
mod raw;
mod ways;

use std::io::Result;
use std::path::PathBuf;

pub struct Bench {
    pub tool: PathBuf,
    pub out: PathBuf,
    pub times: usize,
    pub keep: bool,
}

fn main() -> Result<()> {
    let number =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let tool = std::env::var_os("BACKWALL").unwrap_or_else(|| env!("CARGO_BIN_EXE_backwall").into());
    let out = PathBuf::from(
        std::env::var_os("BACKWALL_OUT")
            .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../target/bench/truth").into()),
    );
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(&out)?;
    let bench =
        Bench { tool: tool.into(), out, times: number("BACKWALL_TIMES", 40), keep: number("BACKWALL_KEEP", 0) > 0 };
    // Cargo adds an option of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (part, names) = words.split_first().map_or(("", &[][..]), |(part, names)| (part.as_str(), names));
    if part.is_empty() || part == "named" {
        named::print_all(&bench, names)?;
    }
    if part.is_empty() || part == "natural" {
        natural::print_all(&bench)?;
    }
    if part.is_empty() || part == "losses" {
        losses::print_all(&bench)?;
    }
    if part.is_empty() || part == "busy" {
        busy::print_all(&bench)?;
    }
    Ok(())
}

fn figure(name: &str, value: &str, unit: &str, goal: &str, met: Option<bool>, conditions: &str) {
    let met = met.map_or("-", |met| if met { "yes" } else { "no" });
    println!("{name}\t{value}\t{unit}\t{goal}\t{met}\t-\t-\t{conditions}");
}
