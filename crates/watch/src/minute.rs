// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of each minute of following threads: the worst response of all, how many were late, and who delayed it.
//!
//! The series of followed threads count from the beginning, so a minute is the difference between two of them. The longest
//! responses since the last minute are listed separately.
use backwall_model::{Blame, Key, Series};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minute {
    pub due: u64,
    pub unseen: u64,
    /// Number of responses later than the deadline; absent without a deadline.
    pub late: Option<u64>,
    /// The worst response of all threads; absent if no response was seen to its end.
    pub worst: Option<TheWorst>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TheWorst {
    pub thread: String,
    pub ns: u64,
    pub blame: Blame,
}

#[derive(Clone, Debug, Default)]
pub struct Since {
    counts: BTreeMap<Key, Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    due: u64,
    unseen: u64,
    late: u64,
}

impl Since {
    pub fn is_behind(&self, series: &[Series]) -> bool {
        let known = |one: &Series| self.counts.get(&one.key).map_or(0, |counts| counts.due);
        series.iter().any(|one| one.due.unwrap_or(one.done) > known(one))
    }

    /// The result since the last call; `worst` is the longest response since then.
    pub fn minute(&mut self, series: &[Series], worst: Option<TheWorst>) -> Minute {
        let mut minute = Minute { late: (!series.is_empty()).then_some(0), worst, ..Minute::default() };
        for one in series {
            let before = self.counts.get(&one.key).copied().unwrap_or_default();
            let now = Counts { due: one.due.unwrap_or(one.done), unseen: one.unseen, late: one.late.unwrap_or(0) };
            minute.due += now.due.saturating_sub(before.due);
            minute.unseen += now.unseen.saturating_sub(before.unseen);
            minute.late = minute.late.zip(one.late).map(|(sum, _)| sum + now.late.saturating_sub(before.late));
            self.counts.insert(one.key.clone(), now);
        }
        minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Span;
    use backwall_model::units::Unit;
    use backwall_stats::{Block, SeriesBuilder};

    fn series(values: &[u64]) -> Series {
        let key = Key::new("attached", "as-found", "as-is");
        let mut builder = SeriesBuilder::new(key, Span::new("timer or waking", "thread", Unit::Ns));
        let seq: Vec<u64> = (0..values.len() as u64).collect();
        let late = values.iter().filter(|value| **value > 50_000).count() as u64;
        builder.samples(Block { seq: &seq, at: &seq, value: values, late });
        builder.build()
    }

    #[test]
    fn a_minute_has_what_is_new_and_its_worst() {
        let mut since = Since::default();
        let worst = TheWorst { thread: "loop-7".to_string(), ns: 90_000, blame: Blame::Unfitting };
        let first = [90_000, 10_000, 20_000];
        let minute = since.minute(&[series(&first)], Some(worst.clone()));
        assert_eq!((minute.due, minute.late, minute.worst), (3, Some(1), Some(worst)));
        let both = [&first[..], &[30_000, 60_000]].concat();
        assert!(since.is_behind(&[series(&both)]));
        let minute = since.minute(&[series(&both)], None);
        assert_eq!((minute.due, minute.unseen, minute.late), (2, 0, Some(1)));
        let minute = since.minute(&[series(&both)], None);
        assert_eq!((minute.due, minute.worst, since.is_behind(&[series(&both)])), (0, None, false));
    }

    #[test]
    fn without_threads_a_minute_says_nothing_of_deadlines() {
        assert_eq!(Since::default().minute(&[], None), Minute::default());
    }
}
