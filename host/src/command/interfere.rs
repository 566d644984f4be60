// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall interfere`: does the whole cost more than the sum of its parts, and who took the difference.
use crate::console::{print, watched};
use crate::exit::{Exit, unable};
use crate::interfere::outlet::Outlet;
use crate::interfere::ratio::ratio;
use crate::interfere::rounds::{Measured, measure};
use crate::interfere::{published, sieve};
use crate::options::Global;
use crate::progress::Activity;
use crate::report::interference;
use crate::session::Stop;
use serde_json::{Value, json};

/// Arguments of `backwall interfere`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rounds of each form; six are the fewest that have limits
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,
    /// Primes up to this number
    #[arg(long, value_name = "N", default_value_t = sieve::LIMIT as u32, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000_000))]
    primes: u32,
}

/// Measures every form of output that this machine has, and prints what the whole costs beside its parts.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    global.without("interfere", &["--out", "--require", "--verbose"])?;
    let stop = Stop::on_signals()?;
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for outlet in Outlet::ALL {
        if outlet == Outlet::Terminal && (global.json || global.quiet || !watched()) {
            skipped.push("terminal: none is here to write to".to_string());
            continue;
        }
        // What shows that we live would be drawn on the very terminal that is measured.
        let quiet = global.quiet || global.json || outlet == Outlet::Terminal;
        let _shown = Activity::begin(quiet, || "computing and displaying".to_string());
        match measure(outlet, args.primes as usize, args.rounds.into(), global.seed(), &|| stop.asked()) {
            Ok(measured) => all.push(measured),
            Err(error) => skipped.push(format!("{}: {error}", outlet.name())),
        }
        if stop.asked() {
            skipped.push("interrupted: what follows was not measured".to_string());
            break;
        }
    }
    if all.is_empty() {
        return Err(unable(format!("nothing could be measured: {}", skipped.join("; "))));
    }
    if global.json {
        print(&format!("{:#}\n", record(&all, &skipped)))?;
    } else if !global.quiet {
        print(&interference::text(&all, &skipped))?;
    }
    Ok(Exit::Done)
}

fn record(all: &[Measured], skipped: &[String]) -> Value {
    let one = |measured: &Measured| json!({ "measured": measured, "ratio": ratio(&measured.rounds), "published": published::published(measured.outlet) });
    json!({ "outlets": all.iter().map(one).collect::<Vec<_>>(), "skipped": skipped })
}
