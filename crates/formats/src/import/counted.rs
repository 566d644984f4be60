// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts another tool's distribution to a series. Nothing is added, and a file that contradicts itself is an error.
use backwall_model::units::Unit;
use backwall_model::{Histogram, Key, Quantile, Series, Span, Warning};
use backwall_stats::quantile::quantiles;
use std::collections::BTreeMap;
use std::ops::Range;

/// Nanoseconds per microsecond, the unit of most tools.
pub(super) const US: u64 = 1_000;

const BEYOND: &str = "its maximum is out of range";

// One sample per nanosecond for a century.
const MOST_SAMPLES: u64 = 1 << 62;

/// The classes of backwall's own histogram are narrower than their value divided by this.
const OURS_PER_VALUE: u64 = 512;

#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) key: Key,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    /// The classes, by lower bound: the first value above the class, and its number of samples.
    pub(super) classes: BTreeMap<u64, (u64, u64)>,
    /// Lower bound of the values above all classes.
    pub(super) end: u64,
    /// Number of all samples. Those that are in no class were larger than every class.
    pub(super) done: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    /// The mean that the tool printed; `None` if it printed none.
    pub(super) mean: Option<f64>,
    /// The tool printed no minimum and maximum; these are the bounds of its classes.
    pub(super) edges: bool,
    /// Percentiles that the tool printed: level in (0, 1), rank from 1, and value.
    pub(super) percentiles: Vec<Percentile>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Percentile {
    pub(super) q: f64,
    pub(super) rank: u64,
    pub(super) value: u64,
}

impl Counted {
    pub(super) fn new(key: Key, from: &'static str, to: &'static str) -> Self {
        Self {
            key,
            from,
            to,
            classes: BTreeMap::new(),
            end: 0,
            done: 0,
            min: 0,
            max: 0,
            mean: None,
            edges: false,
            percentiles: Vec::new(),
        }
    }

    /// Counts `count` samples with a single value.
    pub(super) fn value(&mut self, value: u64, count: u64) -> Option<()> {
        self.class(value, value.checked_add(1)?, count)
    }

    /// Counts `count` samples from `low` to below `next`; `None` on overflow.
    pub(super) fn class(&mut self, low: u64, next: u64, count: u64) -> Option<()> {
        let fits = low < next
            && self.classes.range(..=low).next_back().is_none_or(|(_, (end, _))| *end <= low)
            && self.classes.range(low..).next().is_none_or(|(start, _)| next <= *start);
        if count == 0 {
            return Some(());
        }
        fits.then(|| self.classes.insert(low, (next, count)))?;
        Some(())
    }

    /// Number of samples in the classes; `None` if it exceeds 64 bits.
    pub(super) fn inside(&self) -> Option<u64> {
        self.classes.values().try_fold(0u64, |sum, (_, count)| sum.checked_add(*count))
    }

    /// The series of a tool that prints no distribution: the samples lie between minimum and maximum, and no quantile is known.
    pub(super) fn summarised(mut self) -> Result<Series, String> {
        let after = self.max.checked_add(1).ok_or(BEYOND)?;
        self.class(self.min, after, self.done)
            .ok_or_else(|| format!("{}: minimum {} ns is above maximum {} ns", self.key.label(), self.min, self.max))?;
        Ok(Series { quantiles: Vec::new(), ..self.series()? })
    }

    /// Like [`Self::summarised`], but for a tool that prints no minimum: only one sample, the maximum, has a known value.
    pub(super) fn up_to(mut self) -> Result<Series, String> {
        let after = self.max.checked_add(1).ok_or(BEYOND)?;
        self.edges = true;
        let others = if self.max == 0 { 0 } else { self.done.saturating_sub(1) };
        self.class(self.max, after, self.done - others).ok_or(BEYOND)?;
        self.class(0, self.max, others).ok_or(BEYOND)?;
        Ok(Series { quantiles: Vec::new(), ..self.series()? })
    }

    /// Extends the last class to the maximum, for tools whose last class also counts larger values.
    pub(super) fn widen_last(&mut self) {
        let beyond = self.max.saturating_add(1);
        if let Some(mut last) = self.classes.last_entry() {
            let (next, _) = last.get_mut();
            *next = beyond.max(*next);
        }
    }

    /// Extends the first class down to the minimum, because oslat's -B adds its bias to each row.
    pub(super) fn widen_first(&mut self) {
        let first = self.classes.first_key_value().map(|(low, class)| (*low, *class));
        if let Some((low, class)) = first.filter(|(low, _)| self.min < *low) {
            self.classes.remove(&low);
            self.classes.insert(self.min, class);
            // The tool's mean is wrong: for these smaller values the tool used the value of their row.
            self.mean = None;
        }
    }

    /// Takes the minimum and maximum of a tool that prints early wakeups as negative values but counts them by their absolute
    /// value.
    pub(super) fn signed_extremes(&mut self, min: i64, max: i64) -> Option<Warning> {
        let first = self.classes.keys().next().copied().unwrap_or(0);
        self.min = u64::try_from(min).unwrap_or(first);
        self.max = u64::try_from(max).unwrap_or(0);
        let text = || {
            format!(
                "the thread woke early, by up to {} ns; samples below 0 count by their absolute value",
                min.unsigned_abs()
            )
        };
        (min < 0).then(|| Warning::new("early", text()))
    }

    /// The series, or one line that says which figures contradict each other.
    pub(super) fn series(mut self) -> Result<Series, String> {
        let wrong = |key: &Key, what: String| format!("{}: {what}", key.label());
        let inside = self.inside().filter(|_| self.done <= MOST_SAMPLES);
        let inside = inside.ok_or_else(|| wrong(&self.key, "too many samples to count".into()))?;
        let beyond = self
            .done
            .checked_sub(inside)
            .ok_or_else(|| wrong(&self.key, format!("{inside} samples in the distribution, expected {}", self.done)))?;
        if self.edges {
            self.take_edges();
        }
        self.put_beyond(beyond).map_err(|what| wrong(&self.key, what))?;
        self.split().map_err(|what| wrong(&self.key, what))?;
        let (first, last) = self.ends();
        // The mean is printed with few digits, so rounding alone may move it past the minimum or maximum.
        let between = |mean: f64| mean.is_finite() && mean + 10.0 >= self.min as f64 && mean <= self.max as f64 + 10.0;
        if self.done > 0 && (self.min > self.max || !first.contains(&self.min) || !last.contains(&self.max)) {
            return Err(wrong(
                &self.key,
                format!("minimum {} and maximum {} ns contradict the buckets", self.min, self.max),
            ));
        }
        if let Some(mean) = self.mean.filter(|mean| self.done > 0 && !between(*mean)) {
            return Err(wrong(&self.key, format!("mean {mean} ns must be between {} and {} ns", self.min, self.max)));
        }
        Ok(self.described())
    }

    fn take_edges(&mut self) {
        self.min = self.classes.keys().next().copied().unwrap_or(0);
        self.max = self.classes.values().next_back().map_or(0, |(next, _)| next - 1);
    }

    /// Splits classes at the samples whose rank is known: samples of smaller rank are not larger.
    fn split(&mut self) -> Result<(), String> {
        let mut ranks: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for Percentile { rank, value, .. } in &self.percentiles {
            let (least, most) = ranks.entry(*value).or_insert((*rank, *rank));
            (*least, *most) = ((*least).min(*rank), (*most).max(*rank));
        }
        for (value, ranks) in ranks {
            self.split_at(value, ranks)
                .ok_or_else(|| format!("a percentile of {value} ns contradicts the distribution"))?;
        }
        Ok(())
    }

    fn split_at(&mut self, value: u64, (least, most): (u64, u64)) -> Option<()> {
        let (low, (next, count)) = self.classes.range(..=value).next_back().map(|(low, class)| (*low, *class))?;
        let before: u64 = self.classes.range(..low).map(|(_, (_, count))| count).sum();
        let below = least.checked_sub(before + 1).filter(|below| value < next && (low < value || *below == 0))?;
        let above = (before + count).checked_sub(most)?;
        let (inside, above) = if value + 1 < next { (count - below - above, above) } else { (count - below, 0) };
        self.classes.remove(&low);
        for (low, next, count) in [(low, value, below), (value, value + 1, inside), (value + 1, next, above)] {
            self.class(low, next, count).or((count == 0).then_some(()))?;
        }
        Some(())
    }

    /// The class of the minimum (the first) and of the maximum (the last). backwall's own export writes a wide last class as a
    /// row at its lower bound, so the maximum may lie a little above that row.
    fn ends(&self) -> (Range<u64>, Range<u64>) {
        let range = |(low, (next, _)): (&u64, &(u64, u64))| *low..*next;
        let [first, last] = [self.classes.iter().next(), self.classes.iter().next_back()];
        let [first, last] = [first, last].map(|class| class.map_or(0..u64::MAX, range));
        (first, last.start..last.end.saturating_add(last.end / OURS_PER_VALUE))
    }

    /// Adds samples above the last class as one more class, which extends to the maximum.
    fn put_beyond(&mut self, beyond: u64) -> Result<(), String> {
        let end = self.classes.values().next_back().map_or(self.min, |(end, _)| *end).max(self.end);
        let after = self.max.checked_add(1).ok_or(BEYOND)?;
        if beyond > 0 && self.class(end, after, beyond).is_none() {
            return Err(format!("{beyond} samples beyond the last bucket, but the maximum is {} ns", self.max));
        }
        Ok(())
    }

    fn described(self) -> Series {
        let any = self.done > 0;
        let percentiles = self.percentiles;
        let Span { from, to, unit } = Span::new(self.from, self.to, Unit::Ns);
        let mut series = Series {
            key: self.key,
            from,
            to,
            unit,
            due: None,
            done: self.done,
            missed: None,
            unseen: 0,
            skipped: 0,
            late: None,
            overflow: 0,
            warmup: 0,
            edges: self.edges && any,
            threshold: None,
            min: any.then_some(self.min),
            sum: None,
            mean: self.mean.filter(|_| any).map(|mean| mean.clamp(self.min as f64, self.max as f64)),
            max: any.then_some(self.max),
            jitter: any.then_some(self.max.saturating_sub(self.min)),
            quantiles: Vec::new(),
            histogram: histogram(&self.classes),
            worst: Vec::new(),
            over_time: Vec::new(),
        };
        series.quantiles = quantiles(&series);
        percentiles.iter().for_each(|percentile| percentile.put(&mut series));
        series
    }
}

impl Percentile {
    /// A percentile that the tool printed replaces the one from the histogram. Its confidence limits still come from the
    /// histogram.
    fn put(&self, series: &mut Series) {
        let same = |quantile: &&mut Quantile| (quantile.q - self.q).abs() < 1e-9;
        if let Some(quantile) = series.quantiles.iter_mut().find(same).filter(|quantile| quantile.value.is_some()) {
            quantile.value = Some(self.value);
            quantile.low = quantile.low.map(|low| low.min(self.value));
            quantile.high = quantile.high.map(|high| high.max(self.value));
        }
    }
}

/// The series of a tool that drops values up to a threshold. If the file does not state the threshold, the smallest value in the
/// file serves as the threshold, because all dropped values were smaller. Quantiles of the remaining values would say nothing
/// about all values, so there are none.
pub(super) fn above(series: Series, threshold: Option<u64>) -> Series {
    let threshold = threshold.or(series.min);
    Series { threshold, quantiles: Vec::new(), ..series }
}

fn histogram(classes: &BTreeMap<u64, (u64, u64)>) -> Histogram {
    let mut histogram = Histogram::default();
    for (low, (next, count)) in classes {
        match histogram.bounds.last() {
            Some(end) if end == low => {}
            Some(_) => {
                histogram.bounds.push(*low);
                histogram.counts.push(0);
            }
            None => histogram.bounds.push(*low),
        }
        histogram.bounds.push(*next);
        histogram.counts.push(*count);
    }
    histogram
}
