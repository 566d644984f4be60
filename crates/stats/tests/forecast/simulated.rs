// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated machines that are known completely, and how good the forecasts of their maxima are.
use backwall_model::units::Unit;
use backwall_model::{Key, Series, Span};
use backwall_stats::SeriesBuilder;
use backwall_stats::forecast::Tail;
use backwall_stats::random::SplitMix;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub const SAMPLES: u64 = 40_000;
pub const TIMES: u64 = 24;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    Hold,
    Refuse,
    // The forecast may hold or be refused.
    Either,
    // No method can know this maximum; the table shows the result all the same.
    Beyond,
}

pub struct Kind {
    pub name: &'static str,
    pub about: &'static str,
    pub goal: Goal,
    // Produces the latencies of a run with this many samples, in order.
    samples: fn(&mut SplitMix, u64, &mut dyn FnMut(u64)),
}

// A random number in (0, 1).
fn uniform(random: &mut SplitMix) -> f64 {
    ((random.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn exponential(random: &mut SplitMix) -> f64 {
    -uniform(random).ln()
}

fn normal(random: &mut SplitMix) -> f64 {
    (2.0 * exponential(random)).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

// Converts a latency in microseconds to nanoseconds.
fn ns(us: f64) -> u64 {
    (us * 1_000.0) as u64
}

macro_rules! alone {
    ($law:expr) => {
        |random, count, take| {
            let law: fn(&mut SplitMix) -> f64 = $law;
            (0..count).for_each(|_| take(ns(law(random))));
        }
    };
}

// A disturbance lasts for a geometrically distributed number of samples, five on average; each sample is half as high as the one
// before.
fn clusters(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let (mut left, mut height) = (0_u64, 0.0);
    for _ in 0..count {
        if left == 0 && random.below(100) == 0 {
            left = 1 + (uniform(random).ln() / 0.8_f64.ln()) as u64;
            height = 10.0 * exponential(random);
        }
        let body = 5.0 + 0.5 * exponential(random);
        let disturbed = left > 0;
        left -= u64::from(disturbed);
        take(ns(if disturbed { body + height * (0.7 + 0.3 * uniform(random)) } else { body }));
    }
}

// x(t) = max(0.5 x(t-1), 0.5 z(t)), where z has a heavy tail: extremal index 1/2.
fn moving_maxima(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut x = 1.0_f64;
    for _ in 0..count {
        x = (0.5 * x).max(0.5 / exponential(random));
        take(ns(10.0 * x.powf(0.2)));
    }
}

// Bursts of 150 samples, about twelve in a run of `SAMPLES`, so that their share differs between the parts of a run.
fn bursts(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut left: u64 = 0;
    for _ in 0..count {
        if left == 0 && random.below(SAMPLES / 12) == 0 {
            left = 150;
        }
        let size = if left > 0 { 4.0 } else { 1.0 };
        left = left.saturating_sub(1);
        take(ns(5.0 + size * exponential(random)));
    }
}

fn growing(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        // The longer run continues with the distribution that the first one ended with.
        let part = (index as f64 / SAMPLES as f64).min(1.0);
        take(ns(5.0 + (1.0 + part) * exponential(random)));
    }
}

fn denser(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        let part = (index as f64 / SAMPLES as f64).min(1.0);
        let disturbed = uniform(random) < 0.02 * part;
        take(ns(5.0 + exponential(random) + if disturbed { 10.0 + 5.0 * exponential(random) } else { 0.0 }));
    }
}

// Quiet and busy alternate; each lasts a tenth of a run on average.
fn switching(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut busy = random.below(2) == 0;
    for _ in 0..count {
        busy ^= random.below(SAMPLES / 10) == 0;
        take(ns(5.0 + if busy { 3.0 } else { 1.0 } * exponential(random)));
    }
}

fn periodic(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let phase = random.below(150);
    for index in 0..count {
        let disturbed = index % 150 == phase;
        take(ns(5.0 + exponential(random) + if disturbed { 10.0 + 2.0 * exponential(random) } else { 0.0 }));
    }
}

fn wave(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        let turn = std::f64::consts::TAU * 10.0 * index as f64 / SAMPLES as f64;
        take(ns(5.0 + (1.5 + turn.sin()) * exponential(random)));
    }
}

pub const KINDS: [Kind; 18] = [
    Kind {
        name: "exponential",
        about: "independent, exponential tail",
        goal: Goal::Hold,
        samples: alone!(|r| 5.0 + exponential(r)),
    },
    Kind {
        name: "normal",
        about: "independent, normal",
        goal: Goal::Hold,
        samples: alone!(|r| (20.0 + 2.0 * normal(r)).max(0.0)),
    },
    Kind {
        name: "lognormal",
        about: "independent, lognormal of sigma 0.5",
        goal: Goal::Hold,
        samples: alone!(|r| 5.0 * (0.5 * normal(r)).exp()),
    },
    Kind {
        name: "heavy",
        about: "independent, shape 0.25",
        goal: Goal::Hold,
        samples: alone!(|r| 5.0 + 4.0 * (uniform(r).powf(-0.25) - 1.0)),
    },
    Kind {
        name: "bounded",
        about: "independent, shape -0.3, ends at 15 us",
        goal: Goal::Hold,
        samples: alone!(|r| 5.0 + 10.0 * (1.0 - uniform(r).powf(0.3))),
    },
    Kind {
        name: "uniform",
        about: "independent, evenly spread up to 15 ms",
        goal: Goal::Hold,
        samples: alone!(|r| 5_000.0 + 10_000.0 * uniform(r)),
    },
    Kind {
        name: "mixture",
        about: "1 % of the samples from a second, well sampled mode",
        goal: Goal::Hold,
        samples: alone!(|r| if r.below(100) == 0 { 30.0 + 3.0 * normal(r) } else { 5.0 + exponential(r) }),
    },
    Kind { name: "clusters", about: "disturbances of five samples on average", goal: Goal::Hold, samples: clusters },
    Kind { name: "moving maxima", about: "extremal index 1/2, shape 0.2", goal: Goal::Hold, samples: moving_maxima },
    Kind { name: "bursts", about: "12 bursts of 150 samples a run", goal: Goal::Refuse, samples: bursts },
    Kind {
        name: "drift in size",
        about: "the tail's scale doubles over the run",
        goal: Goal::Refuse,
        samples: growing,
    },
    Kind { name: "drift in rate", about: "a disturbance grows from never to 2 %", goal: Goal::Refuse, samples: denser },
    Kind {
        name: "switching",
        about: "quiet and busy by turns, a tenth of the run each",
        goal: Goal::Refuse,
        samples: switching,
    },
    Kind { name: "periodic", about: "a disturbance every 150 samples", goal: Goal::Refuse, samples: periodic },
    Kind { name: "wave", about: "a scale that rises and falls ten times a run", goal: Goal::Refuse, samples: wave },
    Kind {
        name: "two regimes",
        about: "0.1 % of the samples from a second, sharp mode",
        goal: Goal::Refuse,
        samples: alone!(|r| if r.below(1_000) == 0 { 30.0 + 0.5 * normal(r) } else { 5.0 + exponential(r) }),
    },
    Kind {
        name: "clamped",
        about: "a recorder that ends at 12 us",
        goal: Goal::Refuse,
        samples: alone!(|r| (5.0 + exponential(r)).min(12.0)),
    },
    Kind {
        name: "unseen mode",
        about: "150 us more once in two runs: mostly not in the run at all",
        goal: Goal::Beyond,
        samples: alone!(|r| 5.0 + exponential(r) + if r.below(2 * SAMPLES) == 0 { 150.0 } else { 0.0 }),
    },
];

// Conditional variance as in GARCH(1,1): large samples come in spells, and no part of a run is another regime.
fn garch(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut variance = 1.0;
    for _ in 0..count {
        let x = f64::sqrt(variance) * normal(random);
        variance = 0.05 + 0.1 * x * x + 0.85 * variance;
        take(ns(5.0 + 2.0 * x.abs()));
    }
}

// Gaussian with a correlation of 0.9 from sample to sample.
fn correlated(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut x = normal(random);
    for _ in 0..count {
        x = 0.9 * x + 0.19_f64.sqrt() * normal(random);
        take(ns((20.0 + 2.0 * x).max(0.0)));
    }
}

// The wave makes one and a half turns per run.
fn slow_wave(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        let turn = std::f64::consts::TAU * 1.5 * index as f64 / SAMPLES as f64;
        take(ns(5.0 + (1.0 + 0.5 * turn.sin()) * exponential(random)));
    }
}

// Quiet and busy times alternate, each 50 samples long on average, so every part of a run contains many of both.
fn short_turns(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    let mut busy = false;
    for _ in 0..count {
        busy ^= random.below(50) == 0;
        take(ns(5.0 + if busy { 3.0 } else { 1.0 } * exponential(random)));
    }
}

// Two timers whose handlers meet now and then.
fn two_timers(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        let one = if index % 97 == 0 { 4.0 } else { 0.0 };
        let other = if index % 131 == 0 { 5.0 } else { 0.0 };
        take(ns(5.0 + exponential(random) + one + other));
    }
}

// The scale grows by a seventh over the run and stays.
fn weak_drift(random: &mut SplitMix, count: u64, take: &mut dyn FnMut(u64)) {
    for index in 0..count {
        let part = (index as f64 / SAMPLES as f64).min(1.0);
        take(ns(5.0 + (1.0 + 0.15 * part) * exponential(random)));
    }
}

// Written after the rules and their limits were settled, and used for none of them.
pub const UNSEEN: [Kind; 14] = [
    unseen(
        "Weibull 0.7",
        "independent, between exponential and heavy",
        alone!(|r| 5.0 + exponential(r).powf(1.0 / 0.7)),
    ),
    unseen("Weibull 2", "independent, lighter than exponential", alone!(|r| 5.0 + 3.0 * exponential(r).sqrt())),
    unseen(
        "log-gamma",
        "independent, exp of a gamma variable, shape 0.2",
        alone!(|r| { 5.0 * (0.2 * (exponential(r) + exponential(r))).exp() }),
    ),
    unseen(
        "gamma",
        "independent, sum of three exponentials",
        alone!(|r| { 5.0 + exponential(r) + exponential(r) + exponential(r) }),
    ),
    unseen(
        "Student",
        "independent, t of four degrees of freedom without its sign",
        alone!(|r| {
            let square: f64 = (0..4).map(|_| normal(r).powi(2)).sum();
            5.0 + (normal(r) / (square / 4.0).sqrt()).abs()
        }),
    ),
    unseen(
        "truncated",
        "exponential that ends at 12 us, which few runs reach",
        alone!(|r| {
            loop {
                let x = exponential(r);
                if x < 12.0 {
                    break x;
                }
            }
        }),
    ),
    unseen("fine lattice", "exponential in steps of 40 ns", alone!(|r| ((5.0 + exponential(r)) * 25.0).floor() / 25.0)),
    unseen("coarse lattice", "exponential in steps of 1 us", alone!(|r| (5.0 + exponential(r)).floor())),
    unseen("GARCH", "variance that follows the samples before", garch),
    unseen("correlated", "Gaussian, correlation 0.9 from sample to sample", correlated),
    unseen("short turns", "quiet and busy by turns of 50 samples", short_turns),
    unseen("slow wave", "a scale that rises and falls one and a half times a run", slow_wave),
    unseen("two timers", "every 97th and every 131st sample 4 and 5 us more", two_timers),
    unseen("weak drift", "the tail's scale grows by 15 % over the run", weak_drift),
];

pub const MEASURED: Kind = unseen("measured", "parts of a run", |_, _, _| ());

const fn unseen(name: &'static str, about: &'static str, samples: fn(&mut SplitMix, u64, &mut dyn FnMut(u64))) -> Kind {
    Kind { name, about, goal: Goal::Either, samples }
}

pub struct Study<'a> {
    kind: &'a Kind,
    trials: usize,
    held: usize,
    below: usize,
    widths: Vec<f64>,
    refused: BTreeMap<&'static str, usize>,
}

pub const HEAD: &str = "| kind | what is simulated | runs | refused | held | maximum above | width, median | refused as |\n\
                        |---|---|---|---|---|---|---|---|";

impl<'a> Study<'a> {
    // Repeats trials until there are `pairs` forecasts, but at most ten times as many trials.
    pub fn of(kind: &'a Kind, pairs: usize, seed: u64) -> Self {
        let mut study = Self { kind, trials: 0, held: 0, below: 0, widths: Vec::new(), refused: BTreeMap::new() };
        let trials = match kind.goal {
            Goal::Refuse => pairs,
            Goal::Either => 2 * pairs,
            Goal::Hold | Goal::Beyond => 10 * pairs,
        };
        while study.trials < trials && study.widths.len() < pairs {
            study.trials += 1;
            study.one(seed.wrapping_mul(1_000_003) + study.trials as u64);
        }
        study
    }

    fn one(&mut self, seed: u64) {
        let mut random = SplitMix(seed);
        let series = run(self.kind, &mut random);
        let samples = self.kind.samples;
        self.judge(&series, TIMES as f64, || {
            let mut maximum = 0;
            samples(&mut random, SAMPLES * TIMES, &mut |value| maximum = maximum.max(value));
            maximum
        });
    }

    // Each of `parts` equal parts of a measured run forecasts the maximum of the others.
    pub fn of_parts(kind: &'a Kind, values: &[u64], parts: usize) -> Self {
        let mut study = Self { kind, trials: 0, held: 0, below: 0, widths: Vec::new(), refused: BTreeMap::new() };
        let chunks: Vec<&[u64]> = values.chunks_exact(values.len() / parts).take(parts).collect();
        for (index, chunk) in chunks.iter().enumerate() {
            study.trials += 1;
            let others = chunks.iter().enumerate().filter(|(other, _)| *other != index);
            let maximum = others.filter_map(|(_, other)| other.iter().max()).max().copied().unwrap_or(0);
            study.judge(&series_of(|take| chunk.iter().for_each(|value| take(*value))), (parts - 1) as f64, || maximum);
        }
        study
    }

    fn judge(&mut self, series: &Series, times: f64, maximum: impl FnOnce() -> u64) {
        let forecast = match Tail::of(series).and_then(|tail| tail.maximum(times)) {
            Ok(forecast) => forecast.maximum,
            Err(refusal) => {
                *self.refused.entry(refusal.kind()).or_default() += 1;
                return;
            }
        };
        let maximum = maximum();
        self.held += usize::from((forecast.low..=forecast.high).contains(&maximum));
        self.below += usize::from(maximum > forecast.high);
        self.widths.push(forecast.high as f64 / forecast.low as f64);
    }

    fn share(&self, count: usize, of: usize) -> f64 {
        if of == 0 { f64::NAN } else { 100.0 * count as f64 / of as f64 }
    }

    fn refused_share(&self) -> f64 {
        self.share(self.refused.values().sum(), self.trials)
    }

    fn held_share(&self) -> f64 {
        self.share(self.held, self.widths.len())
    }

    fn width(&self) -> f64 {
        let mut widths = self.widths.clone();
        widths.sort_by(f64::total_cmp);
        widths.get(widths.len() / 2).copied().unwrap_or(f64::NAN)
    }

    // Whether the share meets the goal, less `but_for` percent; `None` without a goal.
    pub fn met(&self, but_for: f64) -> Option<bool> {
        match self.kind.goal {
            Goal::Hold => Some(self.held_share() >= 93.0 - but_for),
            Goal::Either => Some(self.widths.is_empty() || self.held_share() >= 93.0 - but_for),
            Goal::Refuse => Some(self.refused_share() >= 90.0 - but_for),
            Goal::Beyond => None,
        }
    }

    fn reasons(&self) -> String {
        let mut said = String::new();
        for (reason, count) in &self.refused {
            let comma = if said.is_empty() { "" } else { ", " };
            write!(said, "{comma}{reason} {count}").expect("a text takes all");
        }
        said
    }

    // One line of a bench: name, value, unit, goal, met, peer, peer value, conditions.
    pub fn line(&self) -> String {
        let met = self.met(0.0).map_or("-", |met| if met { "yes" } else { "no" });
        let (what, value, goal) = match self.kind.goal {
            Goal::Refuse => ("refused", self.refused_share(), "90"),
            Goal::Hold | Goal::Either => ("held", self.held_share(), "93"),
            Goal::Beyond => ("held", self.held_share(), "-"),
        };
        let Kind { name, about, .. } = self.kind;
        let (trials, refused, width) = (self.trials, self.refused_share(), self.width());
        let (above, reasons) = (self.share(self.below, self.widths.len()), self.reasons());
        format!(
            "forecast: {name} {what}\t{value:.1}\t%\t{goal}\t{met}\t-\t-\t{about}; {trials} runs of {SAMPLES} samples, \
             horizon {TIMES} times; {refused:.1} % refused ({reasons}); maximum above in {above:.1} %; high/low {width:.2}"
        )
    }

    pub fn row(&self) -> String {
        let share = |share: f64| if share.is_nan() { "-".to_string() } else { format!("{share:.1} %") };
        let width = if self.width().is_nan() { "-".to_string() } else { format!("{:.2}", self.width()) };
        let Kind { name, about, .. } = self.kind;
        format!(
            "| {name} | {about} | {} | {} | {} | {} | {width} | {} |",
            self.trials,
            share(self.refused_share()),
            share(self.held_share()),
            share(self.share(self.below, self.widths.len())),
            self.reasons()
        )
    }
}

fn run(kind: &Kind, random: &mut SplitMix) -> Series {
    series_of(|take| (kind.samples)(random, SAMPLES, take))
}

fn series_of(samples: impl FnOnce(&mut dyn FnMut(u64))) -> Series {
    let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
    let mut seq = 0;
    samples(&mut |value| {
        builder.sample(seq, seq * 1_000_000, value, false);
        seq += 1;
    });
    builder.build()
}
