// SPDX-License-Identifier: MIT OR Apache-2.0
//! Corrects the p-values of many tests, so that a false alarm in any of them is no more likely than in a single test without
//! correction (Holm, "A simple sequentially rejective multiple test procedure", 1979).

/// The corrected p-values, in the order of the given ones.
pub fn corrected(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut corrected = vec![0.0; chances.len()];
    let mut least = 0.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        least = least.max(chances[index] * (chances.len() - place) as f64).min(1.0);
        corrected[index] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_is_multiplied_most_and_the_order_stays() {
        let found = corrected(&[0.04, 0.01, 0.03, 0.5]);
        let wanted = [0.09, 0.04, 0.09, 0.5];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{found:?}");
        assert_eq!(corrected(&[]), [0.0; 0]);
    }
}
