// SPDX-License-Identifier: MIT OR Apache-2.0
//! A generator as a scenario describes it, and the instrument's arguments for it.
use serde::{Deserialize, Serialize};

/// The longest distance and the most pulses the instrument takes (`lab/instrument/FORMAT.md`).
const LONGEST_INSTRUCTIONS: u64 = 1 << 40;
const MOST_PULSES: u64 = u32::MAX as u64;

/// How the pulses lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One every `period` + `step`.
    Periodic,
    /// A single one.
    OneShot,
    /// `burst` pulses `period` apart, then `pause`.
    Burst,
    /// Exponentially distributed distances with mean `period`.
    Poisson,
    /// Frequency growing linearly by pulse from 1/`period` to 1/`last-period`.
    Ramp,
    /// The n-th `period` + n · `step` after the guest's n-th mark.
    Mark,
}

impl Shape {
    /// The instrument's word for it.
    fn argument(self) -> &'static str {
        match self {
            Shape::Periodic | Shape::OneShot => "periodic",
            Shape::Burst => "burst",
            Shape::Poisson => "poisson",
            Shape::Ramp => "ramp",
            Shape::Mark => "mark",
        }
    }
}

/// One generator. All distances in instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Generator {
    /// How the pulses lie.
    pub shape: Shape,
    /// Distance of pulses.
    pub period: u64,
    /// Share of the period that the line is high, in (0, 1).
    #[serde(default = "Generator::usual_duty")]
    pub duty: f64,
    /// Measured pulses.
    #[serde(default = "Generator::one")]
    pub count: u64,
    /// Pulses before them, kept and marked.
    #[serde(default)]
    pub warmup: u64,
    /// The vernier's step.
    #[serde(default)]
    pub step: u64,
    /// Ramp: the last distance.
    #[serde(default)]
    pub last_period: Option<u64>,
    /// Burst: pulses in one.
    #[serde(default)]
    pub burst: Option<u64>,
    /// Burst: from the last pulse of one to the first of the next.
    #[serde(default)]
    pub pause: Option<u64>,
    /// Instant of the first pulse; otherwise the guest's arming of the port starts the generator.
    #[serde(default)]
    pub start: Option<u64>,
    /// From arming to the first pulse; the period if absent.
    #[serde(default)]
    pub delay: Option<u64>,
    /// Mark: the bit of the data register that asks for a pulse.
    #[serde(default)]
    pub mark_bit: Option<u64>,
}

impl Generator {
    /// The 2002 paper's duty cycle.
    fn usual_duty() -> f64 {
        0.2
    }

    fn one() -> u64 {
        1
    }

    /// Warm-up and measured pulses.
    pub fn pulses(&self) -> u64 {
        self.warmup.saturating_add(self.count)
    }

    /// What is wrong with it, as words that follow the generator's name.
    pub fn fault(&self) -> Option<String> {
        let distances = [
            ("period", Some(self.period)),
            ("last-period", self.last_period),
            ("pause", self.pause),
            ("start", self.start),
            ("delay", self.delay),
        ];
        let long = distances.iter().find(|(_, value)| value.is_some_and(|v| v == 0 || v > LONGEST_INSTRUCTIONS));
        if let Some((key, _)) = long {
            return Some(format!("{key}: want 1 to {LONGEST_INSTRUCTIONS} instructions"));
        }
        if self.step > LONGEST_INSTRUCTIONS {
            return Some(format!("step: want 0 to {LONGEST_INSTRUCTIONS} instructions"));
        }
        if !(0.000_001..=0.999_999).contains(&self.duty) {
            return Some("duty: want 0.000001 to 0.999999 of the period".to_string());
        }
        if self.count == 0 || self.pulses() > MOST_PULSES {
            return Some(format!("count: want at least 1, and at most {MOST_PULSES} with warm-up"));
        }
        self.fault_of_shape()
    }

    fn fault_of_shape(&self) -> Option<String> {
        let needs = |present: bool, key: &str| (!present).then(|| format!("shape {:?} needs {key}", self.shape));
        match self.shape {
            Shape::Burst => {
                needs(self.burst.is_some_and(|n| n > 0), "burst = N").or(needs(self.pause.is_some(), "pause"))
            }
            Shape::Ramp => needs(self.last_period.is_some(), "last-period"),
            Shape::OneShot => {
                (self.pulses() != 1).then(|| "shape one-shot is one pulse: leave count and warmup out".into())
            }
            Shape::Mark => self.mark_bit.filter(|bit| *bit > 7).map(|_| "mark-bit: want 0 to 7".to_string()),
            Shape::Periodic | Shape::Poisson => None,
        }
    }

    /// `key=value` arguments for the generator called `letter`, `a` or `b`.
    pub fn arguments(&self, letter: char, seed: u64) -> Vec<String> {
        let mut arguments = vec![format!("{letter}-shape={}", self.shape.argument())];
        let mut add = |key: &str, value: u64| arguments.push(format!("{letter}-{key}={value}"));
        add("period", self.period);
        add("pulses", self.pulses());
        add("warmup", self.warmup);
        add("step", self.step);
        add("duty-ppm", (self.duty * 1e6).round() as u64);
        add("seed", seed);
        let optional = [
            ("last-period", self.last_period),
            ("burst", self.burst),
            ("pause", self.pause),
            ("start", self.start),
            ("delay", self.delay),
            ("mark-bit", self.mark_bit),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                add(key, value);
            }
        }
        arguments
    }
}
