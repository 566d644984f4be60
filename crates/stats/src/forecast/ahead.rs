// SPDX-License-Identifier: MIT OR Apache-2.0
//! The maximum of a given number of future stimuli, as a distribution.
//!
//! It includes the uncertainty of the fitted law, by drawing among the laws that fit, and the scatter of a single maximum. The
//! confidence interval of a fitted return level lacks the scatter and would miss the maximum too often.
use super::blocks::Extreme;
use super::clusters::Clusters;
use super::peaks::Pareto;
use super::posterior::draws;

/// Prior spread of shapes: without samples, most shapes are between -0.4 and 0.4.
const USUAL_SHAPES: f64 = 0.2;
/// Steps of a bisection; after these it has reached the resolution of a double.
const HALVINGS: usize = 48;

/// The laws that fit, by one of the two methods.
#[derive(Clone, Debug)]
pub enum Ahead {
    /// Peaks over a threshold.
    Peaks {
        /// The threshold.
        threshold: f64,
        /// The laws of the excesses over the threshold.
        laws: Vec<Pareto>,
        /// Number of independent peaks.
        peaks: f64,
        /// Number of stimuli in which these peaks occurred.
        length: f64,
    },
    /// Maxima of blocks.
    Blocks {
        /// Laws of a block's maximum.
        laws: Vec<Extreme>,
        /// Number of stimuli per block.
        length: f64,
        /// The smallest maximum of a block.
        least: f64,
    },
}

impl Ahead {
    /// Fits the laws to the independent peaks of `length` stimuli.
    pub fn of_peaks(clusters: &Clusters, length: u64, seed: u64) -> Self {
        let excesses = clusters.excesses();
        let fit = Pareto::most_likely(&excesses);
        let count = excesses.len() as f64;
        let step = [1.2 * (2.0 / count).sqrt(), 1.2 / count.sqrt()];
        let likely = |x: &[f64; 2]| usual(x[1]) + Pareto { scale: x[0].exp(), shape: x[1] }.log_likelihood(&excesses);
        let laws = draws([fit.scale.ln(), fit.shape], step, likely, seed);
        let laws = laws.into_iter().map(|x| Pareto { scale: x[0].exp(), shape: x[1] }).collect();
        Self::Peaks { threshold: clusters.threshold as f64, laws, peaks: count, length: length as f64 }
    }

    /// Fits the laws to the maxima of blocks of `length` stimuli each.
    pub fn of_blocks(maxima: &[f64], length: f64, seed: u64) -> Self {
        let fit = Extreme::most_likely(maxima);
        let count = (maxima.len() as f64).sqrt();
        let step = [0.8 * fit.scale / count, 0.7 / count, 0.7 / count];
        let law = |x: &[f64; 3]| Extreme { location: x[0], scale: x[1].exp(), shape: x[2] };
        let likely = |x: &[f64; 3]| usual(x[2]) + law(x).log_likelihood(maxima);
        let laws = draws([fit.location, fit.scale.ln(), fit.shape], step, likely, seed).iter().map(law).collect();
        Self::Blocks { laws, length, least: maxima.iter().copied().fold(f64::INFINITY, f64::min) }
    }

    /// The probability that the maximum of `stimuli` stimuli does not exceed `value`.
    pub fn at_most(&self, value: f64, stimuli: f64) -> f64 {
        match self {
            Self::Peaks { threshold, laws, peaks, length } => {
                // The rate of peaks is known only from their number, so average over its gamma distribution.
                let one =
                    |law: &Pareto| (-(peaks + 0.5) * (law.beyond(value - threshold) * stimuli / length).ln_1p()).exp();
                laws.iter().map(one).sum::<f64>() / laws.len() as f64
            }
            Self::Blocks { laws, length, .. } => {
                let one = |law: &Extreme| (-law.rate_beyond(value) * stimuli / length).exp();
                laws.iter().map(one).sum::<f64>() / laws.len() as f64
            }
        }
    }

    /// The value that the maximum of `stimuli` stimuli does not exceed with this probability.
    pub fn quantile(&self, chance: f64, stimuli: f64) -> f64 {
        let (Self::Peaks { threshold: least, .. } | Self::Blocks { least, .. }) = self;
        let mut step = least.abs().max(1.0);
        while self.at_most(least + step, stimuli) < chance && step < 1e19 {
            step *= 2.0;
        }
        let (mut low, mut high) = (*least, least + step);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.at_most(middle, stimuli) < chance {
                low = middle
            } else {
                high = middle
            }
            if high - low < 0.5 && low > 1_000.0 {
                break;
            }
        }
        high
    }

    /// The shape of the tail: lower 95 % limit, median, upper 95 % limit.
    pub fn shape(&self) -> [f64; 3] {
        let mut shapes: Vec<f64> = match self {
            Self::Peaks { laws, .. } => laws.iter().map(|law| law.shape).collect(),
            Self::Blocks { laws, .. } => laws.iter().map(|law| law.shape).collect(),
        };
        shapes.sort_unstable_by(f64::total_cmp);
        [0.025, 0.5, 0.975].map(|share| shapes[(share * shapes.len() as f64) as usize])
    }
}

fn usual(shape: f64) -> f64 {
    if shape < -1.0 { f64::NEG_INFINITY } else { -0.5 * (shape / USUAL_SHAPES).powi(2) }
}
