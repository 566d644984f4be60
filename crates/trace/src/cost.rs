// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures what tracing costs a response: backwall switches the events on and off in turn, and compares neighbouring spans.
//!
//! Phases at different times differ by more than the cost of tracing, but two short neighbouring spans hardly differ otherwise.
//! The median of many such differences has a confidence interval from their ranks.
use crate::stages::Sample;
use backwall_model::TracingCost;
use backwall_stats::median::{median, ranks};

/// Switching the events takes time and disturbs the probe. Responses within this time after the switching are left out.
const SETTLING_NS: u64 = 20_000_000;
const RESPONSES_MIN: usize = 20;
/// With too few pairs of spans, their median has no interval at this confidence.
const CONFIDENCE: f64 = 0.95;

/// A time in which all events were on, or all were off.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Whether the events were on.
    pub on: bool,
    /// When the last of the events had been switched on, or off.
    pub from_ns: u64,
    /// When the first of the events was switched back.
    pub to_ns: u64,
}

/// The median difference of neighbouring spans with its interval; `None` with too few usable pairs.
pub fn cost(spans: &[Span], samples: &[Sample]) -> Option<TracingCost> {
    let medians: Vec<Option<f64>> = spans.iter().map(|span| median_in(*span, samples)).collect();
    let pairs = spans.chunks_exact(2).zip(medians.chunks_exact(2));
    let mut differences: Vec<f64> = pairs
        .filter_map(|(spans, medians)| {
            let difference = medians[1]? - medians[0]?;
            Some(if spans[1].on { difference } else { -difference })
        })
        .collect();
    differences.sort_by(f64::total_cmp);
    let (low, high) = ranks(differences.len(), CONFIDENCE)?;
    let [ns, low_ns, high_ns] = [median(&differences), differences[low], differences[high]].map(|ns| ns.round() as i64);
    Some(TracingCost { ns, low_ns, high_ns, confidence: CONFIDENCE, pairs: differences.len() as u64 })
}

fn median_in(span: Span, samples: &[Sample]) -> Option<f64> {
    let inside = |sample: &&Sample| sample.stimulus_ns >= span.from_ns + SETTLING_NS && sample.response_ns < span.to_ns;
    let mut latencies: Vec<f64> = samples.iter().filter(inside).map(|sample| sample.latency() as f64).collect();
    latencies.sort_by(f64::total_cmp);
    (latencies.len() >= RESPONSES_MIN).then(|| median(&latencies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPAN_NS: u64 = 250_000_000;

    // Alternating spans, the first with events on. One response per millisecond, which takes 1,000 ns more while events are on.
    fn toggled(pairs: u64, noise: impl Fn(u64) -> u64) -> (Vec<Span>, Vec<Sample>) {
        let span = |index: u64| Span { on: index % 2 == 0, from_ns: index * SPAN_NS, to_ns: (index + 1) * SPAN_NS };
        let sample = |seq: u64| {
            let stimulus_ns = seq * 1_000_000;
            let on = stimulus_ns / SPAN_NS % 2 == 0;
            Sample { seq, stimulus_ns, response_ns: stimulus_ns + 9_000 + 1_000 * u64::from(on) + noise(seq) }
        };
        ((0..2 * pairs).map(span).collect(), (0..pairs * 500).map(sample).collect())
    }

    #[test]
    fn a_known_cost_comes_out_with_its_interval() {
        let (spans, samples) = toggled(8, |seq| seq * 7_919 % 41);
        let found = cost(&spans, &samples).unwrap();
        assert!((990..=1_010).contains(&found.ns), "{found:?}");
        assert!(
            found.low_ns <= found.ns && found.ns <= found.high_ns && found.high_ns - found.low_ns < 50,
            "{found:?}"
        );
        assert_eq!(found.pairs, 8);
    }

    #[test]
    fn five_pairs_do_not_bound_a_median_at_95_percent_and_six_do() {
        let of = |pairs| toggled(pairs, |_| 0);
        assert!(cost(&of(5).0, &of(5).1).is_none());
        assert!(cost(&of(6).0, &of(6).1).is_some());
    }

    proptest! {
        #[test]
        fn what_happens_soon_after_switching_does_not_count(spike in 0u64..1 << 40) {
            let (spans, mut samples) = toggled(7, |_| 0);
            for sample in samples.iter_mut().filter(|sample| sample.stimulus_ns % SPAN_NS < SETTLING_NS) {
                sample.response_ns += spike;
            }
            prop_assert_eq!(cost(&spans, &samples).unwrap().ns, 1_000);
        }
    }
}
