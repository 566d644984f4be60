// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work that delays others, and the least window that all of it fits into.
use super::answer::{HORIZON_NS, NoBound, Source, Term};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;

/// Terms evaluated before a search gives up, about half a second; expensive terms count several times. Counted, not timed, so that a set
/// has the same answer everywhere.
const SEARCH_TERMS: u64 = 1 << 26;
const SET_TERMS: u64 = 16 * SEARCH_TERMS;
/// Total for all searches for growth: each asks hundreds of times.
const GROWTH_TERMS: u64 = 2 * SEARCH_TERMS;
const QUESTION_TERMS: u64 = SEARCH_TERMS / 32;

/// Recurring work.
#[derive(Clone, Debug)]
pub struct Work {
    /// Whose.
    pub source: Source,
    /// Of one arrival.
    pub cost_ns: u64,
    /// How often.
    pub arrival: Arrival,
}

impl Work {
    /// The most in a window: of a recorded source what it did, and what each arrival costs beyond its own time.
    pub fn within_ns(&self, window_ns: u64) -> u64 {
        match &self.arrival {
            Arrival::Recorded { jitter_ns, seen } => {
                let beyond = self.cost_ns.saturating_sub(seen.largest_ns());
                let more = if beyond > 0 { self.arrival.most(window_ns).saturating_mul(beyond) } else { 0 };
                seen.work_ns(window_ns.saturating_add(*jitter_ns)).saturating_add(more)
            }
            arrival => arrival.most(window_ns).saturating_mul(self.cost_ns),
        }
    }

    /// Of a processor.
    pub fn share(&self) -> Share {
        match &self.arrival {
            Arrival::Recorded { seen, .. } => {
                let beyond = self.cost_ns.saturating_sub(seen.largest_ns()).saturating_mul(seen.count());
                Share::of(seen.total_ns().saturating_add(beyond), seen.observed_ns())
            }
            arrival => Share::of(self.cost_ns, arrival.distance_ns()),
        }
    }

    /// As a part of a response.
    pub fn term(&self, window_ns: u64) -> Term {
        Term { source: self.source, count: self.arrival.most(window_ns), total_ns: self.within_ns(window_ns) }
    }
}

/// Steps of an effort that the sum over all of it takes.
pub fn steps(work: &[Work]) -> usize {
    work.iter().map(|each| each.arrival.steps()).sum()
}

/// All of it in a window.
pub fn total_ns(work: &[Work], window_ns: u64) -> u64 {
    work.iter().fold(0, |sum: u64, each| sum.saturating_add(each.within_ns(window_ns)))
}

/// Refuses more work than is supplied.
pub fn fits(work: Share, supply: &Supply) -> Result<(), NoBound> {
    match work.exceeds(supply.share()) {
        true => {
            let percent = 100.0 * work.percent() / supply.share().percent();
            Err(NoBound::Overload { percent: percent.ceil().max(101.0) as u64 })
        }
        false => Ok(()),
    }
}

/// The remaining effort of a search.
#[derive(Debug)]
pub struct Effort(u64);

impl Effort {
    /// Of one search.
    pub fn whole() -> Self {
        Self(SEARCH_TERMS)
    }

    /// Of all searches about a set.
    pub fn of_set() -> Self {
        Self(SET_TERMS)
    }

    /// Of all searches for what may grow.
    pub fn of_growth() -> Self {
        Self(GROWTH_TERMS)
    }

    /// One step of such a search.
    pub fn question<T>(&mut self, ask: impl FnOnce(&mut Effort) -> T) -> T {
        let mut own = Self(self.0.min(QUESTION_TERMS));
        self.0 -= own.0;
        let found = ask(&mut own);
        self.put_back(own);
        found
    }

    /// Spends evaluations of a term; nothing remains if that is too much.
    pub fn spend(&mut self, terms: usize) -> Result<(), NoBound> {
        let left = self.0.checked_sub(terms as u64 + 1);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(NoBound::TooLong)
    }

    /// One search's share; its rest is returned.
    pub fn share(&mut self) -> Self {
        let own = self.0.min(SEARCH_TERMS);
        self.0 -= own;
        Self(own)
    }

    /// What a share has left.
    pub fn put_back(&mut self, share: Self) {
        self.0 += share.0;
    }

    /// One search, limited to its own share of the effort.
    pub fn search<T>(&mut self, search: impl FnOnce(&mut Effort) -> T) -> T {
        let mut own = self.share();
        let found = search(&mut own);
        self.put_back(own);
        found
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// As [`least_window_within`], with effort counted everywhere.
pub fn least_window(
    from: u64,
    supply: &Supply,
    terms: usize,
    effort: &mut Effort,
    demand: impl Fn(u64) -> u64,
) -> Result<u64, NoBound> {
    least_window_within(HORIZON_NS, from, supply, terms, effort, demand)
}

/// The least window from `from` on whose `demand` fits the supply; beyond the horizon it counts as endless.
pub fn least_window_within(
    horizon_ns: u64,
    from: u64,
    supply: &Supply,
    terms: usize,
    effort: &mut Effort,
    demand: impl Fn(u64) -> u64,
) -> Result<u64, NoBound> {
    let mut window = from;
    loop {
        effort.spend(terms)?;
        let needed = supply.window_ns(demand(window));
        if needed > horizon_ns {
            return Err(NoBound::Endless);
        }
        if needed <= window {
            return Ok(window);
        }
        window = needed;
    }
}
