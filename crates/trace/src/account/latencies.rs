// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wakeup latencies of one thread. Minimum, maximum and mean are exact; quantiles are at most an eighth too large.
//!
//! The classes are coarse, because a recording may have tens of thousands of threads.
use backwall_stats::classes::{class_of, lower_bound};

const CLASS_BITS: u32 = 3;
/// The last class begins above half an hour; it also counts all longer latencies.
const CLASSES: usize = 40 << CLASS_BITS;

#[derive(Clone, Debug)]
pub(super) struct Latencies {
    counts: [u32; CLASSES],
    pub(super) count: u64,
    pub(super) sum: u128,
    pub(super) max: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { counts: [0; CLASSES], count: 0, sum: 0, max: 0 }
    }
}

impl Latencies {
    #[inline]
    pub(super) fn record(&mut self, ns: u64) {
        let count = &mut self.counts[class_of::<CLASS_BITS>(ns).min(CLASSES - 1)];
        *count = count.saturating_add(1);
        self.count += 1;
        self.sum += u128::from(ns);
        self.max = self.max.max(ns);
    }

    /// Returns at least the quantile, and at most an eighth more.
    pub(super) fn quantile(&self, q: f64) -> u64 {
        let rank = (q * self.count as f64).ceil().max(1.0) as u64;
        let mut before = 0;
        for (class, count) in self.counts.iter().enumerate() {
            before += u64::from(*count);
            if before >= rank {
                return (lower_bound::<CLASS_BITS>(class + 1) - 1).min(self.max);
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_quantile_is_at_most_an_eighth_above_the_value_of_its_rank(values in proptest::collection::vec(0u64..1 << 38, 1..200), percent in 1u32..=100) {
            let mut latencies = Latencies::default();
            values.iter().for_each(|value| latencies.record(*value));
            let mut sorted = values;
            sorted.sort_unstable();
            let q = f64::from(percent) / 100.0;
            let exact = sorted[((q * sorted.len() as f64).ceil().max(1.0) as usize) - 1];
            let told = latencies.quantile(q);
            prop_assert!(told >= exact && told <= exact + exact / 8, "{told} for {exact}");
        }
    }
}
