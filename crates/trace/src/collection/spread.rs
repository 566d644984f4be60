// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums up many durations: exact minimum, maximum and mean; quantiles with the width of a class as their error.
use backwall_model::SelfCheck;
use backwall_model::units::Unit;
use backwall_stats::histogram::Histogram;

/// Distribution of a stage's durations. Minimum, maximum and mean are exact; a quantile's error is the width of its class.
#[derive(Clone, Debug)]
pub struct Spread {
    count: u64,
    min: u64,
    max: u64,
    sum: u128,
    classes: Histogram,
}

impl Default for Spread {
    fn default() -> Self {
        Self { count: 0, min: u64::MAX, max: 0, sum: 0, classes: Histogram::default() }
    }
}

impl Spread {
    /// Adds a value, in the unit of this `Spread`.
    pub fn record(&mut self, value: u64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += value as u128;
        self.classes.record(value);
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The quantile, with the width of a class as its error; 0 without values.
    pub fn quantile(&self, q: f64) -> u64 {
        if self.count == 0 {
            return 0;
        }
        nth_class(&self.classes.to_run(), rank(q, self.count)).unwrap_or(self.max).clamp(self.min, self.max)
    }

    /// The distribution as a stored stage with this name.
    pub fn row(&self, name: &str) -> backwall_model::Stage {
        backwall_model::Stage {
            name: name.to_string(),
            unit: Unit::Ns,
            min: self.min,
            mean: self.sum as f64 / self.count as f64,
            p50: self.quantile(0.5),
            p99: self.quantile(0.99),
            max: self.max,
        }
    }
}

/// Distribution of signed differences, with the number on each side of zero.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    count: u64,
    below_count: u64,
    min: i64,
    max: i64,
    below: Histogram,
    above: Histogram,
}

impl Difference {
    /// Adds a difference, in nanoseconds.
    pub fn record(&mut self, value: i64) {
        (self.min, self.max) =
            if self.count == 0 { (value, value) } else { (self.min.min(value), self.max.max(value)) };
        self.count += 1;
        self.below_count += u64::from(value < 0);
        let side = if value < 0 { &mut self.below } else { &mut self.above };
        side.record(value.unsigned_abs());
    }

    /// The differences as a stored self-check; `None` if there are none.
    pub fn self_check(&self, what: &str) -> Option<SelfCheck> {
        (self.count > 0).then(|| SelfCheck {
            compared: self.count,
            min_ns: self.min,
            p50_ns: self.quantile(0.5),
            p99_ns: self.quantile(0.99),
            max_ns: self.max,
            what: what.to_string(),
        })
    }

    fn quantile(&self, q: f64) -> i64 {
        let rank = rank(q, self.count);
        let value = match rank.checked_sub(self.below_count) {
            Some(above) => nth_class(&self.above.to_run(), above).map(|value| value as i64),
            None => nth_class(&self.below.to_run(), self.below_count - 1 - rank).map(|value| -(value as i64)),
        };
        value.unwrap_or(self.max).clamp(self.min, self.max)
    }
}

/// Index, from 0, of the quantile among `count` sorted values.
fn rank(q: f64, count: u64) -> u64 {
    ((q * count as f64).ceil() as u64).clamp(1, count) - 1
}

/// Lower bound of the class that contains the value with this rank; `None` if it is beyond the last class.
fn nth_class(classes: &backwall_model::Histogram, rank: u64) -> Option<u64> {
    let mut before = 0;
    let reached = classes.counts.iter().position(|count| {
        before += count;
        before > rank
    });
    reached.map(|class| classes.bounds[class])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_of_differences_are_those_of_a_sort(mut values in proptest::collection::vec(-1_000i64..1_000, 1..60)) {
            let mut difference = Difference::default();
            values.iter().for_each(|value| difference.record(*value));
            values.sort_unstable();
            for q in [0.5, 0.99] {
                prop_assert_eq!(difference.quantile(q), values[rank(q, values.len() as u64) as usize]);
            }
        }
    }
}
