// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes the times of some variants relative to others, round by round, with confidence limits.
use backwall_model::picture::{Form, Ratio, round_ratios};
use backwall_stats::median::{median, ranks};

pub const CONFIDENCE: f64 = 0.95;

/// The summed times of the variants `above` divided by those of `below`: the median over all rounds; `None` without a round.
pub fn ratio(forms: &[Form], above: &[String], below: &[String]) -> Option<Ratio> {
    let ratios = round_ratios(forms, above, below);
    let limits = ranks(ratios.len(), CONFIDENCE).map(|(low, high)| [ratios[low], ratios[high]]);
    (!ratios.is_empty()).then(|| Ratio { median: median(&ratios), limits })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(compute: &[u64], display: &[u64], both: &[u64]) -> Option<Ratio> {
        let forms = [("compute", compute), ("display", display), ("both", both)];
        let forms = forms.map(|(name, times)| Form { name: name.into(), times: times.to_vec() });
        ratio(&forms, &["both".into()], &["compute".into(), "display".into()])
    }

    #[test]
    fn the_posts_own_figures_give_its_own_ratio() {
        let post = of(&[9], &[2], &[20]).unwrap();
        assert!((post.median - 20.0 / 11.0).abs() < 1e-12);
        assert_eq!(post.limits, None);
    }

    #[test]
    fn six_rounds_are_limited_by_their_ends_and_nine_by_their_second() {
        let (ones, none): (Vec<u64>, Vec<u64>) = (vec![1; 9], vec![0; 9]);
        let both: Vec<u64> = (1..=9).collect();
        let first = |count: usize| of(&ones[..count], &none[..count], &both[..count]);
        assert_eq!(first(6).unwrap().limits, Some([1.0, 6.0]));
        assert_eq!(first(5).unwrap().limits, None);
        assert_eq!(first(9).unwrap().limits, Some([2.0, 8.0]));
        assert!(first(0).is_none());
    }
}
