// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each minute of following threads comes to: the worst response of all, how many were late, and who delayed it.
//!
//! A report of threads that are followed counts from the beginning. What is new since the last look follows from the numbers
//! of the responses: they rise by one, and a series keeps its worst with theirs.
use run::{Blame, Key, Series, Stages, Worst};
use std::collections::BTreeMap;

/// What is new since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minute {
    /// Responses that were due, of all threads.
    pub due: u64,
    /// Of these, not seen to their end.
    pub lost: u64,
    /// Later than the deadline; absent without one.
    pub late: Option<u64>,
    /// The worst response of all threads; absent where none is among the worst that a series keeps.
    pub worst: Option<TheWorst>,
    /// No response was longer than this, in nanoseconds, where the worst is absent: a series keeps longer ones only.
    pub at_most_ns: Option<u64>,
}

/// The worst response of a minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TheWorst {
    /// The thread, as its series names it; empty where one thread alone is followed.
    pub thread: String,
    /// How long it took, in nanoseconds.
    pub ns: u64,
    /// Who used its time, where its causes were kept.
    pub blame: Option<Blame>,
}

/// What was known at the last look.
#[derive(Clone, Debug, Default)]
pub struct Since {
    counts: BTreeMap<Key, Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    due: u64,
    lost: u64,
    late: u64,
}

impl Since {
    /// Whether something is new since the last look.
    pub fn is_behind(&self, series: &[Series]) -> bool {
        let known = |one: &Series| self.counts.get(&one.key).map_or(0, |counts| counts.due);
        series.iter().any(|one| one.due.unwrap_or(one.done) > known(one))
    }

    /// What is new, and this look is the last one from now on.
    pub fn minute(&mut self, series: &[Series], stages: &[Stages]) -> Minute {
        let mut minute = Minute { late: (!series.is_empty()).then_some(0), ..Minute::default() };
        let mut worst: Option<(&Series, &Worst)> = None;
        for one in series {
            let before = self.counts.get(&one.key).copied().unwrap_or_default();
            let now = Counts { due: one.due.unwrap_or(one.done), lost: one.known_lost(), late: one.late.unwrap_or(0) };
            minute.due += now.due.saturating_sub(before.due);
            minute.lost += now.lost.saturating_sub(before.lost);
            minute.late = minute.late.zip(one.late).map(|(sum, _)| sum + now.late.saturating_sub(before.late));
            let new = one.worst.iter().filter(|worst| worst.seq >= before.due).max_by_key(|worst| worst.value);
            worst = worst.into_iter().chain(new.map(|new| (one, new))).max_by_key(|(_, worst)| worst.value);
            self.counts.insert(one.key.clone(), now);
        }
        minute.worst = worst.map(|(series, worst)| told(series, worst, stages));
        let least = |series: &Series| series.worst.iter().map(|worst| worst.value).min();
        minute.at_most_ns = series.iter().filter_map(least).max().filter(|_| minute.worst.is_none() && minute.due > 0);
        minute
    }
}

fn told(series: &Series, worst: &Worst, stages: &[Stages]) -> TheWorst {
    let of_it = stages.iter().find(|stages| stages.key == series.key);
    let known =
        of_it.and_then(|stages| stages.worst.iter().find(|one| (one.seq, one.value) == (worst.seq, worst.value)));
    TheWorst {
        thread: series.key.variant.values().next().cloned().unwrap_or_default(),
        ns: worst.value,
        blame: worst.blame.clone().or_else(|| known.and_then(|worst| worst.blame.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Span;
    use stats::{Block, SeriesBuilder};
    use units::Unit;

    /// Responses of one thread so far, of which this many are longer than 50 us.
    fn series(values: &[u64]) -> Series {
        let key = Key::new("attached", "as-found", "as-is");
        let mut builder = SeriesBuilder::new(key, Span::new("timer or waking", "thread", Unit::Ns));
        let seq: Vec<u64> = (0..values.len() as u64).collect();
        let late = values.iter().filter(|value| **value > 50_000).count() as u64;
        builder.samples(Block { seq: &seq, at: &seq, value: values, late });
        builder.build()
    }

    #[test]
    fn a_minute_has_what_is_new_and_the_worst_of_that() {
        let mut since = Since::default();
        let first = [90_000, 10_000, 20_000];
        let minute = since.minute(&[series(&first)], &[]);
        assert_eq!((minute.due, minute.worst.unwrap().ns), (3, 90_000));
        let both = [&first[..], &[30_000, 40_000]].concat();
        let minute = since.minute(&[series(&both)], &[]);
        assert_eq!((minute.due, minute.lost, minute.worst.unwrap().ns), (2, 0, 40_000));
        let minute = since.minute(&[series(&both)], &[]);
        assert_eq!((minute.due, minute.worst, minute.at_most_ns), (0, None, None));
    }

    #[test]
    fn without_threads_a_minute_says_nothing_of_deadlines() {
        assert_eq!(Since::default().minute(&[], &[]), Minute::default());
    }
}
