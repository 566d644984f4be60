// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often `steps` reports a step in a history without one, and in a history with one.
use super::print;
use backwall_stats::step::steps;

const SAME: u64 = 2_000;
const PLANTED: u64 = 200;
// How much the runs of a row differ, of themselves.
const SPREAD: f64 = 0.05;

// A generator of known quality is not needed here; one that repeats is.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn row(&mut self, runs: usize, level: f64) -> Vec<f64> {
        let mut normal = || (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos();
        (0..runs).map(|_| level * (SPREAD * normal()).exp()).collect()
    }
}

pub fn print_all() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let alarms = (0..SAME).filter(|seed| !steps(&random.row(80, 100.0), *seed).is_empty()).count();
    let told = format!(
        "{SAME} rows of 80 runs that differ by 5 %; two are to be expected, more than six come with a chance of 1 in 200"
    );
    print("fleet: false steps", 1_000.0 * alarms as f64 / SAME as f64, "of 1,000", ("<= 1", alarms <= 6), &told);
    let found = |random: &mut Random, seed: u64| {
        let row = [random.row(40, 100.0), random.row(40, 110.0)].concat();
        steps(&row, seed).iter().any(|step| step.at.abs_diff(40) <= 10)
    };
    let found = (0..PLANTED).filter(|seed| found(&mut random, *seed)).count();
    let told = format!("{PLANTED} rows: two nights of twenty runs each, then two with 10 % more; runs differ by 5 %");
    print("fleet: planted steps found", found as f64, "of 200", (">= 190", found >= 190), &told);
}
