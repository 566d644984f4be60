// SPDX-License-Identifier: MIT OR Apache-2.0
//! Excesses over a threshold: the generalized Pareto distribution.
//!
//! Whatever the distribution of the samples, with few exceptions, the excesses of the largest samples over a high threshold
//! follow this law (Balkema, de Haan 1974; Pickands 1975). With a negative shape there is a largest possible value, with shape 0
//! it is the exponential distribution, and with a positive shape the tail is heavy.
use super::simplex::smallest;

/// A shape closer to 0 than this counts as 0.
pub(super) const ZERO: f64 = 1e-7;

/// A generalized Pareto distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    /// The scale, in the unit of the excesses; above 0.
    pub scale: f64,
    /// The shape.
    pub shape: f64,
}

impl Pareto {
    /// The probability of an excess above `excess`.
    pub fn beyond(self, excess: f64) -> f64 {
        let Self { scale, shape } = self;
        if excess <= 0.0 {
            return 1.0;
        }
        if shape.abs() < ZERO {
            return (-excess / scale).exp();
        }
        (1.0 + shape * excess / scale).max(0.0).powf(-1.0 / shape)
    }

    /// Log-likelihood of these excesses; minus infinity if one of them is impossible.
    pub fn log_likelihood(self, excesses: &[f64]) -> f64 {
        let Self { scale, shape } = self;
        let count = excesses.len() as f64;
        if scale.is_nan() || scale <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if shape.abs() < ZERO {
            return -count * scale.ln() - excesses.iter().sum::<f64>() / scale;
        }
        let slope = shape / scale;
        let mut logarithms = 0.0;
        for excess in excesses {
            let inner = 1.0 + slope * excess;
            if inner <= 0.0 {
                return f64::NEG_INFINITY;
            }
            logarithms += inner.ln();
        }
        -count * scale.ln() - (1.0 + 1.0 / shape) * logarithms
    }

    /// Fits the first two L-moments (Hosking, Wallis 1987) of at least two excesses in ascending order.
    pub fn by_moments(rising: &[f64]) -> Self {
        let count = rising.len() as f64;
        let first = rising.iter().sum::<f64>() / count;
        let weighted = rising.iter().enumerate().map(|(index, excess)| index as f64 / (count - 1.0) * excess);
        let second = 2.0 * weighted.sum::<f64>() / count - first;
        let bend = first / second - 2.0;
        Self { scale: (1.0 + bend) * first, shape: -bend }
    }

    /// The maximum-likelihood fit to excesses in ascending order.
    pub fn most_likely(rising: &[f64]) -> Self {
        let start = Self::by_moments(rising);
        // If the fit by moments rules out the largest excess, the search begins at the exponential distribution.
        let start = if start.log_likelihood(rising).is_finite() {
            start
        } else {
            Self { scale: rising.iter().sum::<f64>() / rising.len() as f64, shape: 0.0 }
        };
        let unlikely = |x: &[f64; 2]| -of_numbers(x).likelihood_above_minus_one(rising);
        of_numbers(&smallest([start.scale.ln(), start.shape], [0.1, 0.1], unlikely))
    }

    /// The log-likelihood for shapes of at least -1; below that it has no maximum.
    fn likelihood_above_minus_one(self, excesses: &[f64]) -> f64 {
        if self.shape < -1.0 { f64::NEG_INFINITY } else { self.log_likelihood(excesses) }
    }
}

fn of_numbers(x: &[f64; 2]) -> Pareto {
    Pareto { scale: x[0].exp(), shape: x[1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, known: f64, within: f64) {
        assert!((found - known).abs() <= within, "{found}, not {known}");
    }

    // The quantiles at (i - 1/2)/200 of a distribution with scale 3.
    fn grid(shape: f64) -> Vec<f64> {
        let one =
            |at: f64| if shape == 0.0 { -3.0 * (1.0 - at).ln() } else { 3.0 / shape * ((1.0 - at).powf(-shape) - 1.0) };
        (0..200).map(|index| one((f64::from(index) + 0.5) / 200.0)).collect()
    }

    // The daily rainfall above 30 mm in south-west England from 1914 to 1962, from 17,531 days: Coles, "An Introduction to
    // Statistical Modeling of Extreme Values" (2001), example 1.6.
    const RAIN: [f64; 152] = [
        30.2, 30.2, 30.2, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.5, 30.7,
        31.0, 31.0, 31.0, 31.2, 31.2, 31.2, 31.7, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8, 31.8,
        32.0, 32.0, 32.0, 32.3, 32.3, 32.5, 32.5, 32.5, 32.8, 33.0, 33.0, 33.0, 33.0, 33.0, 33.0, 33.0, 33.3, 33.5,
        33.5, 33.5, 33.5, 33.5, 33.5, 33.8, 33.8, 34.0, 34.0, 34.0, 34.3, 34.3, 34.3, 34.3, 34.3, 34.8, 34.8, 35.1,
        35.3, 35.3, 35.3, 35.3, 35.3, 35.6, 35.6, 35.6, 35.6, 35.6, 35.6, 36.1, 36.3, 36.3, 36.6, 36.6, 36.8, 36.8,
        37.1, 37.3, 37.6, 37.6, 37.8, 38.1, 38.1, 38.1, 38.1, 38.1, 38.4, 38.4, 39.1, 39.4, 39.4, 39.4, 39.4, 39.9,
        40.1, 40.6, 40.9, 40.9, 41.9, 41.9, 42.4, 42.7, 42.9, 43.2, 43.4, 44.2, 44.5, 44.5, 45.2, 45.7, 45.7, 45.7,
        47.0, 47.0, 47.0, 47.5, 47.8, 47.8, 48.5, 48.5, 48.8, 51.3, 51.3, 51.6, 53.3, 54.9, 55.4, 55.9, 55.9, 59.2,
        59.4, 59.4, 67.3, 72.4, 76.7, 83.3, 85.3, 86.6,
    ];

    #[test]
    fn the_rain_of_england_has_the_published_fit() {
        let excesses = RAIN.map(|day| day - 30.0);
        let found = Pareto::most_likely(&excesses);
        close(found.scale, 7.44, 0.005);
        close(found.shape, 0.184, 0.0006);
        close(found.log_likelihood(&excesses), -485.1, 0.05);
        // The published 100-year level is exceeded once in 36,500 days.
        close(found.beyond(106.3 - 30.0) * 152.0 / 17_531.0 * 36_500.0, 1.0, 0.005);
        let found = Pareto::by_moments(&excesses);
        close(found.scale, 7.299019, 1e-5);
        close(found.shape, 0.196516, 1e-5);
    }

    #[test]
    fn the_fits_of_three_grids_are_those_of_two_other_programs() {
        let known = [
            (-0.2, 499.765316, (3.033331, -0.212546), -379.42308, (2.974331, -0.190291)),
            (0.2, 745.277247, (3.0204, 0.191118), -459.30149, (2.981862, 0.199798)),
            (0.0, 598.960904, (3.026165, -0.010468), -419.36569, (2.975403, 0.006478)),
        ];
        for (shape, sum, likely, log_likelihood, moments) in known {
            let excesses = grid(shape);
            close(excesses.iter().sum(), sum, 1e-5);
            let found = Pareto::most_likely(&excesses);
            close(found.scale, likely.0, 1e-4);
            close(found.shape, likely.1, 1e-4);
            close(found.log_likelihood(&excesses), log_likelihood, 1e-4);
            let found = Pareto::by_moments(&excesses);
            close(found.scale, moments.0, 1e-5);
            close(found.shape, moments.1, 1e-5);
        }
    }

    #[test]
    fn an_impossible_excess_has_no_likelihood_and_nothing_lies_beyond_the_end() {
        let bounded = Pareto { scale: 1.0, shape: -0.5 };
        assert_eq!(bounded.beyond(2.0), 0.0);
        assert_eq!(bounded.beyond(-1.0), 1.0);
        assert_eq!(bounded.log_likelihood(&[0.5, 2.5]), f64::NEG_INFINITY);
        assert_eq!(Pareto { scale: 0.0, shape: 0.1 }.log_likelihood(&[1.0]), f64::NEG_INFINITY);
    }
}
