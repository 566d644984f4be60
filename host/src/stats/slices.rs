// SPDX-License-Identifier: MIT OR Apache-2.0
//! Smallest, mean and largest of successive slices of time, in bounded memory.
//!
//! All slices have the same width, a power of two. When a sample falls beyond the last slice the
//! width doubles and neighbours become one, until it fits.
use crate::run::Slice;

/// Most slices kept.
pub const MOST: usize = 2_000;

/// What is known of a set of samples without their distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many.
    pub count: u64,
    /// Smallest; `u64::MAX` for none.
    pub min: u64,
    /// Largest; 0 for none.
    pub max: u64,
    /// Exact sum.
    pub sum: u128,
}

impl Default for Summary {
    fn default() -> Self {
        Self { count: 0, min: u64::MAX, max: 0, sum: 0 }
    }
}

impl Summary {
    /// Of one value.
    pub fn of(value: u64) -> Self {
        Self { count: 1, min: value, max: value, sum: value.into() }
    }

    /// Of both sets together.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }

    /// Mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    summary: Summary,
    lost: u64,
}

impl Counts {
    fn merge(&mut self, other: &Self) {
        self.summary.merge(&other.summary);
        self.lost = self.lost.saturating_add(other.lost);
    }
}

/// The slices of a phase.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    slices: Vec<Counts>,
    /// A slice is `1 << width_bits` wide.
    width_bits: u32,
}

impl Slices {
    /// The last time that belongs to the same slice as `at`.
    pub fn last_of(&mut self, at: u64) -> u64 {
        self.slice_at(at);
        at | ((1 << self.width_bits) - 1)
    }

    /// Adds samples, all of the slice `at` belongs to.
    pub fn add(&mut self, at: u64, samples: &Summary) {
        self.slice_at(at).summary.merge(samples);
    }

    /// Adds lost stimuli.
    pub fn add_lost(&mut self, at: u64, count: u64) {
        let lost = &mut self.slice_at(at).lost;
        *lost = lost.saturating_add(count);
    }

    /// Adds all slices of another.
    pub fn merge(&mut self, other: &Self) {
        for (index, counts) in other.slices.iter().enumerate() {
            self.slice_at((index as u64) << other.width_bits).merge(counts);
        }
        while self.width_bits < other.width_bits {
            self.halve();
        }
    }

    /// In order of time, without the empty ones. A slice in which all was lost has the values 0.
    pub fn to_run(&self) -> Vec<Slice> {
        let stored = |(index, counts): (usize, &Counts)| Slice {
            at: (index as u64) << self.width_bits,
            done: counts.summary.count,
            lost: counts.lost,
            min: if counts.summary.count > 0 { counts.summary.min } else { 0 },
            mean: counts.summary.mean().unwrap_or(0.0),
            max: counts.summary.max,
        };
        self.slices.iter().enumerate().filter(|(_, c)| c.summary.count + c.lost > 0).map(stored).collect()
    }

    fn slice_at(&mut self, at: u64) -> &mut Counts {
        while at >> self.width_bits >= MOST as u64 {
            self.halve();
        }
        let index = (at >> self.width_bits) as usize;
        if index >= self.slices.len() {
            self.slices.resize(index + 1, Counts::default());
        }
        &mut self.slices[index]
    }

    /// Doubles the width: two slices become one.
    fn halve(&mut self) {
        for index in 0..self.slices.len() {
            let counts = std::mem::take(&mut self.slices[index]);
            self.slices[index / 2].merge(&counts);
        }
        self.slices.truncate(self.slices.len().div_ceil(2));
        self.width_bits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slices_of(samples: &[(u64, u64)]) -> Slices {
        let mut slices = Slices::default();
        for &(at, value) in samples {
            slices.add(at, &Summary::of(value));
        }
        slices
    }

    #[test]
    fn a_long_run_keeps_its_slices_bounded_and_complete() {
        let samples: Vec<(u64, u64)> = (0..50_000).map(|n| (n * 1_000_000, n)).collect();
        let stored = slices_of(&samples).to_run();
        assert!(stored.len() <= MOST && stored.len() > MOST / 4, "{}", stored.len());
        assert_eq!(stored.iter().map(|s| s.done).sum::<u64>(), 50_000);
        assert!(stored.windows(2).all(|pair| pair[0].max < pair[1].min && pair[0].at < pair[1].at));
    }

    #[test]
    fn the_end_of_time_has_a_slice() {
        let mut slices = slices_of(&[(0, 1), (u64::MAX, 2)]);
        assert_eq!(slices.last_of(u64::MAX), u64::MAX);
        assert_eq!(slices.to_run().iter().map(|s| s.done).sum::<u64>(), 2);
    }

    #[test]
    fn a_slice_in_which_all_was_lost_is_shown() {
        let mut slices = Slices::default();
        slices.add_lost(5, 3);
        assert_eq!(slices.to_run(), [Slice { at: 5, done: 0, lost: 3, min: 0, mean: 0.0, max: 0 }]);
    }

    proptest! {
        #[test]
        fn merged_slices_equal_those_of_all_samples(
            a in prop::collection::vec((0u64..1 << 40, any::<u64>()), 0..100),
            b in prop::collection::vec((0u64..1 << 20, any::<u64>()), 0..100),
        ) {
            let mut merged = slices_of(&b);
            merged.merge(&slices_of(&a));
            let whole = slices_of(&[a, b].concat());
            prop_assert_eq!(merged.to_run(), whole.to_run());
        }
    }
}
