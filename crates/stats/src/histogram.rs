// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log-linear histogram: exact below 2,048, then 1,024 classes per doubling.
//!
//! Every bound is a whole number. A class is at most 1/1024 of its values wide. Values at or above [`LIMIT`] are counted as
//! overflow.
use super::classes;

const CLASS_BITS: u32 = 10;
/// The upper bound of the last class: 2^36, which is 68.7 s in nanoseconds.
pub const LIMIT: u64 = 1 << LIMIT_BITS;
const LIMIT_BITS: u32 = 36;
const CLASSES: usize = ((LIMIT_BITS - CLASS_BITS + 1) as usize) << CLASS_BITS;

/// Counts per class.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64]>,
    overflow: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; CLASSES].into_boxed_slice(), overflow: 0 }
    }
}

impl Histogram {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        match self.counts.get_mut(class_of(value)) {
            Some(count) => *count += 1,
            None => self.overflow += 1,
        }
    }

    /// Number of values at or above [`LIMIT`].
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.overflow += other.overflow;
    }

    /// The histogram in the form in which a run stores it: from the first to the last class with a value. Consecutive empty
    /// classes are merged.
    pub fn to_run(&self) -> backwall_model::Histogram {
        let mut stored = backwall_model::Histogram::default();
        let mut next_empty = None;
        for (class, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            if next_empty != Some(class) {
                stored.bounds.push(lower_bound(class));
                if next_empty.is_some() {
                    stored.counts.push(0);
                }
            }
            stored.counts.push(count);
            stored.bounds.push(lower_bound(class + 1));
            next_empty = Some(class + 1);
        }
        stored
    }
}

#[inline]
fn class_of(value: u64) -> usize {
    classes::class_of::<CLASS_BITS>(value)
}

fn lower_bound(class: usize) -> u64 {
    classes::lower_bound::<CLASS_BITS>(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_touch_and_are_at_most_a_1024th_wide() {
        for class in 0..CLASSES {
            let (low, next) = (lower_bound(class), lower_bound(class + 1));
            assert_eq!((class_of(low), class_of(next - 1), class_of(next)), (class, class, class + 1));
            assert!((next - low - 1) * 1024 <= low, "class {class}: [{low}, {next})");
        }
        assert_eq!(lower_bound(CLASSES), LIMIT);
    }

    #[test]
    fn values_at_the_limit_and_beyond_are_overflow() {
        let mut histogram = Histogram::default();
        for value in [0, 2_047, LIMIT - 1, LIMIT, u64::MAX] {
            histogram.record(value);
        }
        assert_eq!(histogram.overflow(), 2);
        assert_eq!(histogram.to_run().counts.iter().sum::<u64>(), 3);
    }

    #[test]
    fn an_empty_histogram_is_stored_empty() {
        assert_eq!(Histogram::default().to_run(), backwall_model::Histogram::default());
    }

    #[test]
    fn stretches_of_empty_classes_are_stored_as_one() {
        let mut histogram = Histogram::default();
        for value in [3, 3, 4, 9] {
            histogram.record(value);
        }
        let stored = histogram.to_run();
        assert_eq!(stored.bounds, [3, 4, 5, 9, 10]);
        assert_eq!(stored.counts, [2, 1, 0, 1]);
    }

    proptest! {
        #[test]
        fn every_value_is_counted_once_within_its_bounds(values in prop::collection::vec(0u64..1 << 37, 0..300)) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|&value| histogram.record(value));
            let stored = histogram.to_run();
            prop_assert!(stored.bounds.is_sorted_by(|low, high| low < high));
            for (class, &count) in stored.counts.iter().enumerate() {
                let (low, next) = (stored.bounds[class], stored.bounds[class + 1]);
                prop_assert_eq!(count, values.iter().filter(|v| (low..next).contains(*v)).count() as u64);
            }
            prop_assert_eq!(stored.counts.iter().sum::<u64>() + histogram.overflow(), values.len() as u64);
        }
    }
}
