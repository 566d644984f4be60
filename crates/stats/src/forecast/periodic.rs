// SPDX-License-Identifier: MIT OR Apache-2.0
//! Detects whether the large samples come with a period, like those caused by a timer, a daemon or a fan.
//!
//! The peaks are counted in time bins, and the counts are Fourier-transformed. By chance, the power at one frequency is
//! exponentially distributed with mean 1 (Schuster 1898).
use super::record::Peak;
use std::f64::consts::TAU;

const MOST_BINS: usize = 1 << 16;
/// Minimum number of stimuli per bin. With fewer, the rounding of bin sizes would itself look like a period.
const STIMULI: u64 = 8;
/// Fewer cycles per run count as slow changes, which other tests detect.
const FEWEST_CYCLES: usize = 4;
const FEWEST_BINS: usize = 4;
const FEWEST_BITS: u32 = 6;
/// Probability of a false alarm in a run without a period.
const CHANCE: f64 = 0.001;

/// The period of the peaks, in stimuli; `length` is the number of stimuli.
pub fn period(peaks: &[Peak], length: u64) -> Option<f64> {
    let count = usize::try_from(length / STIMULI).map_or(MOST_BINS, |most| most.min(MOST_BINS));
    let count = 1 << count.checked_ilog2().filter(|bits| *bits >= FEWEST_BITS)?;
    let mut bins = vec![(0.0, 0.0); count];
    for peak in peaks {
        bins[(u128::from(peak.position) * count as u128 / u128::from(length)) as usize].0 += 1.0;
    }
    transform(&mut bins);
    let powers: Vec<f64> = bins[FEWEST_CYCLES..count / FEWEST_BINS]
        .iter()
        .map(|(real, imaginary)| (real * real + imaginary * imaginary) / peaks.len() as f64)
        .collect();
    let most = powers.iter().copied().fold(0.0, f64::max);
    if most < (powers.len() as f64 / CHANCE).ln() {
        return None;
    }
    // Pulses have nearly equal power at all multiples of their frequency; take the lowest.
    let lowest = powers.iter().position(|power| *power >= most / 2.0)?;
    Some(length as f64 / (lowest + FEWEST_CYCLES) as f64)
}

/// The discrete Fourier transform in place (Cooley, Tukey 1965).
fn transform(values: &mut [(f64, f64)]) {
    let count = values.len();
    let bits = count.trailing_zeros();
    for index in 0..count {
        let mirrored = index.reverse_bits() >> (usize::BITS - bits);
        if index < mirrored {
            values.swap(index, mirrored);
        }
    }
    let turns: Vec<(f64, f64)> = (0..count / 2).map(|k| (-TAU * k as f64 / count as f64).sin_cos()).collect();
    let mut half = 1;
    while half < count {
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (index, (one, other)) in low.iter_mut().zip(high).enumerate() {
                let (sine, cosine) = turns[index * (count / (2 * half))];
                let turned = (other.0 * cosine - other.1 * sine, other.0 * sine + other.1 * cosine);
                *other = (one.0 - turned.0, one.1 - turned.1);
                *one = (one.0 + turned.0, one.1 + turned.1);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn the_transform_is_the_sum_it_stands_for() {
        let mut random = SplitMix(2);
        let values: Vec<(f64, f64)> = (0..64).map(|_| (random.below(100) as f64, random.below(100) as f64)).collect();
        let mut fast = values.clone();
        transform(&mut fast);
        for (k, found) in fast.iter().enumerate() {
            let known = values.iter().enumerate().fold((0.0, 0.0), |(real, imaginary), (n, (x, y))| {
                let (sine, cosine) = (-TAU * (k * n % 64) as f64 / 64.0).sin_cos();
                (real + x * cosine - y * sine, imaginary + x * sine + y * cosine)
            });
            assert!((found.0 - known.0).abs() < 1e-9 && (found.1 - known.1).abs() < 1e-9, "{found:?} {known:?}");
        }
    }

    fn at(positions: impl Iterator<Item = u64>) -> Vec<Peak> {
        positions.map(|position| Peak { position, value: 1 }).collect()
    }

    #[test]
    fn every_second_or_third_pulse_of_a_timer_names_its_period() {
        let mut random = SplitMix(4);
        let pulses = (0..1_000_000).step_by(2_500).filter(|_| random.below(3) == 0).collect::<Vec<u64>>();
        let mut jitter = SplitMix(5);
        let peaks = at(pulses.into_iter().map(|pulse| pulse + jitter.below(60)));
        let found = period(&peaks, 1_000_000).unwrap();
        assert!((found / 2_500.0 - 1.0).abs() < 0.01, "{found}");
    }

    #[test]
    fn what_comes_by_chance_has_no_period() {
        let mut random = SplitMix(6);
        let found = (0..300).filter(|_| period(&at((0..200).map(|_| random.below(1_000_000))), 1_000_000).is_some());
        assert!(found.count() <= 2, "one in a thousand by chance");
    }
}
