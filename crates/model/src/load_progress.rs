// SPDX-License-Identifier: MIT OR Apache-2.0
use serde::{Deserialize, Serialize};

/// Progress of a load in units per second, which shows whether it starved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadProgress {
    /// Name of the load.
    pub name: String,
    /// What a unit is.
    pub unit: String,
    /// The phase in which the load ran, by the requested load name (`all` runs several loads).
    pub phase: String,
    /// Units over the whole phase.
    pub done: u64,
    /// Units per second: one value per second, or in a long phase one value per [`LoadProgress::each_s`] seconds.
    pub per_second: Vec<f64>,
    /// Seconds that each value averages; a power of two.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub each_s: u64,
}

fn one() -> u64 {
    1
}

fn is_one(seconds: &u64) -> bool {
    *seconds == 1
}

/// Most rates kept per load: slightly more than an hour of seconds.
const MOST_RATES: usize = 4_096;

impl LoadProgress {
    /// Halves the number of values by averaging pairs until they fit the limit. A last value without a partner is dropped: it
    /// would cover too short a time.
    pub fn bound(&mut self) {
        while self.per_second.len() > MOST_RATES {
            self.halve();
        }
    }

    /// Adds the progress of another process of the same load and phase. Only seconds that both processes reported are kept:
    /// otherwise half a load would look like a drop.
    pub fn add(&mut self, mut other: Self) {
        self.done = self.done.saturating_add(other.done);
        self.align(&mut other);
        self.per_second.truncate(other.per_second.len());
        self.per_second.iter_mut().zip(&other.per_second).for_each(|(sum, rate)| *sum += rate);
    }

    /// Appends the progress of the same load in a later part of the same phase.
    pub fn append(&mut self, mut later: Self) {
        self.done = self.done.saturating_add(later.done);
        self.align(&mut later);
        self.per_second.append(&mut later.per_second);
        self.bound();
    }

    /// Averages the finer of both until each value covers the same number of seconds.
    fn align(&mut self, other: &mut Self) {
        while self.each_s < other.each_s {
            self.halve();
        }
        while other.each_s < self.each_s {
            other.halve();
        }
    }

    fn halve(&mut self) {
        self.per_second = self.per_second.chunks_exact(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
        self.each_s = self.each_s.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(rates: impl IntoIterator<Item = f64>) -> LoadProgress {
        let per_second: Vec<f64> = rates.into_iter().collect();
        let (name, unit, phase) = ("spin".to_string(), "turns".to_string(), "all".to_string());
        LoadProgress { name, unit, phase, done: per_second.iter().sum::<f64>() as u64, per_second, each_s: 1 }
    }

    #[test]
    fn a_day_of_seconds_is_bounded_and_its_mean_stays() {
        let mut day = load((0..86_400).map(|second| f64::from(second % 10)));
        day.bound();
        assert_eq!((day.per_second.len(), day.each_s), (2_700, 32));
        assert!((day.per_second.iter().sum::<f64>() / 2_700.0 - 4.5).abs() < 1e-9);
    }

    #[test]
    fn the_same_load_on_two_processors_is_one_sum() {
        let mut known = load([1.0]);
        known.add(load([2.0, 3.0]));
        assert_eq!((known.done, &known.per_second[..]), (6, &[3.0][..]), "a second that only one reported is left out");
    }

    #[test]
    fn a_load_that_goes_on_later_keeps_one_measure_of_time() {
        let mut first = load((0..5_000).map(|_| 2.0));
        first.bound();
        first.append(load([4.0, 4.0, 6.0]));
        assert_eq!((first.each_s, first.per_second.len()), (2, 2_501));
        assert_eq!(first.per_second[2_500], 4.0);
        assert_eq!(first.done, 10_014);
    }
}
