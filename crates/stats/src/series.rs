// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts samples to a series. Samples are counted only here.
use super::histogram::Histogram;
use super::quantile::quantiles;
use super::slices::{Slices, Summary};
use super::tail::Tail;
use backwall_model::merge::{self, Unmergeable};
use backwall_model::{Key, Series, Span, Sum};

/// Samples in columns of equal length, in ascending order of `seq`.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Numbers of the stimuli.
    pub seq: &'a [u64],
    /// The stimuli's times, in the series' unit since the first stimulus.
    pub at: &'a [u64],
    /// The latencies, in the series' unit.
    pub value: &'a [u64],
    /// How many of the samples are late.
    pub late: u64,
}

/// Collects any number of samples of one series in bounded memory (about 0.6 MB).
#[derive(Clone, Debug)]
pub struct SeriesBuilder {
    key: Key,
    span: Span,
    summary: Summary,
    histogram: Histogram,
    tail: Tail,
    slices: Slices,
    missed: u64,
    unseen: u64,
    skipped: u64,
    late: u64,
    warmup: u64,
}

impl SeriesBuilder {
    /// An empty series.
    pub fn new(key: Key, span: Span) -> Self {
        Self {
            key,
            span,
            summary: Summary::default(),
            histogram: Histogram::default(),
            tail: Tail::default(),
            slices: Slices::default(),
            missed: 0,
            unseen: 0,
            skipped: 0,
            late: 0,
            warmup: 0,
        }
    }

    /// The key of the series.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Takes one sample: the stimulus with number `seq` at time `at` was answered after `value`.
    pub fn sample(&mut self, seq: u64, at: u64, value: u64, late: bool) {
        self.late += u64::from(late);
        self.record_slice(&[seq], &[at], &[value]);
    }

    /// Takes many samples at once, which is faster.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn samples(&mut self, block: Block<'_>) {
        let Block { seq, at, value, late } = block;
        assert!(seq.len() == at.len() && at.len() == value.len(), "columns of one length");
        self.late += late;
        let mut start = 0;
        while start < at.len() {
            let (first, last) = (at[start], self.slices.last_of(at[start]));
            let length = at[start..].iter().position(|at| !(first..=last).contains(at)).unwrap_or(at.len() - start);
            let end = start + length;
            self.record_slice(&seq[start..end], &at[start..end], &value[start..end]);
            start = end;
        }
    }

    /// Counts `count` unanswered stimuli, the first at time `at`.
    pub fn missed(&mut self, at: u64, count: u64) {
        self.missed = self.missed.saturating_add(count);
        self.slices.add_missed(at, count);
    }

    /// Counts `count` stimuli whose answer falls into a gap of the recording, the first at time `at`.
    pub fn unseen(&mut self, at: u64, count: u64) {
        self.unseen = self.unseen.saturating_add(count);
        self.slices.add_missed(at, count);
    }

    /// Counts `count` stimuli that the overload rule skipped, as missed; the first at time `at`.
    pub fn skipped(&mut self, at: u64, count: u64) {
        self.missed(at, count);
        self.skipped = self.skipped.saturating_add(count);
    }

    /// Counts `count` answers of the warmup: they are done, but in no figure.
    pub fn warmup(&mut self, count: u64) {
        self.warmup += count;
    }

    /// Adds everything that another builder of the same series collected.
    pub fn merge(&mut self, other: &Self) {
        self.summary.merge(&other.summary);
        self.histogram.merge(&other.histogram);
        self.tail.merge(&other.tail);
        self.slices.merge(&other.slices);
        self.missed = self.missed.saturating_add(other.missed);
        self.unseen = self.unseen.saturating_add(other.unseen);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.late += other.late;
        self.warmup += other.warmup;
    }

    /// The largest value so far.
    pub fn max(&self) -> Option<u64> {
        (self.summary.count > 0).then_some(self.summary.max)
    }

    /// Number of stimuli without an answer so far.
    pub fn missed_so_far(&self) -> u64 {
        self.missed
    }

    /// Number of stimuli due so far, not counting the warmup.
    pub fn due_so_far(&self) -> u64 {
        self.summary.count.saturating_add(self.missed).saturating_add(self.unseen)
    }

    /// Number of answers so far, including the warmup.
    pub fn done(&self) -> u64 {
        self.summary.count + self.warmup
    }

    /// The series of the samples so far.
    pub fn build(&self) -> Series {
        let Summary { count, min, max, .. } = self.summary;
        let seen = count > 0;
        let Span { from, to, unit } = self.span.clone();
        let mut series = Series {
            key: self.key.clone(),
            from,
            to,
            unit,
            due: Some(self.done().saturating_add(self.missed).saturating_add(self.unseen)),
            done: self.done(),
            missed: Some(self.missed),
            unseen: self.unseen,
            skipped: self.skipped,
            late: Some(self.late),
            overflow: self.histogram.overflow(),
            warmup: self.warmup,
            edges: false,
            threshold: None,
            min: seen.then_some(min),
            sum: seen.then_some(Sum(self.summary.sum)),
            mean: self.summary.mean(),
            max: seen.then_some(max),
            jitter: seen.then(|| max - min),
            quantiles: Vec::new(),
            histogram: self.histogram.to_run(),
            worst: self.tail.to_run(),
            over_time: self.slices.to_run(),
        };
        series.quantiles = quantiles(&series);
        series
    }

    /// Adds samples of one time slice. This is the innermost loop.
    #[inline]
    fn record_slice(&mut self, seq: &[u64], at: &[u64], value: &[u64]) {
        let mut summary = Summary { count: value.len() as u64, ..Summary::default() };
        for (index, &value) in value.iter().enumerate() {
            summary.min = summary.min.min(value);
            summary.max = summary.max.max(value);
            summary.sum += u128::from(value);
            self.histogram.record(value);
            if self.tail.admits(value) {
                self.tail.push(seq[index], at[index], value);
            }
        }
        self.slices.add(at[0], &summary);
        self.summary.merge(&summary);
    }
}

/// Merges two series with the same key, and computes the quantiles of all their samples.
///
/// # Errors
/// Those of [`merge::merge`].
pub fn merged(one: Series, other: Series) -> Result<Series, Unmergeable> {
    let mut series = merge::merge(one, other)?;
    series.quantiles = quantiles(&series);
    Ok(series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use proptest::prelude::*;

    fn builder() -> SeriesBuilder {
        SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("expiry", "thread", Unit::Ns))
    }

    #[test]
    fn an_empty_series_has_no_figures() {
        let series = builder().build();
        assert_eq!((series.due, series.done, series.missed), (Some(0), 0, Some(0)));
        assert_eq!((series.min, series.max, series.jitter, series.mean), (None, None, None, None));
        assert!(series.worst.is_empty() && series.over_time.is_empty() && series.histogram.bounds.is_empty());
    }

    #[test]
    fn warm_up_is_done_but_in_no_figure() {
        let mut builder = builder();
        builder.warmup(2);
        builder.sample(2, 2_000, 50, true);
        builder.missed(3_000, 4);
        let series = builder.build();
        assert_eq!((series.due, series.done, series.missed), (Some(7), 3, Some(4)));
        assert_eq!((series.warmup, series.late), (2, Some(1)));
        assert_eq!((series.min, series.mean, series.max), (Some(50), Some(50.0), Some(50)));
    }

    #[test]
    fn the_ends_of_the_number_range_are_exact() {
        let mut builder = builder();
        builder.samples(Block {
            seq: &[0, 1, 2],
            at: &[0, u64::MAX, u64::MAX],
            value: &[0, u64::MAX, u64::MAX],
            late: 2,
        });
        let series = builder.build();
        assert_eq!((series.min, series.max, series.jitter), (Some(0), Some(u64::MAX), Some(u64::MAX)));
        assert_eq!(series.overflow, 2);
        assert_eq!(series.mean, Some(u64::MAX as f64 * 2.0 / 3.0));
        assert_eq!(series.worst.iter().map(|w| w.seq).collect::<Vec<_>>(), [1, 2, 0]);
    }

    #[test]
    fn what_cannot_be_merged_is_refused_with_its_reason() {
        let mut builder = builder();
        builder.sample(0, 0, 5_000, false);
        let series = builder.build();
        let other = Series { key: series.key.with_load("all"), ..series.clone() };
        let early = Series { sum: None, ..series.clone() };
        let mut shifted = series.clone();
        shifted.histogram.bounds[0] -= 1;
        let mut full = series.clone();
        full.due = Some(u64::MAX);
        for (wrong, what) in
            [(other, "are different series"), (early, "no sum"), (shifted, "different buckets"), (full, "due")]
        {
            let error = merged(series.clone(), wrong).unwrap_err().to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn the_worst_of_many_runs_stay_the_worst() {
        let part = |from: u64| {
            let mut builder = builder();
            (from..from + 5_000).for_each(|seq| builder.sample(seq, seq, seq * 7_919 % 10_007, false));
            builder
        };
        let (mut whole, second) = (part(0), part(5_000));
        let merged = merged(whole.build(), second.build()).unwrap();
        whole.merge(&second);
        assert_eq!(merged, Series { over_time: Vec::new(), ..whole.build() });
        assert_eq!(merged.worst.len(), backwall_model::WORST_KEPT);
    }

    fn stimuli() -> impl Strategy<Value = Vec<(u8, u64, u64)>> {
        let value = any::<u64>().prop_map(|value| value >> (value % 64));
        prop::collection::vec((0u8..10, any::<u32>().prop_map(u64::from), value), 0..400)
    }

    fn taken(stimuli: &[(u8, u64, u64)], cut: usize) -> (SeriesBuilder, [SeriesBuilder; 2]) {
        let mut whole = builder();
        let mut parts = [builder(), builder()];
        for (seq, &(kind, at, value)) in stimuli.iter().enumerate() {
            for builder in [&mut whole, &mut parts[usize::from(seq >= cut)]] {
                match kind {
                    0 if value % 2 == 0 => builder.missed(at, value % 9),
                    0 => builder.unseen(at, value % 9),
                    1 => builder.warmup(1),
                    _ => builder.sample(seq as u64, at, value, kind == 2),
                }
            }
        }
        (whole, parts)
    }

    proptest! {
        #[test]
        fn due_is_done_missed_and_unseen_however_samples_arrive(stimuli in stimuli(), cut in 0usize..400) {
            let (whole, [mut merged, second]) = taken(&stimuli, cut);
            merged.merge(&second);
            let (series, merged) = (whole.build(), merged.build());
            prop_assert_eq!(serde_json::to_value(&series).unwrap(), serde_json::to_value(&merged).unwrap());
            prop_assert_eq!(series.due, series.missed.map(|missed| series.done + missed + series.unseen));
            let counted = series.histogram.counts.iter().sum::<u64>() + series.overflow;
            prop_assert_eq!(series.done, counted + series.warmup);
            prop_assert_eq!(series.over_time.iter().map(|s| s.done).sum::<u64>(), counted);
            let in_slices = series.over_time.iter().map(|s| s.missed).sum::<u64>();
            prop_assert_eq!(Some(in_slices), series.missed.map(|missed| missed + series.unseen));
            let values = || stimuli.iter().filter(|s| s.0 > 1).map(|s| s.2);
            prop_assert_eq!((series.min, series.max), (values().min(), values().max()));
            prop_assert_eq!(series.late, Some(stimuli.iter().filter(|s| s.0 == 2).count() as u64));
        }

        #[test]
        fn two_runs_merge_into_what_one_run_would_have_given(stimuli in stimuli(), cut in 0usize..400) {
            let (whole, parts) = taken(&stimuli, cut);
            let whole = Series { over_time: Vec::new(), ..whole.build() };
            let [one, other] = parts.map(|part| part.build());
            prop_assert_eq!(&merged(one.clone(), other.clone()).unwrap(), &whole);
            prop_assert_eq!(merged(other, one).unwrap(), whole);
        }

        #[test]
        fn blocks_and_single_samples_agree(values in prop::collection::vec((any::<u32>(), any::<u64>()), 0..500)) {
            let seq: Vec<u64> = (0..values.len() as u64).collect();
            let at: Vec<u64> = values.iter().map(|v| v.0.into()).collect();
            let value: Vec<u64> = values.iter().map(|v| v.1).collect();
            let (mut single, mut block) = (builder(), builder());
            block.samples(Block { seq: &seq, at: &at, value: &value, late: 0 });
            for index in 0..values.len() {
                single.sample(seq[index], at[index], value[index], false);
            }
            prop_assert_eq!(serde_json::to_value(block.build()).unwrap(), serde_json::to_value(single.build()).unwrap());
        }
    }
}
