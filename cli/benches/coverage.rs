// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often limits that claim 95 % enclose the truth, and how often requirements err, on machines of which all is known.
//!
//! Prints one line a figure, tab-separated: name, value, unit, goal, met, peer, peer value, conditions.
use simulated::MACHINES;

#[path = "../../crates/stats/tests/coverage/simulated.rs"]
mod simulated;

const TRIALS: u32 = 1_000;
const SAMPLES: usize = 100_000;
const SEED: u64 = 2;

fn main() {
    for machine in &MACHINES {
        let found = machine.tried(TRIALS, SAMPLES, SEED);
        let conditions = format!("{TRIALS} simulated runs of {SAMPLES} samples, {}", machine.about);
        let print = |what: &str, count, goal: &str, met: fn(f64) -> bool| {
            let share = found.percent(count);
            let met = if met(share) { "yes" } else { "no" };
            println!("coverage: {what}\t{share:.1}\t%\t{goal}\t{met}\t-\t-\t{conditions}");
        };
        if machine.drifts {
            print("drift told", found.drifted, "99", |share| share >= 99.0);
            continue;
        }
        print("limits of p99 that hold", found.covered, "93 to 97", |share| (93.0..=97.0).contains(&share));
        print("passes at the true p99", found.passed, "6", |share| share <= 6.0);
        print("failures at the true p99", found.failed, "6", |share| share <= 6.0);
        print("drift told of none", found.drifted, "1", |share| share <= 1.0);
    }
}
