// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work that delays others, and the least window that all of it fits into.
use super::answer::{HORIZON_NS, NoBound, Source, Term};
use super::arrival::Arrival;
use super::supply::Supply;
use super::utilization::Share;

/// Terms evaluated before a search is given up: half a second or so.
const EFFORT: u64 = 1 << 26;

/// Work that comes again and again.
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
    /// The most in a window.
    pub fn within_ns(&self, window_ns: u64) -> u64 {
        self.arrival.most(window_ns).saturating_mul(self.cost_ns)
    }

    /// Of a processor.
    pub fn share(&self) -> Share {
        Share::of(self.cost_ns, self.arrival.distance_ns())
    }

    /// As a part of a response.
    pub fn term(&self, window_ns: u64) -> Term {
        Term { source: self.source, count: self.arrival.most(window_ns), total_ns: self.within_ns(window_ns) }
    }
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

/// What is left of the effort a search may take.
#[derive(Debug)]
pub struct Effort(u64);

impl Effort {
    /// Of one search.
    pub fn whole() -> Self {
        Self(EFFORT)
    }

    /// Takes so many evaluations of a term.
    pub fn spend(&mut self, terms: usize) -> Result<(), NoBound> {
        self.0 = self.0.checked_sub(terms as u64 + 1).ok_or(NoBound::TooLong)?;
        Ok(())
    }
}

/// The least window at or above `from` into which `demand` of the window fits under the supply.
pub fn least_window(
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
        if needed > HORIZON_NS {
            return Err(NoBound::Endless);
        }
        if needed <= window {
            return Ok(window);
        }
        window = needed;
    }
}
