// SPDX-License-Identifier: MIT OR Apache-2.0
//! A generator as a scenario describes it, and its arguments for the instrument.
use serde::{Deserialize, Serialize};

/// The instrument's maximum distance between pulses and maximum number of pulses (`lab/instrument/FORMAT.md`).
const LONGEST_INSTRUCTIONS: u64 = 1 << 40;
const MOST_PULSES: u64 = u32::MAX as u64;
/// The minimum distance between two pulses: one instruction high and one low.
const SHORTEST_INSTRUCTIONS: u64 = 2;
/// A walking phase lengthens the distance between pulses by at most 1 / this.
const SMALLEST_SHARE: u64 = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One pulse every `period` + `step`.
    Periodic,
    OneShot,
    /// `burst` pulses `period` apart, then `pause`.
    Burst,
    /// Exponentially distributed distances with the mean `period`.
    Poisson,
    /// The frequency rises linearly with each pulse, from 1/`period` to 1/`last-period`.
    Ramp,
    /// The n-th pulse comes `period` + n · `step` after the guest's n-th mark.
    Mark,
    /// The n-th pulse comes at n · `period` plus a random delay of 0 to `jitter`.
    Jittered,
    /// One pulse every `period` and one every `second-period`; both trains begin together, and two pulses at the same time become
    /// one.
    TwoTone,
}

impl Shape {
    fn argument(self) -> &'static str {
        match self {
            Shape::Periodic | Shape::OneShot => "periodic",
            Shape::Burst => "burst",
            Shape::Poisson => "poisson",
            Shape::Ramp => "ramp",
            Shape::Mark => "mark",
            Shape::Jittered => "jittered",
            Shape::TwoTone => "two-tone",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Generator {
    pub shape: Shape,
    pub period: u64,
    /// Share of the period in which the line is high, in (0, 1).
    #[serde(default = "Generator::usual_duty")]
    pub duty: f64,
    #[serde(default = "Generator::one")]
    pub count: u64,
    #[serde(default)]
    pub warmup: u64,
    /// For periodic and mark: added to the distance of each pulse, to shift its phase. If absent, a periodic train walks through
    /// all phases: [`Generator::walk`]. With 0 the pulses stay in phase with anything that has the same period or a multiple of
    /// it.
    #[serde(default)]
    pub step: Option<u64>,
    #[serde(default)]
    pub jitter: Option<u64>,
    #[serde(default)]
    pub second_period: Option<u64>,
    #[serde(default)]
    pub last_period: Option<u64>,
    #[serde(default)]
    pub burst: Option<u64>,
    /// Burst: distance from the last pulse of one burst to the first of the next.
    #[serde(default)]
    pub pause: Option<u64>,
    /// Time of the first pulse. If absent, the generator starts when the guest arms the port.
    #[serde(default)]
    pub start: Option<u64>,
    /// Time from arming the port to the first pulse; if absent, one period.
    #[serde(default)]
    pub delay: Option<u64>,
    /// Mark: the bit of the data register with which the guest requests a pulse.
    #[serde(default)]
    pub mark_bit: Option<u64>,
}

impl Generator {
    /// The duty cycle of the 2002 paper.
    fn usual_duty() -> f64 {
        0.2
    }

    fn one() -> u64 {
        1
    }

    pub fn pulses(&self) -> u64 {
        self.warmup.saturating_add(self.count)
    }

    pub fn step(&self) -> u64 {
        self.step.unwrap_or_else(|| if self.shape == Shape::Periodic { self.walk() } else { 0 })
    }

    /// The step with which the measured pulses go through every phase once: relative to anything with this period, a multiple or
    /// a fraction of it, they cover the circle evenly. The step is prime, so it has no factor in common with the guest's timers.
    /// It is about a hundredth of the period at most, and 0 for periods that are too short.
    pub fn walk(&self) -> u64 {
        let once_around = (self.period / self.count.max(SMALLEST_SHARE)).max(1);
        if self.period < SMALLEST_SHARE { 0 } else { prime_from(once_around) }
    }

    pub fn fault(&self) -> Option<String> {
        let distances = [
            ("period", Some(self.period)),
            ("last-period", self.last_period),
            ("pause", self.pause),
            ("start", self.start),
            ("delay", self.delay),
            ("jitter", self.jitter),
            ("second-period", self.second_period),
        ];
        let long = distances.iter().find(|(_, value)| value.is_some_and(|v| v == 0 || v > LONGEST_INSTRUCTIONS));
        if let Some((key, _)) = long {
            return Some(format!("{key}: expected 1 to {LONGEST_INSTRUCTIONS} instructions"));
        }
        if self.step.is_some_and(|step| step > LONGEST_INSTRUCTIONS) {
            return Some(format!("step: expected 0 to {LONGEST_INSTRUCTIONS} instructions"));
        }
        if !(0.000_001..=0.999_999).contains(&self.duty) {
            return Some("duty: expected 0.000001 to 0.999999 of the period".to_string());
        }
        if self.count == 0 || self.pulses() > MOST_PULSES {
            return Some(format!("count: expected at least 1, and count plus warmup at most {MOST_PULSES}"));
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
                (self.pulses() != 1).then(|| "shape one-shot gives one pulse: leave out count and warmup".into())
            }
            Shape::Mark => self.mark_bit.filter(|bit| *bit > 7).map(|_| "mark-bit: expected 0 to 7".to_string()),
            Shape::Jittered => self.fault_of_jitter(),
            Shape::TwoTone => needs(self.second_period.is_some_and(|n| n >= SHORTEST_INSTRUCTIONS), "second-period"),
            Shape::Periodic | Shape::Poisson => None,
        }
    }

    fn fault_of_jitter(&self) -> Option<String> {
        let longest = self.period.saturating_sub(SHORTEST_INSTRUCTIONS);
        let fits = self.jitter.is_some_and(|jitter| jitter <= longest);
        (!fits).then(|| {
            format!(
                "shape jittered: expected jitter from 1 to {longest} instructions, so that pulses stay \
            in order"
            )
        })
    }

    /// The `key=value` arguments of the generator with this `letter`, `a` or `b`.
    pub fn arguments(&self, letter: char, seed: u64) -> Vec<String> {
        let mut arguments = vec![format!("{letter}-shape={}", self.shape.argument())];
        let mut add = |key: &str, value: u64| arguments.push(format!("{letter}-{key}={value}"));
        add("period", self.period);
        add("pulses", self.pulses());
        add("warmup", self.warmup);
        add("step", self.step());
        add("duty-ppm", (self.duty * 1e6).round() as u64);
        add("seed", seed);
        let optional = [
            ("last-period", self.last_period),
            ("burst", self.burst),
            ("pause", self.pause),
            ("start", self.start),
            ("delay", self.delay),
            ("mark-bit", self.mark_bit),
            ("jitter", self.jitter),
            ("second-period", self.second_period),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                add(key, value);
            }
        }
        arguments
    }
}

/// The smallest prime that is at least `least`. For 1 it returns 1, which has no factor in common with anything either.
fn prime_from(least: u64) -> u64 {
    let is_prime =
        |number: &u64| (2..).take_while(|factor| factor * factor <= *number).all(|factor| number % factor != 0);
    (least..).find(is_prime).expect("there is always a larger prime")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periodic(period: u64, count: u64) -> Generator {
        let text = format!("shape = 'periodic'\nperiod = {period}\ncount = {count}\n");
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_periodic_train_walks_by_a_prime_that_adds_up_to_one_period() {
        for (period, count, step) in [(200_000, 2_000, 101), (200_000, 5_000, 41), (52_631_579, 100, 526_367)] {
            assert_eq!(periodic(period, count).step(), step, "{period} {count}");
        }
        assert_eq!((periodic(800, 100_000).step(), periodic(99, 10).step()), (1, 0));
    }

    #[test]
    fn a_step_that_is_named_is_taken_and_other_shapes_have_none_of_their_own() {
        assert_eq!(Generator { step: Some(0), ..periodic(1_000, 10) }.step(), 0);
        assert_eq!(Generator { step: Some(37), ..periodic(1_000, 10) }.step(), 37);
        assert_eq!(Generator { shape: Shape::Poisson, ..periodic(1_000, 10) }.step(), 0);
    }

    #[test]
    fn the_longest_period_with_one_pulse_has_a_step_soon() {
        assert!(periodic(LONGEST_INSTRUCTIONS, 1).step() <= LONGEST_INSTRUCTIONS / 99);
    }
}
