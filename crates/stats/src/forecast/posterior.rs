// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws distributions that fit the samples about as well as the most likely one, in proportion to how well each fits.
//!
//! It uses a random walk (Metropolis and others, 1953) with a fixed seed, so the same samples give the same draws.
use crate::random::SplitMix;

/// Steps before the first draw that is used.
const SETTLE: usize = 800;
/// Number of draws that are used.
pub const DRAWS: usize = 400;
const THIN: usize = 12;

/// Draws from a density whose logarithm is given except for a constant. The walk begins at `start` in steps of about `step`.
pub fn draws<const N: usize>(
    start: [f64; N],
    step: [f64; N],
    log_density: impl Fn(&[f64; N]) -> f64,
    seed: u64,
) -> Vec<[f64; N]> {
    let mut random = SplitMix(seed);
    let (mut at, mut height) = (start, log_density(&start));
    let mut kept = Vec::with_capacity(DRAWS);
    for number in 0..SETTLE + DRAWS * THIN {
        let next: [f64; N] = std::array::from_fn(|index| at[index] + step[index] * normal(&mut random));
        let there = log_density(&next);
        if there - height >= uniform(&mut random).ln() {
            (at, height) = (next, there);
        }
        if number >= SETTLE && (number - SETTLE) % THIN == 0 {
            kept.push(at);
        }
    }
    kept
}

/// A random number in (0, 1).
fn uniform(random: &mut SplitMix) -> f64 {
    ((random.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// A random number with the standard normal distribution (Box, Muller 1958).
fn normal(random: &mut SplitMix) -> f64 {
    (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_from_a_normal_density_have_its_mean_and_its_spread() {
        let density = |x: &[f64; 2]| -0.5 * ((x[0] - 3.0).powi(2) + (x[1] / 2.0).powi(2));
        let drawn = draws([0.0, 0.0], [1.5, 3.0], density, 1);
        let mean = |index: usize| drawn.iter().map(|x| x[index]).sum::<f64>() / DRAWS as f64;
        let spread =
            |index: usize| (drawn.iter().map(|x| (x[index] - mean(index)).powi(2)).sum::<f64>() / DRAWS as f64).sqrt();
        assert!((mean(0) - 3.0).abs() < 0.2 && (spread(0) - 1.0).abs() < 0.15, "{} {}", mean(0), spread(0));
        assert!(mean(1).abs() < 0.4 && (spread(1) - 2.0).abs() < 0.3, "{} {}", mean(1), spread(1));
        assert_eq!(drawn, draws([0.0, 0.0], [1.5, 3.0], density, 1), "the same for the same seed");
    }
}
