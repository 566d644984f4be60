// SPDX-License-Identifier: MIT OR Apache-2.0
//! Do late responses come in clusters? Then samples say less than their number.
//!
//! The extremal index is 1 for independent samples and 1/c where large values come in clusters of
//! c. It is estimated from the distances between exceedances without choosing what a cluster is:
//! Ferro and Segers, "Inference for clusters of extreme values" (2003). Confidence limits count
//! `index × samples` instead of `samples` when it is below [`INDEPENDENT`].
use run::Series;
use units::grouped;

/// At this index and above samples count as independent: the estimate scatters by that much.
pub const INDEPENDENT: f64 = 0.9;
/// Fewer exceedances do not tell.
const FEWEST: usize = 30;

/// The share of the samples that count as independent, in (0, 1]; 1 where too few are large to tell.
pub fn independent_share(series: &Series) -> f64 {
    let index = extremal_index(&exceedances(series), series.due.unwrap_or(series.done)).unwrap_or(1.0);
    if index < INDEPENDENT { index } else { 1.0 }
}

/// A sentence for the user when confidence limits had to be widened.
pub fn warning(series: &Series) -> Option<String> {
    let share = independent_share(series);
    let counted = (share * (series.done - series.warmup) as f64) as u64;
    (share < 1.0).then(|| {
        format!(
            "{}: late responses come in clusters (extremal index {share:.2}); confidence limits count \
             the {} samples as {} independent ones",
            series.key,
            grouped(series.done - series.warmup),
            grouped(counted)
        )
    })
}

/// Numbers of the stimuli whose latency lies above the 99 % quantile, or above the last of the
/// kept worst where those are fewer; rising.
fn exceedances(series: &Series) -> Vec<u64> {
    let hundredth = usize::try_from((series.done - series.warmup) / 100).unwrap_or(usize::MAX);
    let Some(threshold) = series.worst.get(hundredth.min(series.worst.len().saturating_sub(1))) else {
        return Vec::new();
    };
    let mut seq: Vec<u64> = series.worst.iter().filter(|w| w.value > threshold.value).map(|w| w.seq).collect();
    seq.sort_unstable();
    seq
}

/// The extremal index of exceedances at these numbers of `due` stimuli.
///
/// The run is closed to a ring: the distance from the last exceedance over the end to the first
/// counts too, so that a single cluster is seen as one.
fn extremal_index(seq: &[u64], due: u64) -> Option<f64> {
    let (first, last) = (seq.first()?, seq.last()?);
    if seq.len() < FEWEST {
        return None;
    }
    let around = due.saturating_sub(last - first).max(1);
    let distances = || seq.windows(2).map(|pair| pair[1] - pair[0]).chain([around]).map(|distance| distance as f64);
    let offset = if distances().any(|distance| distance > 2.0) { 1.0 } else { 0.0 };
    let sum: f64 = distances().map(|distance| distance - offset).sum();
    let squares: f64 = distances().map(|distance| (distance - offset) * (distance - 2.0 * offset)).sum();
    Some((2.0 * sum * sum / (seq.len() as f64 * squares)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeriesBuilder;
    use run::{Key, Span};
    use units::Unit;

    fn series_of(values: impl IntoIterator<Item = u64>) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        for (seq, value) in (0..).zip(values) {
            builder.sample(seq, seq * 1_000, value, false);
        }
        builder.build()
    }

    fn index_of(series: &Series) -> f64 {
        extremal_index(&exceedances(series), series.due.unwrap()).unwrap()
    }

    /// x(t) = max((1 - index) x(t-1), index z(t)) with z unit Fréchet has this extremal index exactly.
    fn armax(index: f64, count: usize) -> Vec<u64> {
        let mut state = 1u64;
        let mut x = 1.0f64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let uniform = ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            x = ((1.0 - index) * x).max(-index / uniform.ln());
            (x * 1e3) as u64
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn the_index_of_a_process_with_a_known_one_is_found() {
        for exact in [1.0, 0.5, 0.2] {
            let found = index_of(&series_of(armax(exact, 200_000)));
            assert!((found - exact).abs() < 0.06, "{found} instead of {exact}");
        }
    }

    #[test]
    fn one_single_cluster_is_seen() {
        let series = series_of(0..10_000);
        assert!(independent_share(&series) < 0.1);
        assert!(warning(&series).unwrap().contains("come in clusters"));
    }

    #[test]
    fn independent_constant_and_few_samples_count_in_full() {
        for values in [armax(1.0, 50_000), vec![7; 50_000], armax(0.2, 2_000), Vec::new()] {
            let series = series_of(values);
            assert_eq!((independent_share(&series), warning(&series)), (1.0, None));
        }
    }

    /// Each value is 0.9 of the one before and a normal step (the sum of twelve uniform numbers).
    fn slow_process(state: &mut u64, count: usize) -> Vec<u64> {
        let mut uniform = || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut x = 0.0;
        let mut next = || {
            x = 0.9 * x + (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            ((x + 100.0) * 1e6) as u64
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn widened_limits_cover_the_true_quantile_of_dependent_samples() {
        let truth = ((2.326_348 / (1.0f64 - 0.81).sqrt() + 100.0) * 1e6) as u64;
        let (mut state, mut widened, mut as_if_independent) = (7, 0, 0);
        for _ in 0..60 {
            let values = slow_process(&mut state, 20_000);
            let p99 = series_of(values.iter().copied()).quantiles[2].clone();
            widened += u32::from(p99.low.unwrap() <= truth && truth <= p99.high.unwrap());
            let mut sorted = values;
            sorted.sort_unstable();
            // The 95 % ranks of p99 of 20,000 independent samples.
            as_if_independent += u32::from(sorted[19_772 - 1] <= truth && truth <= sorted[19_828 - 1]);
        }
        assert!(widened >= 50 && as_if_independent <= 45, "{widened} and {as_if_independent} of 60");
    }
}
