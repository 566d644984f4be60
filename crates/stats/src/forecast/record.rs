// SPDX-License-Identifier: MIT OR Apache-2.0
//! The input of a forecast: the largest samples of a series in order.
use super::Refusal;
use backwall_model::Series;

/// Minimum number of samples for a forecast.
pub const FEWEST_SAMPLES: u64 = 5_000;
/// If the largest value occurs this often, the recorder limited its values.
const CUT_OFF: usize = 3;

/// One of the largest samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Number of its stimulus, from 0, not counting the warmup.
    pub position: u64,
    /// The latency, in the unit of the series.
    pub value: u64,
}

/// The largest samples of a series, in order of position.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The samples; every sample above the smallest of these is included.
    pub peaks: Vec<Peak>,
    /// Number of stimuli that were due.
    pub length: u64,
    /// Time between stimuli, in the unit of the series; `None` if times are unknown.
    pub period: Option<f64>,
}

impl Record {
    /// The largest samples of a series that contains their order.
    ///
    /// # Errors
    /// If the series has no order or too few samples, or its largest sample is not known.
    pub fn of(series: &Series) -> Result<Self, Refusal> {
        let counted = series.counted();
        if let Some(limit) = series.threshold {
            return Err(Refusal::Threshold { limit });
        }
        if counted > 0 && (series.worst.is_empty() || series.edges) {
            return Err(Refusal::NoOrder);
        }
        if counted < FEWEST_SAMPLES {
            return Err(Refusal::TooFew { samples: counted, needed: FEWEST_SAMPLES });
        }
        if series.unseen > 0 {
            return Err(Refusal::Unseen { samples: series.unseen });
        }
        let limit = series.max.unwrap_or(0);
        if series.overflow > 0 {
            return Err(Refusal::CutOff { limit, samples: series.overflow });
        }
        let mut peaks: Vec<Peak> = series
            .worst
            .iter()
            .map(|worst| Peak { position: worst.seq.saturating_sub(series.warmup), value: worst.value })
            .collect();
        let at_limit = times_of_largest(&peaks);
        if is_cut_off(&peaks, at_limit) {
            return Err(Refusal::CutOff { limit, samples: at_limit as u64 });
        }
        peaks.sort_unstable_by_key(|peak| peak.position);
        let last = peaks.last().map_or(0, |peak| peak.position.saturating_add(1));
        let length = series.due.unwrap_or(series.done).saturating_sub(series.warmup).max(last);
        Ok(Self { peaks, length, period: period_of(series) })
    }

    /// The largest sample in each of `parts` equal parts; `None` for a part that contains none of the stored samples.
    pub fn maxima(&self, parts: u64) -> Vec<Option<u64>> {
        let mut maxima = vec![None; usize::try_from(parts).unwrap_or(0)];
        for peak in &self.peaks {
            let part = u128::from(peak.position) * u128::from(parts) / u128::from(self.length.max(1));
            let most = &mut maxima[(part as usize).min(parts as usize - 1)];
            *most = (*most).max(Some(peak.value));
        }
        maxima
    }
}

fn period_of(series: &Series) -> Option<f64> {
    let first = series.worst.iter().min_by_key(|worst| worst.seq)?;
    let last = series.worst.iter().max_by_key(|worst| worst.seq)?;
    let time = last.at?.checked_sub(first.at?)?;
    (time > 0 && last.seq > first.seq).then(|| time as f64 / (last.seq - first.seq) as f64)
}

fn times_of_largest(largest_first: &[Peak]) -> usize {
    largest_first.iter().take_while(|peak| peak.value == largest_first[0].value).count()
}

/// Whether the largest value is more frequent than any just below it. A recorder that limits its values collects samples there.
fn is_cut_off(largest_first: &[Peak], at_limit: usize) -> bool {
    let below = &largest_first[at_limit..largest_first.len().min(at_limit + 100)];
    let most = below.chunk_by(|one, other| one.value == other.value).map(<[Peak]>::len).max().unwrap_or(0);
    at_limit >= CUT_OFF && at_limit > 2 * most
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::SeriesBuilder;
    use backwall_model::units::Unit;
    use backwall_model::{Key, Span};

    pub fn series_of(values: impl IntoIterator<Item = u64>) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns));
        for (seq, value) in (0..).zip(values) {
            builder.sample(seq, seq * 1_000_000, value, false);
        }
        builder.build()
    }

    #[test]
    fn the_largest_of_equal_parts_are_those_of_the_samples() {
        let record = Record::of(&series_of((0..6_000).map(|n| n * 7_919 % 6_007))).unwrap();
        let all: Vec<u64> = (0..6_000).map(|n| n * 7_919 % 6_007).collect();
        let known: Vec<Option<u64>> = all.chunks(600).map(|part| part.iter().max().copied()).collect();
        assert_eq!((record.length, record.maxima(10), record.period), (6_000, known, Some(1e6)));
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        let rising = || series_of(0..6_000);
        let refused = |series: &Series| Record::of(series).unwrap_err();
        assert_eq!(refused(&series_of(0..100)), Refusal::TooFew { samples: 100, needed: FEWEST_SAMPLES });
        assert_eq!(refused(&Series { worst: Vec::new(), ..rising() }), Refusal::NoOrder);
        assert_eq!(refused(&Series { threshold: Some(7), ..rising() }), Refusal::Threshold { limit: 7 });
        assert_eq!(refused(&Series { unseen: 3, ..rising() }), Refusal::Unseen { samples: 3 });
        assert_eq!(refused(&Series { overflow: 2, ..rising() }), Refusal::CutOff { limit: 5_999, samples: 2 });
        let clamped = series_of((0..6_000).map(|n| (n * 7_919 % 6_007).min(5_990)));
        assert_eq!(refused(&clamped), Refusal::CutOff { limit: 5_990, samples: 17 });
        assert!(matches!(Record::of(&rising()), Ok(Record { length: 6_000, .. })));
    }
}
