// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memoryless arrivals: the number that a window exceeds with a given probability, and the waiting time for one server.

/// For larger means the Chernoff bound replaces the sum. It is larger, so it is safe. Up to this mean `exp(-mean)` does not
/// underflow to 0.
const SUMMED_MEAN: f64 = 600.0;
/// A decreasing sum stops at terms below this.
const NOTHING: f64 = 1e-30;

/// The smallest number that a window with this mean exceeds with at most the given probability.
pub fn most(mean: f64, exceeded: f64) -> u64 {
    if mean <= SUMMED_MEAN { summed(mean, exceeded) } else { chernoff(mean, exceeded) }
}

/// Adds the probabilities of the numbers from the largest down, which avoids cancellation.
fn summed(mean: f64, exceeded: f64) -> u64 {
    let mut each = vec![(-mean).exp()];
    while (each.len() as f64) < mean + 2.0 || each[each.len() - 1] > NOTHING {
        each.push(each[each.len() - 1] * mean / each.len() as f64);
    }
    let mut beyond = 0.0;
    for (number, probability) in each.iter().enumerate().rev() {
        beyond += probability;
        if beyond > exceeded {
            return number as u64;
        }
    }
    0
}

/// `P(N >= k) <= exp(k - mean - k ln(k / mean))` for `k` above the mean.
fn chernoff(mean: f64, exceeded: f64) -> u64 {
    let beyond = |most: u64| {
        let k = most as f64 + 1.0;
        k - mean - k * (k / mean).ln()
    };
    let (mut below, mut above) = (mean as u64, mean as u64 + 1);
    while above < u64::MAX && beyond(above) > exceeded.ln() {
        above = above.saturating_mul(2);
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if beyond(middle) > exceeded.ln() { below = middle } else { above = middle }
    }
    above
}

/// Probability that an event waits longer than `wait` service times, with one server and a constant service time of 1 (M/D/1,
/// Crommelin 1932). The sum alternates, so it is inaccurate beyond 20.
pub fn waits_longer(utilization: f64, wait: f64) -> f64 {
    let mut not_longer = 0.0;
    for served in 0..=wait.floor() as u32 {
        let gap = utilization * (f64::from(served) - wait);
        let power: f64 = (1..=served).map(|factor| gap / f64::from(factor)).product();
        not_longer += power * (-gap).exp();
    }
    1.0 - (1.0 - utilization) * not_longer
}

/// Mean waiting time in the same system, in service times (Pollaczek and Khinchine).
pub fn mean_wait(utilization: f64) -> f64 {
    utilization / (2.0 * (1.0 - utilization))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chernoff_bound_is_above_the_sum_and_near_it() {
        for mean in [1.0, 10.0, 100.0, 500.0] {
            for exceeded in [1e-6, 1e-9] {
                let (exact, safe) = (summed(mean, exceeded), chernoff(mean, exceeded));
                assert!(safe >= exact && safe <= exact + exact / 8 + 3, "{mean} {exceeded}: {exact} {safe}");
            }
        }
    }
}
