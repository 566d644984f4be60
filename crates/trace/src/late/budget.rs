// SPDX-License-Identifier: MIT OR Apache-2.0
//! The budget for explanations. The time to explain a response grows with the number of stretches in its window, and a busy
//! machine has many windows of thousands of stretches at once. Each event earns half of what a stretch costs. So the time for
//! all explanations together grows only linearly with the number of events.

/// What a stretch costs; an event earns 1.
const COST: i64 = 2;
/// At most this much credit is saved, and a recording starts with as much: enough for 32 of the longest windows.
const MOST: i64 = COST << 18;
/// A response that is the longest so far may overdraw the credit by this much: enough for eight of the longest windows.
const LENT: i64 = COST << 16;

#[derive(Clone, Debug)]
pub(super) struct Budget {
    left: i64,
    pub(super) refused: u64,
    longest_ns: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: MOST, refused: 0, longest_ns: 0 }
    }
}

impl Budget {
    #[inline(always)]
    pub(super) fn earns(&mut self) {
        self.left += 1;
    }

    /// Whether the budget allows explaining a response of this length. If so, counts the response's stretches and pays for
    /// them. The decision depends only on what was spent before, so long windows are explained as often as short ones.
    pub(super) fn allows(&mut self, latency_ns: u64, stretches: impl FnOnce() -> u64) -> bool {
        self.left = self.left.min(MOST);
        let is_longest = latency_ns > self.longest_ns;
        let allows = self.left > if is_longest { -LENT } else { 0 };
        if allows {
            self.left -= i64::try_from(stretches()).unwrap_or(i64::MAX / COST).saturating_mul(COST);
            self.longest_ns = self.longest_ns.max(latency_ns);
        }
        allows
    }

    /// Like [`Self::allows`], and counts a refused response.
    pub(super) fn allows_response(&mut self, latency_ns: u64, stretches: impl FnOnce() -> u64) -> bool {
        let allows = self.allows(latency_ns, stretches);
        self.refused += u64::from(!allows);
        allows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_explained_is_no_more_than_was_earned_and_a_little_before() {
        const WINDOW: u64 = 8_192;
        let (mut budget, mut spent, mut explained) = (Budget::default(), 0, 0);
        let events = 4_000_000;
        for number in 0..events {
            budget.earns();
            if number % 10 == 0 && budget.allows_response(number % 1_000, || WINDOW) {
                (spent, explained) = (spent + WINDOW, explained + 1);
            }
        }
        let cost = COST as u64;
        assert!(spent * cost <= events + (MOST + LENT) as u64 + WINDOW * cost, "{spent}");
        assert!(spent * cost >= events, "what is earned is spent: {spent}");
        assert_eq!(explained + budget.refused, events / 10);
    }

    #[test]
    fn the_longest_is_explained_where_others_are_not() {
        let mut budget = Budget::default();
        while budget.allows(1, || 8_192) {}
        assert!(!budget.allows(1, || 1) && budget.allows(2, || 1) && !budget.allows(2, || 1));
    }
}
