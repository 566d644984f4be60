// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects whether late responses come in clusters. If so, the samples prove less than their number suggests.
//!
//! The extremal index is 1 for independent samples and 1/c if large values come in clusters of c on average. It is estimated from
//! the distances between exceedances, without a parameter for what a cluster is. The widest of these distances divide the
//! exceedances into clusters: Ferro and Segers, "Inference for clusters of extreme values" (2003).
//!
//! The variance of a count of exceedances depends on the sizes of the clusters, not only on their mean: with sizes s it is Σs²/Σs
//! times that of independent samples. This many samples count as one independent sample: c if all clusters have size c, 2c - 1
//! for geometric sizes, more for few large clusters among many small ones.
use backwall_model::units::grouped;
use backwall_model::{Series, Warning};

/// From this index on samples count as independent, because the estimate itself scatters this much.
pub const INDEPENDENT: f64 = 0.9;
const FEWEST: usize = 30;
/// The largest samples that are examined, as a share of all. Their clusters represent those of rarer samples.
const SHARE: f64 = 0.01;

/// Whether late responses depend on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dependence {
    /// Late responses cluster no more than by chance, or there are too few to tell.
    Independent,
    /// Late responses come in clusters.
    Clustered {
        /// The extremal index, in (0, 1): the reciprocal of the mean cluster size.
        index: f64,
        /// How many samples count as one independent sample; at least 1.
        together: f64,
    },
    /// Unknown: the histogram of another tool does not contain the order of the samples.
    Unknown,
}

impl Dependence {
    /// The share of samples that count as independent, in (0, 1]; 1 if unknown.
    pub fn independent_share(self) -> f64 {
        match self {
            Self::Clustered { together, .. } => 1.0 / together,
            Self::Independent | Self::Unknown => 1.0,
        }
    }
}

/// The dependence of the largest samples. `beyond` is their share of all samples, in (0, 1).
///
/// It looks for clusters among the largest hundredth of the samples and, if `beyond` is larger than that, also among
/// the stored samples of that share. The result with fewer independent samples counts.
pub fn of(series: &Series, beyond: f64) -> Dependence {
    if series.worst.is_empty() && series.counted() > 0 {
        return Dependence::Unknown;
    }
    let counted = series.counted() as f64;
    let found = [SHARE, beyond.max(SHARE)].map(|share| among(series, (counted * share) as usize));
    let [rare, own] = found;
    if own.independent_share() < rare.independent_share() { own } else { rare }
}

/// A warning if confidence limits had to be widened.
pub fn warning(series: &Series) -> Option<Warning> {
    let Dependence::Clustered { index, together } = of(series, SHARE) else { return None };
    let samples = series.counted();
    let said = format!(
        "late responses come in clusters (extremal index {index:.2}); confidence limits count the {} samples as {} \
         independent ones",
        grouped(samples),
        grouped((samples as f64 / together) as u64)
    );
    Some(Warning::new("clusters", said).of(&series.key))
}

fn among(series: &Series, count: usize) -> Dependence {
    let seq = exceedances(series, count);
    // Warmup stimuli are in no figure, so leave them out.
    let all = stimuli(series, seq.last());
    let due = all - series.warmup.min(all);
    if seq.len() < FEWEST {
        return Dependence::Independent;
    }
    let distances = distances(&seq, due);
    match extremal_index(&distances) {
        index if index < INDEPENDENT => Dependence::Clustered { index, together: together(&distances, index) },
        _ => Dependence::Independent,
    }
}

/// Number of stimuli of the series, at least those up to the number `last`. A damaged file may contain any number.
pub(crate) fn stimuli(series: &Series, last: Option<&u64>) -> u64 {
    series.due.unwrap_or(series.done).max(last.map_or(0, |last| last.saturating_add(1)))
}

/// Numbers of the stimuli with a latency above that of rank `count` from the largest, or above the smallest stored one if fewer
/// are stored; in ascending order.
pub(crate) fn exceedances(series: &Series, count: usize) -> Vec<u64> {
    let Some(threshold) = series.worst.get(count.min(series.worst.len().saturating_sub(1))) else {
        return Vec::new();
    };
    let mut seq: Vec<u64> = series.worst.iter().filter(|w| w.value > threshold.value).map(|w| w.seq).collect();
    seq.sort_unstable();
    seq
}

/// Distance from each exceedance to the next, among `due` stimuli.
///
/// The run is treated as a ring: the distance from the last exceedance past the end to the first counts too, so that a single
/// cluster is recognised as one.
pub(crate) fn distances(seq: &[u64], due: u64) -> Vec<u64> {
    let (first, last) = (seq[0], seq[seq.len() - 1]);
    let around = due.saturating_sub(last - first).max(1);
    seq.windows(2).map(|pair| pair[1] - pair[0]).chain([around]).collect()
}

/// The intervals estimator, in (0, 1].
pub(crate) fn extremal_index(distances: &[u64]) -> f64 {
    let offset = if distances.iter().any(|distance| *distance > 2) { 1.0 } else { 0.0 };
    let all = || distances.iter().map(|distance| *distance as f64);
    let sum: f64 = all().map(|distance| distance - offset).sum();
    let squares: f64 = all().map(|distance| (distance - offset) * (distance - 2.0 * offset)).sum();
    (2.0 * sum * sum / (distances.len() as f64 * squares)).min(1.0)
}

/// Σs²/Σs over the cluster sizes s. The extremal index implies the number of clusters, and the widest distances separate them.
/// Of equally wide distances, all or none separate.
fn together(distances: &[u64], index: f64) -> f64 {
    let between = between(distances, index);
    let (mut squares, mut size) = (0.0, 0.0);
    // Go around the ring once, starting after a distance that separates clusters.
    let begin = distances.iter().position(|distance| *distance >= between).map_or(0, |at| at + 1);
    for distance in distances[begin..].iter().chain(&distances[..begin]) {
        size += 1.0;
        if *distance >= between {
            squares += size * size;
            size = 0.0;
        }
    }
    squares / distances.len() as f64
}

/// The smallest distance that separates clusters; at least one distance does.
pub(crate) fn between(distances: &[u64], index: f64) -> u64 {
    let mut widest = distances.to_vec();
    widest.sort_unstable_by(|one, other| other.cmp(one));
    let mut clusters = ((index * widest.len() as f64).ceil() as usize).clamp(1, widest.len());
    while clusters > 1 && widest.get(clusters) == Some(&widest[clusters - 1]) {
        clusters -= 1;
    }
    widest[clusters - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeriesBuilder;
    use crate::random::SplitMix;
    use backwall_model::units::Unit;
    use backwall_model::{Key, Span};

    fn series_of(values: impl IntoIterator<Item = u64>) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        for (seq, value) in (0..).zip(values) {
            builder.sample(seq, seq * 1_000, value, false);
        }
        builder.build()
    }

    fn found(values: Vec<u64>) -> (f64, f64) {
        match of(&series_of(values), SHARE) {
            Dependence::Clustered { index, together } => (index, together),
            _ => (1.0, 1.0),
        }
    }

    fn uniform(random: &mut SplitMix) -> f64 {
        ((random.number() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    // A damaged file may have such stimulus numbers.
    #[test]
    fn stimuli_may_have_any_numbers() {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        (0..20_000u64).for_each(|n| builder.sample(u64::MAX - n % 3, u64::MAX - n, n, false));
        let series = builder.build();
        assert!(matches!(of(&series, SHARE), Dependence::Clustered { .. }));
        assert_eq!(crate::drift::of(&series), None, "too few of the largest differ");
        assert!(crate::forecast::Tail::of(&series).is_err());
    }

    // x(t) = max((1 - index) x(t-1), index z(t)) with z unit Fréchet has this extremal index exactly.
    fn armax(index: f64, count: usize) -> Vec<u64> {
        let (mut random, mut x) = (SplitMix(1), 1.0f64);
        let mut next = || {
            x = ((1.0 - index) * x).max(-index / uniform(&mut random).ln());
            (x * 1e3) as u64
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn the_index_of_a_process_with_a_known_one_is_found() {
        for exact in [1.0, 0.5, 0.2] {
            let (index, _) = found(armax(exact, 200_000));
            assert!((index - exact).abs() < 0.06, "{index} instead of {exact}");
        }
    }

    type Size = fn(&mut SplitMix) -> u64;

    fn held(size: Size) -> Vec<u64> {
        let mut random = SplitMix(5);
        let mut values = Vec::new();
        while values.len() < 400_000 {
            let (size, value) = (size(&mut random), random.number() >> 20);
            values.extend(std::iter::repeat_n(value, size as usize));
        }
        values
    }

    #[test]
    fn so_many_samples_as_the_sizes_of_the_clusters_say_count_as_one() {
        let sizes: [(Size, f64); 3] = [
            (|_| 10, 10.0),
            (|random| 1 + (uniform(random).ln() / 0.75f64.ln()) as u64, 7.0),
            (|random| [1, 19][random.below(2) as usize], 18.1),
        ];
        for (size, exact) in sizes {
            let (_, together) = found(held(size));
            assert!((together / exact - 1.0).abs() < 0.2, "{together} instead of {exact}");
        }
    }

    #[test]
    fn one_single_cluster_is_seen() {
        let series = series_of(0..10_000);
        assert_eq!(of(&series, SHARE).independent_share(), 0.01, "a hundred, one behind the other");
        assert!(warning(&series).unwrap().text.contains("come in clusters"));
    }

    #[test]
    fn independent_constant_and_few_samples_count_in_full() {
        for values in [armax(1.0, 50_000), vec![7; 50_000], armax(0.2, 2_000), Vec::new()] {
            let series = series_of(values);
            assert_eq!((of(&series, SHARE), warning(&series)), (Dependence::Independent, None));
        }
    }

    #[test]
    fn without_the_order_of_the_samples_nothing_is_known_of_their_clusters() {
        let series = Series { worst: Vec::new(), ..series_of(armax(0.2, 50_000)) };
        assert_eq!((of(&series, SHARE), warning(&series)), (Dependence::Unknown, None));
        assert_eq!(of(&series, SHARE).independent_share(), 1.0);
    }
}
