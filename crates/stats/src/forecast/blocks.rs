// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maxima of blocks of equal length: the generalized extreme value distribution.
//!
//! The maximum of many samples follows this distribution, whatever that of the samples (Fisher, Tippett 1928; Gnedenko 1943).
use super::peaks::ZERO;
use super::simplex::smallest;

/// Euler's constant: the mean of a Gumbel distribution of location 0 and scale 1.
const EULER: f64 = 0.577_215_664_901_532_9;

/// A generalized extreme value distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The location, in the unit of the maxima.
    pub location: f64,
    /// The scale, in the unit of the maxima; above 0.
    pub scale: f64,
    /// The shape; it is the same as for excesses over a threshold.
    pub shape: f64,
}

impl Extreme {
    /// -ln P(maximum ≤ value): the share of blocks whose maximum exceeds `value`, as the rate of a Poisson process.
    pub fn rate_beyond(self, value: f64) -> f64 {
        let Self { location, scale, shape } = self;
        let from = (value - location) / scale;
        if shape.abs() < ZERO {
            return (-from).exp();
        }
        let inner = 1.0 + shape * from;
        if inner <= 0.0 {
            return if shape > 0.0 { f64::INFINITY } else { 0.0 };
        }
        inner.powf(-1.0 / shape)
    }

    /// The value that the maximum of a block exceeds with this probability.
    pub fn return_level(self, chance: f64) -> f64 {
        let Self { location, scale, shape } = self;
        let rate = -(1.0 - chance).ln();
        if shape.abs() < ZERO {
            location - scale * rate.ln()
        } else {
            location + scale / shape * (rate.powf(-shape) - 1.0)
        }
    }

    /// Log-likelihood of these maxima; minus infinity if one of them is impossible.
    pub fn log_likelihood(self, maxima: &[f64]) -> f64 {
        let Self { location, scale, shape } = self;
        if scale.is_nan() || scale <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let mut sum = -(maxima.len() as f64) * scale.ln();
        for maximum in maxima {
            let from = (maximum - location) / scale;
            let log_rate = if shape.abs() < ZERO {
                -from
            } else {
                let inner = 1.0 + shape * from;
                if inner <= 0.0 {
                    return f64::NEG_INFINITY;
                }
                -inner.ln() / shape
            };
            sum += (1.0 + shape) * log_rate - log_rate.exp();
        }
        sum
    }

    /// The Gumbel distribution with the maxima's mean and standard deviation.
    pub fn by_moments(maxima: &[f64]) -> Self {
        let count = maxima.len() as f64;
        let mean = maxima.iter().sum::<f64>() / count;
        let variance = maxima.iter().map(|maximum| (maximum - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let scale = (6.0 * variance).sqrt() / std::f64::consts::PI;
        Self { location: mean - EULER * scale, scale, shape: 0.0 }
    }

    /// The maximum-likelihood fit.
    pub fn most_likely(maxima: &[f64]) -> Self {
        let start = Self::by_moments(maxima);
        let unlikely = |x: &[f64; 3]| {
            if x[2] < -1.0 { f64::INFINITY } else { -of_numbers(x).log_likelihood(maxima) }
        };
        let from = [start.location, start.scale.ln(), 0.05];
        of_numbers(&smallest(from, [start.scale / 4.0, 0.1, 0.1], unlikely))
    }
}

fn of_numbers(x: &[f64; 3]) -> Extreme {
    Extreme { location: x[0], scale: x[1].exp(), shape: x[2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, known: f64, within: f64) {
        assert!((found - known).abs() <= within, "{found}, not {known}");
    }

    // Annual maxima of the sea level at Port Pirie in metres, 1923 to 1987: Coles, "An Introduction to Statistical
    // Modeling of Extreme Values" (2001), example 1.1.
    const PORT_PIRIE: [f64; 65] = [
        4.03, 3.83, 3.65, 3.88, 4.01, 4.08, 4.18, 3.80, 4.36, 3.96, 3.98, 4.69, 3.85, 3.96, 3.85, 3.93, 3.75, 3.63,
        3.57, 4.25, 3.97, 4.05, 4.24, 4.22, 3.73, 4.37, 4.06, 3.71, 3.96, 4.06, 4.55, 3.79, 3.89, 4.11, 3.85, 3.86,
        3.86, 4.21, 4.01, 4.11, 4.24, 3.96, 4.21, 3.74, 3.85, 3.88, 3.66, 4.11, 3.71, 4.18, 3.90, 3.78, 3.91, 3.72,
        4.00, 3.66, 3.62, 4.33, 4.55, 3.75, 4.08, 3.90, 3.88, 3.94, 4.33,
    ];

    #[test]
    fn the_sea_levels_of_port_pirie_have_the_published_fit() {
        let found = Extreme::most_likely(&PORT_PIRIE);
        close(found.location, 3.87, 0.005);
        close(found.scale, 0.198, 0.0005);
        close(found.shape, -0.050, 0.0005);
        close(found.log_likelihood(&PORT_PIRIE), 4.34, 0.005);
        close(found.return_level(0.1), 4.30, 0.005);
        close(found.return_level(0.01), 4.69, 0.005);
        close(found.rate_beyond(found.return_level(0.01)), -(0.99_f64.ln()), 1e-9);
    }

    #[test]
    fn the_fits_of_two_grids_are_those_of_two_other_programs() {
        let known = [
            (Extreme { location: 10.0, scale: 2.0, shape: 0.1 }, (10.001939, 1.986419, 0.098357), -232.13264),
            (Extreme { location: 50.0, scale: 5.0, shape: -0.25 }, (50.029973, 4.981343, -0.258378), -303.64871),
        ];
        for (exact, likely, log_likelihood) in known {
            let maxima: Vec<f64> = (0..100).map(|at| exact.return_level(1.0 - (f64::from(at) + 0.5) / 100.0)).collect();
            let found = Extreme::most_likely(&maxima);
            close(found.location, likely.0, 1e-4);
            close(found.scale, likely.1, 1e-4);
            close(found.shape, likely.2, 1e-4);
            close(found.log_likelihood(&maxima), log_likelihood, 1e-4);
        }
    }

    #[test]
    fn below_the_least_and_above_the_largest_possible_maximum_the_rate_says_so() {
        let heavy = Extreme { location: 0.0, scale: 1.0, shape: 0.5 };
        let bounded = Extreme { shape: -0.5, ..heavy };
        assert_eq!(heavy.rate_beyond(-3.0), f64::INFINITY);
        assert_eq!(bounded.rate_beyond(3.0), 0.0);
        close(Extreme { shape: 0.0, ..heavy }.rate_beyond(1.0), (-1.0_f64).exp(), 1e-12);
    }
}
