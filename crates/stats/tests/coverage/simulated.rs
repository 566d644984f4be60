// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated machines that are known completely: how their responses depend on each other, and their true quantiles.
//!
//! The host's bench uses the same machines with more trials.
use backwall_model::units::Unit;
use backwall_model::{Key, Outcome, Series, Span};
use backwall_stats::claim::Claim;
use backwall_stats::quantile::{Distribution, Level};
use backwall_stats::random::SplitMix;
use backwall_stats::{Block, SeriesBuilder, dependence, drift};
use std::f64::consts::TAU;

pub struct Machine {
    // Description of the responses, for the printed table.
    pub about: &'static str,
    respond: fn(&mut SplitMix, usize) -> Vec<f64>,
    // The share of all responses that are larger than the argument.
    beyond: fn(f64) -> f64,
    // Whether the responses drift during a run, so that the method must refuse.
    pub drifts: bool,
}

pub static MACHINES: [Machine; 9] = [
    Machine { about: "independent", respond: independent, beyond: exponential, drifts: false },
    Machine { about: "clusters of 5", respond: maxima, beyond: of_maxima, drifts: false },
    Machine {
        about: "clusters of geometric sizes, 5 on average",
        respond: geometric,
        beyond: exponential,
        drifts: false,
    },
    Machine { about: "clusters of 1, 2, 5 and 10", respond: many_sizes, beyond: exponential, drifts: false },
    Machine {
        about: "bursts of 10, each response of its own size",
        respond: bursts_of_10,
        beyond: of_bursts_of_10,
        drifts: false,
    },
    Machine { about: "bursts of 5 to 15", respond: bursts, beyond: of_bursts, drifts: false },
    Machine { about: "each 0.9 times the one before and a new part", respond: slow, beyond: normal, drifts: false },
    Machine { about: "twice as late at the end, shuffled", respond: shuffled, beyond: of_drift, drifts: false },
    Machine { about: "twice as late at the end, in order", respond: drifting, beyond: of_drift, drifts: true },
];

#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    pub trials: u32,
    // Trials whose limits for p99 enclosed the true value.
    pub covered: u32,
    // Requirements at the true p99 that passed.
    pub passed: u32,
    // Requirements at the true p99 that failed.
    pub failed: u32,
    pub drifted: u32,
}

impl Found {
    pub fn percent(&self, count: u32) -> f64 {
        100.0 * f64::from(count) / f64::from(self.trials)
    }
}

impl Machine {
    // This many runs of this many samples each; the same seed gives the same runs.
    pub fn tried(&self, trials: u32, samples: usize, seed: u64) -> Found {
        let mut random = SplitMix(seed);
        let level = Level::of_percent("99").expect("a level");
        let truth = stored(self.quantile(level.beyond()));
        let mut found = Found { trials, ..Found::default() };
        for _ in 0..trials {
            let series = series_of(&(self.respond)(&mut random, samples));
            let limits = Distribution::of(&series).quantile(level);
            let covered = limits.low.is_none_or(|low| low <= truth) && limits.high.is_none_or(|high| truth <= high);
            let outcome = required(&series, level, truth);
            found.covered += u32::from(covered);
            found.passed += u32::from(outcome == Outcome::Pass);
            found.failed += u32::from(outcome == Outcome::Fail);
            found.drifted += u32::from(drift::of(&series).is_some());
        }
        found
    }

    fn quantile(&self, share: f64) -> f64 {
        let (mut low, mut high) = (-100.0, 1_000.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if (self.beyond)(middle) > share { low = middle } else { high = middle }
        }
        low
    }
}

fn required(series: &Series, level: Level, limit: u64) -> Outcome {
    let distribution = Distribution::of(series);
    let claim = Claim {
        allowed: level.beyond(),
        samples: distribution.samples(),
        exceeding: distribution.at_or_beyond(limit),
        confidence: 0.95,
        independent: dependence::of(series, level.beyond()).independent_share(),
    };
    claim.outcome()
}

// As an integer; the unit is so small that rounding does not matter.
fn stored(value: f64) -> u64 {
    ((value + 100.0) * 1e6) as u64
}

fn series_of(values: &[f64]) -> Series {
    let seq: Vec<u64> = (0..values.len() as u64).collect();
    let at: Vec<u64> = seq.iter().map(|seq| seq * 1_000_000).collect();
    let value: Vec<u64> = values.iter().map(|value| stored(*value)).collect();
    let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
    builder.samples(Block { seq: &seq, at: &at, value: &value, late: 0 });
    builder.build()
}

fn uniform(random: &mut SplitMix) -> f64 {
    ((random.number() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

// A random number, exponentially distributed with mean 1.
fn one(random: &mut SplitMix) -> f64 {
    -uniform(random).ln()
}

fn exponential(value: f64) -> f64 {
    (-value.max(0.0)).exp()
}

fn independent(random: &mut SplitMix, count: usize) -> Vec<f64> {
    (0..count).map(|_| one(random)).collect()
}

// Each number is the maximum of the last five of a series of independent numbers, so a large one appears five times.
fn maxima(random: &mut SplitMix, count: usize) -> Vec<f64> {
    let row = independent(random, count + 4);
    row.windows(5).map(|last| last.iter().copied().fold(0.0, f64::max)).collect()
}

fn of_maxima(value: f64) -> f64 {
    1.0 - (1.0 - exponential(value)).powi(5)
}

fn held(random: &mut SplitMix, count: usize, size: fn(&mut SplitMix) -> usize) -> Vec<f64> {
    let mut values = Vec::with_capacity(count + 100);
    while values.len() < count {
        let (size, value) = (size(random), one(random));
        values.extend(std::iter::repeat_n(value, size));
    }
    values.truncate(count);
    values
}

fn geometric(random: &mut SplitMix, count: usize) -> Vec<f64> {
    held(random, count, |random| 1 + (uniform(random).ln() / 0.8f64.ln()) as usize)
}

fn many_sizes(random: &mut SplitMix, count: usize) -> Vec<f64> {
    held(random, count, |random| [1, 2, 5, 10][random.below(4) as usize])
}

// Probability per sample that a burst begins.
const BEGINS: f64 = 0.001;

fn with_bursts(random: &mut SplitMix, count: usize, length: fn(&mut SplitMix) -> u64) -> Vec<f64> {
    let mut left = 0;
    let mut next = || {
        if left == 0 && uniform(random) < BEGINS {
            left = length(random);
        }
        if left == 0 {
            return one(random);
        }
        left -= 1;
        5.0 + 2.0 * one(random)
    };
    (0..count).map(|_| next()).collect()
}

// The share of responses larger than `value` if bursts are 10 samples long on average.
fn of_bursts(value: f64) -> f64 {
    let burst = 10.0 / (10.0 + (1.0 - BEGINS) / BEGINS);
    (1.0 - burst) * exponential(value) + burst * exponential((value - 5.0) / 2.0)
}

fn bursts_of_10(random: &mut SplitMix, count: usize) -> Vec<f64> {
    with_bursts(random, count, |_| 10)
}

fn of_bursts_of_10(value: f64) -> f64 {
    of_bursts(value)
}

fn bursts(random: &mut SplitMix, count: usize) -> Vec<f64> {
    with_bursts(random, count, |random| 5 + random.below(11))
}

// A normally distributed random number with variance 1 (Box and Muller).
fn deviate(random: &mut SplitMix) -> f64 {
    (2.0 * one(random)).sqrt() * (TAU * uniform(random)).cos()
}

fn slow(random: &mut SplitMix, count: usize) -> Vec<f64> {
    let fresh = (1.0f64 - 0.81).sqrt();
    let mut value = deviate(random);
    let mut next = || {
        value = 0.9 * value + fresh * deviate(random);
        value
    };
    (0..count).map(|_| next()).collect()
}

// The upper tail of the normal distribution, integrated numerically from its density (Simpson).
fn normal(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.5 + 0.5 * f64::from(u8::from(value < 0.0));
    }
    let density = |x: f64| (-x * x / 2.0).exp() / TAU.sqrt();
    let step = 10.0 / 2_000.0;
    let pair = |at: usize| {
        let x = value + 2.0 * step * at as f64;
        step / 3.0 * (density(x) + 4.0 * density(x + step) + density(x + 2.0 * step))
    };
    (0..1_000).map(pair).sum()
}

fn drifting(random: &mut SplitMix, count: usize) -> Vec<f64> {
    (0..count).map(|at| one(random) * (1.0 + at as f64 / count as f64)).collect()
}

fn shuffled(random: &mut SplitMix, count: usize) -> Vec<f64> {
    let mut values = drifting(random, count);
    for index in (1..count).rev() {
        values.swap(index, random.below(index as u64 + 1) as usize);
    }
    values
}

fn of_drift(value: f64) -> f64 {
    let at = |step: usize| exponential(value / (1.0 + (step as f64 + 0.5) / 2_000.0));
    (0..2_000).map(at).sum::<f64>() / 2_000.0
}
