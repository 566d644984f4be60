// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests whether the peaks follow one generalized Pareto distribution.
//!
//! The distance of Anderson and Darling (1952) gives the tail the most weight. How large it gets by chance for a fitted
//! distribution depends on the shape only (Choulakian, Stephens 2001); the table was simulated with this code.
use super::peaks::Pareto;

/// For each shape, the distance that one in ten fits of 150 peaks exceeds. Each comes from 20,000 simulated fits.
const ONE_IN_TEN: [(f64, f64); 7] =
    [(-0.6, 1.013), (-0.4, 0.923), (-0.2, 0.847), (0.0, 0.790), (0.2, 0.740), (0.4, 0.700), (0.6, 0.671)];

/// Whether the excesses, in ascending order, are as close to their fit as nine of ten fits are by chance.
pub fn fits(rising: &[f64], fit: Pareto) -> bool {
    distance(rising, fit) <= usual(fit.shape)
}

fn usual(shape: f64) -> f64 {
    let (first, last) = (ONE_IN_TEN[0], ONE_IN_TEN[ONE_IN_TEN.len() - 1]);
    let shape = shape.clamp(first.0, last.0);
    let pair = ONE_IN_TEN.windows(2).find(|pair| shape <= pair[1].0);
    let [(from, low), (to, high)] = pair.map_or([first, last], |pair| [pair[0], pair[1]]);
    low + (high - low) * (shape - from) / (to - from)
}

/// The squared distance A² of Anderson and Darling.
pub fn distance(rising: &[f64], fit: Pareto) -> f64 {
    let count = rising.len();
    let beyond: Vec<f64> = rising.iter().map(|excess| fit.beyond(*excess).clamp(1e-300, 1.0 - 1e-16)).collect();
    let sum: f64 = (0..count)
        .map(|index| (2 * index + 1) as f64 * ((1.0 - beyond[index]).ln() + beyond[count - 1 - index].ln()))
        .sum();
    -(count as f64) - sum / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    // The distances for `fits` simulated samples of 150 peaks, in ascending order.
    fn distances(shape: f64, fits: u64) -> Vec<f64> {
        let mut random = SplitMix(9);
        let mut one = || {
            let mut excesses: Vec<f64> = (0..150)
                .map(|_| {
                    let beyond = ((random.number() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
                    if shape == 0.0 { -beyond.ln() } else { (beyond.powf(-shape) - 1.0) / shape }
                })
                .collect();
            excesses.sort_unstable_by(f64::total_cmp);
            distance(&excesses, Pareto::most_likely(&excesses))
        };
        let mut found: Vec<f64> = (0..fits).map(|_| one()).collect();
        found.sort_unstable_by(f64::total_cmp);
        found
    }

    #[test]
    fn one_in_ten_fits_to_what_it_describes_lies_further() {
        for (shape, usual) in ONE_IN_TEN {
            let found = distances(shape, 600);
            let further = found.iter().filter(|distance| **distance > usual).count();
            assert!((35..=85).contains(&further), "{further} of 600 at shape {shape}");
        }
    }
}
