// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each device over time: its runs in order, gaps, effects of kernel changes, and its worst response. Runs of different devices
//! are never merged.
use crate::steps::{self, Step};
use backwall_judge::compare::{Comparison, PlacedRun, Question, compare};
use backwall_model::{Key, Run, Series};
use jiff::Timestamp;
use std::time::Duration;

const COMPARED: usize = 20;
const GAP_FACTOR: f64 = 2.5;
const FEWEST_FOR_GAPS: usize = 4;
/// Number of largest responses, with their blame, that backwall keeps for a series and for its stages.
const WORST_KEPT: usize = 1;

#[derive(Clone, Debug)]
pub struct Entry {
    /// Start by the device's clock; `None` if the run's start time cannot be parsed.
    pub began: Option<Timestamp>,
    pub kernel: String,
    pub key: String,
    pub place: String,
    /// The run, reduced by [`slim`] to what a history shows.
    pub run: Run,
}

#[derive(Clone, Debug)]
pub struct Device {
    pub name: String,
    pub entries: Vec<Entry>,
    pub gaps: Vec<Gap>,
    pub changes: Vec<Change>,
    /// Steps of the device's headline figure, oldest first. Set by [`Device::with_steps`].
    pub steps: Vec<Step>,
}

/// A pause between two runs that was much longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub from: Timestamp,
    pub until: Timestamp,
}

#[derive(Clone, Debug)]
pub struct Change {
    pub before: String,
    pub after: String,
    pub comparison: Comparison,
}

/// Drops what a history does not show: samples over time, pictures, and all but the largest responses.
#[must_use]
pub fn slim(mut run: Run) -> Run {
    for series in &mut run.series {
        series.worst.truncate(WORST_KEPT);
        series.over_time = Vec::new();
    }
    for stages in &mut run.stages {
        stages.worst.truncate(WORST_KEPT);
        stages.causes = Vec::new();
    }
    run.pictures = Vec::new();
    run
}

/// The history of a device. `every` is the expected interval between runs; `None`: use their median interval.
pub fn device(name: &str, mut entries: Vec<Entry>, every: Option<Duration>, question: &Question) -> Device {
    entries.sort_by(|a, b| (a.began, &a.key).cmp(&(b.began, &b.key)));
    let gaps = gaps(&entries, every);
    let changes = changes(&entries, question);
    Device { name: name.to_string(), entries, gaps, changes, steps: Vec::new() }
}

fn gaps(entries: &[Entry], every: Option<Duration>) -> Vec<Gap> {
    let began: Vec<Timestamp> = entries.iter().filter_map(|entry| entry.began).collect();
    let seconds = |pair: &[Timestamp]| pair[1].duration_since(pair[0]).as_secs_f64();
    let usual = every.map(|every| every.as_secs_f64()).or_else(|| {
        let mut apart: Vec<f64> = began.windows(2).map(seconds).collect();
        apart.sort_by(f64::total_cmp);
        (began.len() >= FEWEST_FOR_GAPS).then(|| apart[apart.len() / 2])
    });
    let Some(usual) = usual else { return Vec::new() };
    let long = began.windows(2).filter(|pair| seconds(pair) > GAP_FACTOR * usual);
    long.map(|pair| Gap { from: pair[0], until: pair[1] }).collect()
}

fn changes(entries: &[Entry], question: &Question) -> Vec<Change> {
    let stretches: Vec<&[Entry]> = entries.chunk_by(|a, b| a.kernel == b.kernel).collect();
    let change = |pair: &[&[Entry]]| {
        let (before, after) = (pair[0], pair[1]);
        let (first, last) = (before.len().saturating_sub(COMPARED), after.len().min(COMPARED));
        Change {
            before: before[0].kernel.clone(),
            after: after[0].kernel.clone(),
            comparison: compare(&placed(&before[first..]), &placed(&after[..last]), question),
        }
    };
    stretches.windows(2).map(change).collect()
}

fn placed(entries: &[Entry]) -> Vec<PlacedRun> {
    entries.iter().map(|entry| PlacedRun { place: entry.place.clone(), run: entry.run.clone() }).collect()
}

impl Device {
    #[must_use]
    pub fn with_steps(mut self, key: &Key, question: &Question) -> Self {
        self.steps = steps::of(&self, key, question);
        self
    }

    pub fn last(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// The series with this key from every run that has it, oldest first.
    pub fn series<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = (&'a Entry, &'a Series)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.run.series_of(key)?)))
    }

    /// The run with the largest response of this key. Valid runs come first; invalid ones count only if there is no valid one.
    pub fn worst<'a>(&'a self, key: &'a Key) -> Option<(&'a Entry, &'a Series)> {
        let sound = |entry: &Entry| entry.run.no_evidence_of(key).is_none();
        self.series(key)
            .filter(|(_, series)| series.max.is_some())
            .max_by_key(|(entry, series)| (sound(entry), series.max))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use backwall_model::{Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;

    pub(crate) fn entry(hour: i64, kernel: &str, worst: u64) -> Entry {
        let began = Timestamp::from_second(3_600 * hour).unwrap();
        let mut run = Run::begin(Origin::Measured, Plan::default(), vec![], began);
        let mut builder = SeriesBuilder::new(Key::new("wakeup", "none", "as-is"), Span::new("a", "b", Unit::Ns));
        (0..2_000).for_each(|seq| builder.sample(seq, seq, worst / 2 + seq % 7, false));
        builder.sample(2_000, 2_000, worst, false);
        run.series.push(builder.build());
        Entry {
            began: Some(began),
            kernel: kernel.into(),
            key: format!("{hour}"),
            place: format!("p{hour}"),
            run: slim(run),
        }
    }

    fn of(entries: Vec<Entry>, every: Option<Duration>) -> Device {
        device("a", entries, every, &Question { effect: 0.05, seed: 1 })
    }

    #[test]
    fn runs_are_in_order_of_time_and_a_gap_is_shown_and_not_filled() {
        let hours = [9, 1, 2, 3, 4, 10];
        let device = of(hours.map(|hour| entry(hour, "k", 100)).to_vec(), None);
        let order: Vec<&str> = device.entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(order, ["1", "2", "3", "4", "9", "10"]);
        let hour = |hour: i64| Timestamp::from_second(3_600 * hour).unwrap();
        assert_eq!(device.gaps, [Gap { from: hour(4), until: hour(9) }]);
        let every = |minutes: u64| Some(Duration::from_secs(60 * minutes));
        assert_eq!(of(device.entries.clone(), every(20)).gaps.len(), 5, "the median interval was expected");
        assert_eq!(of(device.entries[..3].to_vec(), None).gaps, [], "too few runs to know the usual interval");
    }

    #[test]
    fn a_change_of_the_kernel_is_judged_by_the_runs_on_both_sides_of_it() {
        let before = (0..12).map(|hour| entry(hour, "6.1", 100_000 + hour as u64));
        let after = (12..24).map(|hour| entry(hour, "6.2", 200_000 + hour as u64));
        let device = of(before.chain(after).collect(), None);
        let [change] = &device.changes[..] else { panic!("one change") };
        assert_eq!((change.before.as_str(), change.after.as_str()), ("6.1", "6.2"));
        assert_eq!(change.comparison.verdict, backwall_judge::compare::Verdict::Regressed);
        assert_eq!((change.comparison.before.len(), change.comparison.after.len()), (12, 12));
        let one = of(vec![entry(0, "6.1", 100_000), entry(1, "6.2", 900_000)], None);
        assert_eq!(
            one.changes[0].comparison.verdict,
            backwall_judge::compare::Verdict::CannotTell,
            "one run on each side decides nothing"
        );
    }

    #[test]
    fn the_worst_is_that_of_a_run_which_is_evidence() {
        let mut spoiled = entry(2, "k", 900_000);
        spoiled.run.spoil("a test");
        let device = of(vec![entry(1, "k", 300_000), spoiled, entry(3, "k", 200_000)], None);
        let key = Key::new("wakeup", "none", "as-is");
        assert_eq!(device.worst(&key).and_then(|(_, series)| series.max), Some(300_000));
    }
}
