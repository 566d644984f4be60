// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reduces each cluster of large samples to one peak, because the samples of a cluster are not independent.
//!
//! The distances between the samples above a threshold determine the number of clusters (Ferro, Segers 2003).
use super::record::{Peak, Record};
use crate::dependence::{INDEPENDENT, between, distances, extremal_index};

/// The independent peaks above a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// Every peak is above this value.
    pub threshold: u64,
    /// Number of samples above the threshold.
    pub samples: usize,
    /// The reciprocal of the mean cluster size.
    pub extremal_index: f64,
    /// The largest sample of each cluster, in order of position.
    pub peaks: Vec<Peak>,
    /// Number of samples in each cluster, in order of position.
    pub sizes: Vec<usize>,
}

/// Limit of this ratio: mean cluster size, with each cluster weighted by its size, divided by the plain mean. For geometric
/// sizes it is at most 2.
const UNEVEN: f64 = 4.0;

impl Clusters {
    /// The clusters among the samples above the value of rank `count` from the largest; `None` if there are fewer than two.
    pub fn above(record: &Record, largest_first: &[u64], count: usize) -> Option<Self> {
        let threshold = *largest_first.get(count)?;
        let above: Vec<Peak> = record.peaks.iter().filter(|peak| peak.value > threshold).copied().collect();
        if above.len() < 2 {
            return None;
        }
        let positions: Vec<u64> = above.iter().map(|peak| peak.position).collect();
        let distances = distances(&positions, record.length);
        let extremal_index = extremal_index(&distances);
        let apart = if extremal_index < INDEPENDENT { between(&distances, extremal_index) } else { 0 };
        let clusters = || above.chunk_by(|one, next| next.position - one.position < apart);
        let (peaks, sizes) = (clusters().map(largest).collect(), clusters().map(<[Peak]>::len).collect());
        Some(Self { threshold, samples: above.len(), extremal_index, peaks, sizes })
    }

    /// Number of bursts, if a few clusters are large, many are small, and the large ones contain most samples; otherwise `None`.
    pub fn bursts(&self) -> Option<usize> {
        let mean = self.samples as f64 / self.sizes.len() as f64;
        let squares: usize = self.sizes.iter().map(|size| size * size).sum();
        let of_a_sample = squares as f64 / self.samples as f64;
        let large = self.sizes.iter().filter(|size| **size as f64 > mean).count();
        (of_a_sample > UNEVEN * mean).then_some(large)
    }

    /// How far each peak exceeds the threshold, in ascending order.
    pub fn excesses(&self) -> Vec<f64> {
        let mut excesses: Vec<f64> = self.peaks.iter().map(|peak| (peak.value - self.threshold) as f64).collect();
        excesses.sort_unstable_by(f64::total_cmp);
        excesses
    }
}

fn largest(cluster: &[Peak]) -> Peak {
    cluster.iter().copied().max_by_key(|peak| peak.value).expect("no cluster is empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn each_planted_cluster_gives_its_largest_sample() {
        let mut random = SplitMix(3);
        let mut peaks: Vec<Peak> = Vec::new();
        let mut starts: Vec<u64> = (0..200).map(|_| random.below(12_000) * 8).collect();
        starts.sort_unstable();
        starts.dedup();
        for first in &starts {
            peaks.extend((0..5).map(|n| Peak { position: *first + n, value: 1_000 + random.below(1_000_000) }));
        }
        let record = Record { length: 100_000, peaks, period: None };
        let mut largest_first: Vec<u64> = record.peaks.iter().map(|peak| peak.value).collect();
        largest_first.sort_unstable_by(|one, other| other.cmp(one));
        let clusters = Clusters::above(&record, &largest_first, record.peaks.len() - 1).unwrap();
        assert!((clusters.peaks.len() as f64 / starts.len() as f64 - 1.0).abs() < 0.25, "{}", clusters.peaks.len());
        assert!((clusters.extremal_index - 0.2).abs() < 0.05, "{}", clusters.extremal_index);
        let known = record.peaks[..5].iter().map(|peak| peak.value).max();
        assert_eq!(clusters.peaks.first().map(|peak| peak.value), known);
    }
}
