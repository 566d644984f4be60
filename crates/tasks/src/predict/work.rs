// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work that delays other work, and the shortest window into which all of it fits.
use super::answer::{HORIZON_NS, NoBound, Source, Term};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;

/// Number of terms that a search evaluates before it gives up, which takes about half a second. Expensive terms count several
/// times. The limit is a count, not a time, so that a set gives the same result on every machine.
const SEARCH_TERMS: u64 = 1 << 26;
const SET_TERMS: u64 = 16 * SEARCH_TERMS;
/// Total for all searches of the growth analysis, each of which tests hundreds of values.
const GROWTH_TERMS: u64 = 2 * SEARCH_TERMS;
const QUESTION_TERMS: u64 = SEARCH_TERMS / 32;

/// Recurring work.
#[derive(Clone, Debug)]
pub struct Work {
    /// Where the work comes from.
    pub source: Source,
    /// CPU time of one arrival.
    pub cost_ns: u64,
    /// When the work arrives.
    pub arrival: Arrival,
}

impl Work {
    /// The most work in a window. For a recorded source: the recorded work, plus the additional cost of each arrival.
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

    /// The share of a CPU that the work takes.
    pub fn share(&self) -> Share {
        match &self.arrival {
            Arrival::Recorded { seen, .. } => {
                let beyond = self.cost_ns.saturating_sub(seen.largest_ns()).saturating_mul(seen.count());
                Share::of(seen.total_ns().saturating_add(beyond), seen.observed_ns())
            }
            arrival => Share::of(self.cost_ns, arrival.distance_ns()),
        }
    }

    /// The work as a term of a response.
    pub fn term(&self, window_ns: u64) -> Term {
        Term { source: self.source, count: self.arrival.most(window_ns), total_ns: self.within_ns(window_ns) }
    }
}

/// Effort of adding up all of this work, in steps.
pub fn steps(work: &[Work]) -> usize {
    work.iter().map(|each| each.arrival.steps()).sum()
}

/// The total of all this work in a window.
pub fn total_ns(work: &[Work], window_ns: u64) -> u64 {
    work.iter().fold(0, |sum: u64, each| sum.saturating_add(each.within_ns(window_ns)))
}

/// Fails if there is more work than the CPU supplies.
pub fn fits(work: Share, supply: &Supply) -> Result<(), NoBound> {
    match work.exceeds(supply.share()) {
        true => {
            let percent = 100.0 * work.percent() / supply.share().percent();
            Err(NoBound::Overload { percent: percent.ceil().max(101.0) as u64 })
        }
        false => Ok(()),
    }
}

/// The effort that a search may still spend.
#[derive(Debug)]
pub struct Effort(u64);

impl Effort {
    /// The effort allowed for one search.
    pub fn whole() -> Self {
        Self(SEARCH_TERMS)
    }

    /// The effort for all searches about a set.
    pub fn of_set() -> Self {
        Self(SET_TERMS)
    }

    /// The effort for all searches of the growth analysis.
    pub fn of_growth() -> Self {
        Self(GROWTH_TERMS)
    }

    /// Runs one test of a growth search with its own limit of effort.
    pub fn question<T>(&mut self, ask: impl FnOnce(&mut Effort) -> T) -> T {
        let mut own = Self(self.0.min(QUESTION_TERMS));
        self.0 -= own.0;
        let found = ask(&mut own);
        self.put_back(own);
        found
    }

    /// Spends the effort of evaluating `terms` terms. If too little is left, fails and leaves none.
    pub fn spend(&mut self, terms: usize) -> Result<(), NoBound> {
        let left = self.0.checked_sub(terms as u64 + 1);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(NoBound::TooLong)
    }

    /// Takes out the share of one search. Return its rest with [`Effort::put_back`].
    pub fn share(&mut self) -> Self {
        let own = self.0.min(SEARCH_TERMS);
        self.0 -= own;
        Self(own)
    }

    /// Returns the unspent rest of a share.
    pub fn put_back(&mut self, share: Self) {
        self.0 += share.0;
    }

    /// Runs one search, limited to its own share of the effort.
    pub fn search<T>(&mut self, search: impl FnOnce(&mut Effort) -> T) -> T {
        let mut own = self.share();
        let found = search(&mut own);
        self.put_back(own);
        found
    }

    /// Whether no effort is left.
    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Like [`least_window_within`], with [`HORIZON_NS`] as the horizon.
pub fn least_window(
    from: u64,
    supply: &Supply,
    terms: usize,
    effort: &mut Effort,
    demand: impl Fn(u64) -> u64,
) -> Result<u64, NoBound> {
    least_window_within(HORIZON_NS, from, supply, terms, effort, demand)
}

/// The shortest window of at least `from` in which `demand` fits the supply. A window beyond the horizon counts as unbounded.
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
