// SPDX-License-Identifier: MIT OR Apache-2.0
//! The search of `backwall bench events` for the largest number of events that fit. It starts at the calculated number, changes
//! it by half until it has a number that fits and one that does not, and then bisects.
use backwall_os::refusal::Result;
use backwall_tasks::limit::Rules;

pub const RULES: Rules = Rules {
    period_ns: 10_000_000,
    // The deadline of the paper's Table III.
    deadline_ns: 1_000_000,
    // One event in `one_late_of` may be late, because the machine also has other work.
    one_late_of: 100,
    computation_ns: 1_000,
    threads: 10,
    few: 20,
};
/// Like [`RULES`], but for Detent, where waits end on 1 ms ticks. An event may wait for one tick before its hand-over. With
/// several events per tick, the second event would come while the first still runs.
pub const RULES_OF_DETENT: Rules = Rules { deadline_ns: 2_000_000, few: 10, ..RULES };
const MOST: u64 = 40_000;
/// The search ends when the interval is narrower than the number of events divided by this.
const NARROWNESS: u64 = 50;

pub enum Answer<T> {
    Served(T),
    Failed(T),
    /// The user stopped the search. The trial that was running then proves nothing about the number of events that it tried.
    Interrupted(Option<T>),
}

pub struct LimitSearch<T> {
    pub few: Option<T>,
    /// The trial with the most events that fit; `None` if only the smallest number fits.
    pub best: Option<T>,
    /// The largest number of events that fit; 0 if unknown, or if even the smallest number did not fit.
    pub events: u64,
    pub fails_at: Option<u64>,
    pub interrupted: bool,
}

/// Tries a small number of events, then the number estimated from that trial, and continues until the interval is narrow enough.
pub fn search<T>(
    few: u64,
    expected: impl Fn(&T) -> u64,
    mut attempt: impl FnMut(u64) -> Result<Answer<T>>,
) -> Result<LimitSearch<T>> {
    let mut found = LimitSearch { few: None, best: None, events: 0, fails_at: None, interrupted: false };
    match attempt(few)? {
        Answer::Served(trial) => (found.few, found.events) = (Some(trial), few),
        Answer::Failed(trial) => (found.few, found.fails_at) = (Some(trial), Some(few)),
        Answer::Interrupted(trial) => (found.few, found.interrupted) = (trial, true),
    }
    let expected = found.few.as_ref().map_or(few, expected).clamp(few + 1, MOST);
    while let Some(next) = found.next(few, expected) {
        match attempt(next)? {
            Answer::Served(trial) => (found.best, found.events) = (Some(trial), next),
            Answer::Failed(_) => found.fails_at = Some(next),
            Answer::Interrupted(_) => found.interrupted = true,
        }
    }
    Ok(found)
}

impl<T> LimitSearch<T> {
    /// The number to try next; `None` when the search is over.
    fn next(&self, few: u64, expected: u64) -> Option<u64> {
        let LimitSearch { events, fails_at, interrupted, .. } = *self;
        match fails_at {
            _ if interrupted || events == 0 || events >= MOST => None,
            None if events == few => Some(expected),
            None => Some((events + events / 2).min(MOST)),
            Some(high) if events == few && high / 2 > few => Some(high / 2),
            Some(high) => (high - events > events / NARROWNESS + 1).then_some(events + (high - events) / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: u64 = RULES.few;

    // A search on a simulated machine with this limit and estimate, which the user stops at a given trial. Also returns the
    // number of trials.
    fn found(limit: u64, expected: u64, ended_at: Option<usize>) -> (LimitSearch<u64>, usize) {
        let mut tried = 0;
        let attempt = |events: u64| {
            tried += 1;
            Ok(match events {
                _ if ended_at == Some(tried) => Answer::Interrupted(Some(events)),
                events if events <= limit => Answer::Served(events),
                events => Answer::Failed(events),
            })
        };
        let found = search(FEW, |_| expected, attempt).unwrap();
        (found, tried)
    }

    #[test]
    fn the_limit_is_found_to_a_fiftieth() {
        for limit in [20, 21, 39, 40, 277, 5_000, 39_999] {
            for expected in [0, 1, 21, 300, 5_000, 4_800, 5_200, MOST, u64::MAX] {
                let (found, tried) = found(limit, expected, None);
                let high = found.fails_at.unwrap();
                let narrow = high - found.events <= found.events / 50 + 1;
                assert!(found.events <= limit && limit < high && narrow, "{limit} {expected}");
                assert_eq!(found.best.unwrap_or(FEW), found.events);
                assert!(tried <= 30, "{limit} {expected}: {tried}");
            }
        }
        let (all, _) = found(MOST, 7, None);
        assert_eq!((all.events, all.fails_at), (MOST, None));
    }

    #[test]
    fn a_good_expectation_spares_trials() {
        for expected in [4_800, 5_200] {
            let (_, tried) = found(5_000, expected, None);
            assert!(tried <= 9, "{expected}: {tried}");
        }
    }

    #[test]
    fn fewest_events_that_fail_are_no_limit() {
        let (found, _) = found(FEW - 1, 1_000, None);
        assert_eq!((found.events, found.fails_at, found.few, found.best), (0, Some(FEW), Some(FEW), None));
    }

    #[test]
    fn an_interrupted_trial_counts_neither_as_served_nor_as_failed() {
        let (first, _) = found(1_000, 80, Some(1));
        assert!(first.interrupted && first.few == Some(FEW));
        assert_eq!((first.events, first.fails_at), (0, None));
        let (fourth, _) = found(1_000, 80, Some(4));
        assert!(fourth.interrupted);
        assert_eq!((fourth.events, fourth.fails_at, fourth.best), (120, None, Some(120)));
    }
}
