// SPDX-License-Identifier: MIT OR Apache-2.0
//! Release times of the jobs of a series. They are drawn here once, so that every system gets the same ones.
use super::set::Series;
use backwall_stats::random::SplitMix;

/// One job's release, in nanoseconds since the start of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The nominal time, from which the deadline counts.
    pub nominal_ns: u64,
    /// When the job may begin.
    pub arrival_ns: u64,
}

/// The releases of a series before `duration_ns`, in order; `None` if there are more than `most`.
pub fn releases(series: &Series, random: &mut SplitMix, duration_ns: u64, most: usize) -> Option<Vec<Release>> {
    let mut found: Vec<Release> = Vec::new();
    let mut nominal_ns = series.offset.0.saturating_add(gap(series, random, true));
    while nominal_ns < duration_ns {
        if found.len() == most {
            return None;
        }
        let jitter_ns = if series.jitter.0 == 0 { 0 } else { random.below(series.jitter.0 + 1) };
        let earliest_ns = found.last().map_or(0, |last| last.arrival_ns + series.distance.0);
        found.push(Release { nominal_ns, arrival_ns: (nominal_ns + jitter_ns).max(earliest_ns) });
        nominal_ns = nominal_ns.saturating_add(gap(series, random, false));
    }
    Some(found)
}

/// Time between two nominal releases. The first release of a Poisson series also comes after such a time.
fn gap(series: &Series, random: &mut SplitMix, first: bool) -> u64 {
    match (series.period, series.mean) {
        (Some(_), _) if first => 0,
        (Some(period), _) => period.0,
        (None, mean) => exponential(mean.map_or(1, |mean| mean.0), random),
    }
}

/// Inverse of the exponential distribution, for a uniform number in (0, 1) with 53 bits.
fn exponential(mean_ns: u64, random: &mut SplitMix) -> u64 {
    let uniform = ((random.number() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    (-uniform.ln() * mean_ns as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::super::span::Span;
    use super::*;

    fn nominal(series: &Series, duration_ns: u64) -> Vec<u64> {
        let found = releases(series, &mut SplitMix(1), duration_ns, 1 << 20).unwrap();
        found.iter().map(|release| release.nominal_ns).collect()
    }

    #[test]
    fn a_periodic_series_is_released_at_its_offset_and_each_period_after_it_until_the_end() {
        let series = Series { period: Some(Span(70)), offset: Span(5), ..Series::default() };
        assert_eq!(nominal(&series, 216), [5, 75, 145, 215]);
        assert_eq!(nominal(&series, 215), [5, 75, 145]);
        assert_eq!(nominal(&series, 5), [0; 0]);
    }

    #[test]
    fn jitter_delays_the_arrival_alone_and_keeps_the_distance() {
        let (jitter, distance) = (Span(100), Span(20));
        let series = Series { period: Some(Span(70)), jitter, distance, ..Series::default() };
        let found = releases(&series, &mut SplitMix(3), 70_000, 2_000).unwrap();
        assert_eq!(found.len(), 1_000);
        assert!(found.iter().zip(0..).all(|(release, at)| release.nominal_ns == 70 * at));
        assert!(found.iter().all(|release| release.arrival_ns >= release.nominal_ns));
        assert!(found.windows(2).all(|two| two[1].arrival_ns - two[0].arrival_ns >= 20));
        let late = |release: &&Release| release.arrival_ns - release.nominal_ns > 70;
        assert!(found.iter().filter(late).count() > 100, "three in ten");
    }

    #[test]
    fn gaps_of_a_poisson_series_have_its_mean_and_as_much_spread() {
        let series = Series { mean: Some(Span(10_000_000)), ..Series::default() };
        let found = nominal(&series, 1_000_000_000_000);
        let gaps: Vec<f64> = found.windows(2).map(|two| (two[1] - two[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        assert!((mean / 1e7 - 1.0).abs() < 0.016 && (deviation / mean - 1.0).abs() < 0.03, "{mean} {deviation}");
        assert_eq!(found, nominal(&series, 1_000_000_000_000), "the same for the same seed");
    }

    #[test]
    fn more_than_can_be_kept_is_told() {
        let series = Series { period: Some(Span(1)), ..Series::default() };
        assert_eq!(releases(&series, &mut SplitMix(1), 100, 99), None);
        assert_eq!(releases(&series, &mut SplitMix(1), 100, 100).unwrap().len(), 100);
    }
}
