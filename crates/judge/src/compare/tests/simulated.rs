// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of a simulated machine whose figures are known, for the tests of the comparison and for its benchmark.
use super::{Block, Key, Origin, PlacedRun, Plan, Run, SeriesBuilder, Span, Unit};
use jiff::Timestamp;

// To simulate latencies, the random numbers must repeat, but their quality matters little.
pub struct Random(pub u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

// 20,000 latencies: a lognormal body around 20 us, and a share of exponential ones of 100 us more.
pub fn simulated(random: &mut Random, tail: f64, factor: f64) -> Run {
    // Between runs the body itself moves by 2 %.
    of_samples(random, (20_000, 0.02), tail, factor)
}

// As [`simulated`], with this many samples and this shift between runs.
pub fn of_samples(random: &mut Random, (samples, spread): (u64, f64), tail: f64, factor: f64) -> Run {
    let run = (spread * random.normal()).exp() * factor;
    let mut one = || {
        let body = 20_000.0 * run * (0.1 * random.normal()).exp();
        let more = if random.uniform() < tail { -100_000.0 * random.uniform().ln() } else { 0.0 };
        (body + more) as u64
    };
    let value: Vec<u64> = (0..samples).map(|_| one()).collect();
    let seq: Vec<u64> = (0..samples).collect();
    let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
    builder.samples(Block { seq: &seq, at: &seq, value: &value, late: 0 });
    let mut made = Run::begin(Origin::Simulated, Plan::default(), vec!["test".into()], Timestamp::UNIX_EPOCH);
    made.series.push(builder.build());
    made
}

pub fn side(random: &mut Random, runs: usize, tail: f64, factor: f64) -> Vec<PlacedRun> {
    (0..runs).map(|number| PlacedRun { place: number.to_string(), run: simulated(random, tail, factor) }).collect()
}

// Six runs of 6,000 samples, whose medians differ by some percent from run to run.
pub fn six_short(random: &mut Random, factor: f64) -> Vec<PlacedRun> {
    let one =
        |number: usize| PlacedRun { place: number.to_string(), run: of_samples(random, (6_000, 0.04), 0.002, factor) };
    (0..6).map(one).collect()
}
