// SPDX-License-Identifier: MIT OR Apache-2.0
//! Minimum, mean and maximum of successive time slices, in bounded memory.
//!
//! All slices have the same width, a power of two. If a sample falls after the last slice, the width doubles and neighbouring
//! slices are merged until it fits.
use backwall_model::Slice;

/// Largest number of slices.
pub const MOST: usize = 2_000;

/// Count, minimum, maximum and sum of samples, without their distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number of samples.
    pub count: u64,
    /// Minimum; `u64::MAX` without samples.
    pub min: u64,
    /// Maximum; 0 without samples.
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
    /// The summary of one value.
    pub fn of(value: u64) -> Self {
        Self { count: 1, min: value, max: value, sum: value.into() }
    }

    /// Adds another summary.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }

    /// Mean; `None` without samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    summary: Summary,
    missed: u64,
}

impl Counts {
    fn merge(&mut self, other: &Self) {
        self.summary.merge(&other.summary);
        self.missed = self.missed.saturating_add(other.missed);
    }
}

/// The slices of a phase.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    slices: Vec<Counts>,
    /// The width of a slice is `1 << width_bits`.
    width_bits: u32,
}

impl Slices {
    /// The last time in the slice that contains `at`.
    pub fn last_of(&mut self, at: u64) -> u64 {
        self.slice_at(at);
        at | ((1 << self.width_bits) - 1)
    }

    /// Adds samples that all belong to the slice that contains `at`.
    pub fn add(&mut self, at: u64, samples: &Summary) {
        self.slice_at(at).summary.merge(samples);
    }

    /// Adds stimuli that were missed or unseen.
    pub fn add_missed(&mut self, at: u64, count: u64) {
        let missed = &mut self.slice_at(at).missed;
        *missed = missed.saturating_add(count);
    }

    /// Adds all slices of another phase.
    pub fn merge(&mut self, other: &Self) {
        for (index, counts) in other.slices.iter().enumerate() {
            self.slice_at((index as u64) << other.width_bits).merge(counts);
        }
        while self.width_bits < other.width_bits {
            self.halve();
        }
    }

    /// The slices in order of time, without empty ones. Minimum, mean and maximum of a slice without responses are 0.
    pub fn to_run(&self) -> Vec<Slice> {
        let stored = |(index, counts): (usize, &Counts)| Slice {
            at: (index as u64) << self.width_bits,
            done: counts.summary.count,
            missed: counts.missed,
            min: if counts.summary.count > 0 { counts.summary.min } else { 0 },
            mean: counts.summary.mean().unwrap_or(0.0),
            max: counts.summary.max,
        };
        self.slices.iter().enumerate().filter(|(_, c)| c.summary.count + c.missed > 0).map(stored).collect()
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

    fn halve(&mut self) {
        for index in 0..self.slices.len() {
            let counts = std::mem::take(&mut self.slices[index]);
            self.slices[index / 2].merge(&counts);
        }
        self.slices.truncate(self.slices.len().div_ceil(2));
        self.width_bits += 1;
    }
}

/// Merges neighbouring slices until few enough are left. Gaps, in which nothing was due, stay.
pub fn bounded(mut slices: Vec<Slice>) -> Vec<Slice> {
    while slices.len() > MOST {
        let mut fewer = Vec::new();
        for part in slices.chunk_by(|one, other| is_gap(one) == is_gap(other)) {
            match is_gap(&part[0]) {
                true => fewer.extend_from_slice(&part[..1]),
                false => fewer.extend(part.chunks(2).map(together)),
            }
        }
        if fewer.len() == slices.len() {
            break;
        }
        slices = fewer;
    }
    slices
}

/// Whether nothing was due in the slice, so that it is a time without measurement.
pub fn is_gap(slice: &Slice) -> bool {
    slice.done == 0 && slice.missed == 0
}

/// Merges slices into one that starts with the first. A slice without responses adds only its missed stimuli.
pub fn together(slices: &[Slice]) -> Slice {
    let mut whole = Slice { done: 0, missed: 0, min: u64::MAX, mean: 0.0, max: 0, ..slices[0].clone() };
    let mut sum = 0.0;
    for slice in slices {
        whole.missed = whole.missed.saturating_add(slice.missed);
        if slice.done > 0 {
            whole.done = whole.done.saturating_add(slice.done);
            whole.min = whole.min.min(slice.min);
            whole.max = whole.max.max(slice.max);
            sum += slice.mean * slice.done as f64;
        }
    }
    whole.mean = if whole.done > 0 { sum / whole.done as f64 } else { 0.0 };
    whole.min = if whole.done > 0 { whole.min } else { 0 };
    whole
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
    fn a_slice_in_which_all_was_missed_is_shown() {
        let mut slices = Slices::default();
        slices.add_missed(5, 3);
        assert_eq!(slices.to_run(), [Slice { at: 5, done: 0, missed: 3, min: 0, mean: 0.0, max: 0 }]);
    }

    fn slice(at: u64, done: u64, missed: u64, min: u64, max: u64) -> Slice {
        Slice { at, done, missed, min, mean: (min + max) as f64 / 2.0, max }
    }

    #[test]
    fn slices_made_one_keep_every_count_and_every_extreme() {
        let whole = together(&[slice(5, 1, 0, 10, 20), slice(6, 0, 4, 0, 0), slice(7, 3, 1, 8, 90)]);
        assert_eq!(whole, Slice { at: 5, done: 4, missed: 5, min: 8, mean: (15.0 + 3.0 * 49.0) / 4.0, max: 90 });
    }

    #[test]
    fn the_slices_of_many_stretches_are_bounded_and_no_gap_is_closed() {
        let stretch =
            |from: u64| (from..from + 900).map(|at| slice(at, 2, 1, 5, 9)).chain([slice(from + 900, 0, 0, 0, 0)]);
        let bounded = bounded((0..10).flat_map(|number| stretch(number * 1_000)).collect());
        assert!(bounded.len() <= MOST, "{}", bounded.len());
        assert_eq!(
            bounded.iter().map(|slice| (slice.done, slice.missed)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
            (18_000, 9_000)
        );
        assert_eq!(bounded.iter().filter(|slice| is_gap(slice)).count(), 10);
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
