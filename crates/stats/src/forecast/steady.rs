// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests whether the independent peaks came at a constant rate and with constant sizes during the whole run.
//!
//! If so, they are a Poisson process: their times are spread evenly, the variance of their counts in equal windows equals the
//! mean, and the size of a peak does not depend on its time.
use super::Refusal;
use super::record::Peak;

/// Number of standard deviations that chance exceeds once in a thousand times.
const RARE: f64 = 3.29;
const WINDOWS: [u64; 3] = [8, 20, 50];
const FEWEST_IN_WINDOW: f64 = 2.0;

/// Why the peaks among `length` stimuli are not a steady process.
pub fn unsteady(peaks: &[Peak], length: u64) -> Option<Refusal> {
    if rate_moves(peaks, length) || size_moves(peaks) {
        return Some(Refusal::Drift);
    }
    WINDOWS.iter().any(|windows| crowded(peaks, length, *windows)).then_some(Refusal::Crowded)
}

/// Whether the times are less evenly spread than chance explains (Kolmogorov 1933).
fn rate_moves(peaks: &[Peak], length: u64) -> bool {
    let count = peaks.len() as f64;
    let apart = |(index, peak): (usize, &Peak)| {
        let even = peak.position as f64 / length as f64;
        (even - index as f64 / count).abs().max((even - (index + 1) as f64 / count).abs())
    };
    let most = peaks.iter().enumerate().map(apart).fold(0.0, f64::max);
    most * count.sqrt() > 1.95 // exceeded by chance once in a thousand times
}

/// Whether later peaks are larger or smaller than earlier ones (Mann 1945, Kendall 1938).
fn size_moves(peaks: &[Peak]) -> bool {
    let count = peaks.len() as f64;
    let mut score = 0.0;
    for (index, one) in peaks.iter().enumerate() {
        for later in &peaks[index + 1..] {
            score += f64::from(i8::from(later.value > one.value) - i8::from(later.value < one.value));
        }
    }
    let spread = (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    score.abs() > RARE * spread
}

/// Whether the counts in equal windows vary more than those of a Poisson process (Fisher 1950).
fn crowded(peaks: &[Peak], length: u64, windows: u64) -> bool {
    let mean = peaks.len() as f64 / windows as f64;
    if mean < FEWEST_IN_WINDOW {
        return false;
    }
    let mut counts = vec![0.0; windows as usize];
    for peak in peaks {
        counts[(u128::from(peak.position) * u128::from(windows) / u128::from(length)) as usize] += 1.0;
    }
    let scatter: f64 = counts.iter().map(|count: &f64| (count - mean).powi(2)).sum::<f64>() / mean;
    // The cube root of a chi-squared variable is nearly normal (Wilson, Hilferty 1931).
    let (free, part) = ((windows - 1) as f64, 2.0 / (9.0 * (windows - 1) as f64));
    ((scatter / free).cbrt() - (1.0 - part)) / part.sqrt() > RARE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    fn even(random: &mut SplitMix, count: usize) -> Vec<Peak> {
        let mut peaks: Vec<Peak> =
            (0..count).map(|_| Peak { position: random.below(1_000_000), value: random.below(1 << 40) }).collect();
        peaks.sort_unstable_by_key(|peak| peak.position);
        peaks
    }

    #[test]
    fn what_comes_evenly_is_nearly_always_steady() {
        let mut random = SplitMix(8);
        let refused = (0..2_000).filter(|_| unsteady(&even(&mut random, 150), 1_000_000).is_some()).count();
        assert!(refused <= 20, "{refused} of 2,000; five looks at one in a thousand make ten");
    }

    #[test]
    fn a_rate_and_a_size_that_move_are_drift_and_crowds_are_not() {
        let mut random = SplitMix(8);
        let mut denser = even(&mut random, 150);
        denser
            .iter_mut()
            .for_each(|peak| peak.position = (peak.position as f64 / 1e6).sqrt().mul_add(999_999.0, 0.0) as u64);
        assert_eq!(unsteady(&denser, 1_000_000), Some(Refusal::Drift));
        let mut larger = even(&mut random, 150);
        larger.iter_mut().for_each(|peak| peak.value += peak.position << 20);
        assert_eq!(unsteady(&larger, 1_000_000), Some(Refusal::Drift));
        let mut crowds = even(&mut random, 150);
        crowds
            .iter_mut()
            .for_each(|peak| peak.position = peak.position / 50_000 * 50_000 / 3 * 3 + peak.position % 900);
        crowds.iter_mut().for_each(|peak| {
            if peak.position / 50_000 % 2 == 1 {
                peak.position -= 50_000
            }
        });
        crowds.sort_unstable_by_key(|peak| peak.position);
        assert_eq!(unsteady(&crowds, 1_000_000), Some(Refusal::Crowded));
    }
}
