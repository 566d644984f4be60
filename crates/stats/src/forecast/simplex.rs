// SPDX-License-Identifier: MIT OR Apache-2.0
//! Minimises a function of a few variables: the simplex method of Nelder and Mead (1965).

const ROUNDS: usize = 2_000;
/// Values of the function that differ by less count as equal.
const SAME: f64 = 1e-12;

/// The point near `start` where `f` is smallest. `step` is the size of the first step.
pub fn smallest<const N: usize>(start: [f64; N], step: [f64; N], f: impl Fn(&[f64; N]) -> f64) -> [f64; N] {
    let mut corners: Vec<([f64; N], f64)> = (0..=N)
        .map(|index| {
            let mut corner = start;
            if index < N {
                corner[index] += step[index];
            }
            (corner, f(&corner))
        })
        .collect();
    for _ in 0..ROUNDS {
        corners.sort_by(|one, other| one.1.total_cmp(&other.1));
        if corners[N].1 - corners[0].1 < SAME && spread(&corners) < 1e-8 {
            break;
        }
        step_once(&mut corners, &f);
    }
    corners.sort_by(|one, other| one.1.total_cmp(&other.1));
    corners[0].0
}

fn step_once<const N: usize>(corners: &mut [([f64; N], f64)], f: &impl Fn(&[f64; N]) -> f64) {
    let worst = corners[N];
    let middle: [f64; N] = std::array::from_fn(|i| corners[..N].iter().map(|c| c.0[i]).sum::<f64>() / N as f64);
    let along = |factor: f64| {
        let point: [f64; N] = std::array::from_fn(|i| middle[i] + factor * (worst.0[i] - middle[i]));
        (point, f(&point))
    };
    let mirrored = along(-1.0);
    let chosen = if mirrored.1 < corners[0].1 {
        let further = along(-2.0);
        if further.1 < mirrored.1 { further } else { mirrored }
    } else if mirrored.1 < corners[N - 1].1 {
        mirrored
    } else {
        along(if mirrored.1 < worst.1 { -0.5 } else { 0.5 })
    };
    if chosen.1 < worst.1 {
        corners[N] = chosen;
        return;
    }
    let best = corners[0].0;
    for corner in &mut corners[1..] {
        corner.0 = std::array::from_fn(|i| (corner.0[i] + best[i]) / 2.0);
        corner.1 = f(&corner.0);
    }
}

fn spread<const N: usize>(corners: &[([f64; N], f64)]) -> f64 {
    let apart = |i: usize| corners.iter().map(|c| (c.0[i] - corners[0].0[i]).abs()).fold(0.0, f64::max);
    (0..N).map(apart).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_curved_valley_is_found() {
        let valley = |x: &[f64; 2]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
        let found = smallest([-1.2, 1.0], [0.5, 0.5], valley);
        assert!((found[0] - 1.0).abs() < 1e-5 && (found[1] - 1.0).abs() < 1e-5, "{found:?}");
    }
}
