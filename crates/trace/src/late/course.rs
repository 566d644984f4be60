// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a thread did recently, and the causes of its last late responses. A release that came due during such a response is
//! late for the same reasons.
use crate::blame::division::Division;
use crate::blame::summed::{Parted, Placed};
use crate::blame::{Blame, Cause};
use std::collections::VecDeque;

const OFFS_MAX: usize = 32;
/// At most this many parts of late responses are remembered: as many as a CPU's stretches.
const PARTS_MAX: usize = 8_192;
const EMPTY_MAX: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Off {
    pub(super) left_at: u64,
    pub(super) left: u32,
    /// When the thread's own timer expired, if that timer woke the thread; otherwise `ready_at`.
    pub(super) due_at: u64,
    pub(super) isr_at: u64,
    pub(super) ready_at: u64,
    pub(super) came_at: u64,
    pub(super) cpu: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub(super) at_ns: u64,
    pub(super) cpu: u32,
    pub(super) preempted: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    offs: VecDeque<Off>,
    /// The parts of the thread's last late responses, in time order without gaps. `sums` has the shares that they refer to.
    parts: VecDeque<Placed>,
    /// The sums of `parts`; a share that no part uses any more is 0.
    sums: Division,
    /// Length of the late response that the thread has to catch up on; `None` if its own run time made that response late.
    first_ns: Option<u64>,
    /// The thread was catching up in its last response.
    catches_up: bool,
}

impl Course {
    /// The thread gets a CPU again. `ready` is for a thread that slept: the expiry of its timer, the start of the timer's
    /// interrupt, and the wakeup.
    pub(super) fn comes(&mut self, left: Departure, came_at: u64, cpu: u32, ready: Option<(u64, u64, u64)>) {
        let since = ready.filter(|_| !left.preempted).unwrap_or(if left.preempted {
            (left.at_ns, left.at_ns, left.at_ns)
        } else {
            (came_at, came_at, came_at)
        });
        let [due_at, isr_at, ready_at] = <[u64; 3]>::from(since).map(|at_ns| at_ns.clamp(left.at_ns, came_at));
        if self.offs.len() == OFFS_MAX {
            self.offs.pop_front();
        }
        self.offs.push_back(Off { left_at: left.at_ns, left: left.cpu, due_at, isr_at, ready_at, came_at, cpu });
    }

    /// The times in which the thread had no CPU, in order; only those that end in this span.
    pub(super) fn offs(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = &Off> {
        self.offs.iter().filter(move |off| off.came_at > from_ns && off.came_at <= to_ns)
    }

    /// The thread's CPU time until `to_ns`. It counts from when the thread got its CPU after its last sleep before `before_ns`.
    /// `None` if that sleep is forgotten.
    pub(super) fn ran(&self, before_ns: u64, to_ns: u64) -> Option<u64> {
        let slept = |off: &&Off| off.came_at <= before_ns && off.ready_at > off.left_at;
        let from_ns = self.offs.iter().rev().find(slept)?.came_at;
        let off_ns = self.offs(from_ns, to_ns).map(|off| off.came_at - off.left_at).sum::<u64>();
        (to_ns - from_ns).checked_sub(off_ns)
    }

    /// A response was in time, so earlier lateness is over.
    pub(super) fn is_in_time(&mut self) {
        if !self.parts.is_empty() || self.first_ns.is_some() {
            self.parts.clear();
            (self.sums, self.first_ns, self.catches_up) = (Division::default(), None, false);
        }
    }

    /// Returns the span after this release that earlier late responses explain. Forgets the parts before the release.
    pub(super) fn inherited(&mut self, due_ns: u64) -> Option<(u64, u64)> {
        while let Some(first) = self.parts.front_mut().filter(|first| first.from_ns < due_ns) {
            let (share, gone) = (first.share, first.to_ns.min(due_ns) - first.from_ns);
            first.from_ns += gone;
            if first.from_ns == first.to_ns {
                self.parts.pop_front();
            }
            self.sums.take_from(share, gone);
        }
        Some((self.parts.front()?.from_ns, self.parts.back()?.to_ns))
    }

    /// The end of the time with known causes; the release itself if no late response lasts beyond it.
    pub(super) fn known_until(&self, due_ns: u64) -> u64 {
        self.parts.back().map_or(due_ns, |last| last.to_ns.max(due_ns))
    }

    pub(super) fn sums(&self) -> Blame {
        Blame::of(self.sums.all().iter().filter(|share| share.ns > 0).copied().collect())
    }

    pub(super) fn shares(&self) -> u64 {
        self.sums.all().len() as u64
    }

    /// For a release that came due before the thread set its timer: the length of the late response that the thread catches up
    /// on. `inherits`: the release came due in a late response. If not, a thread that slept since then has caught up.
    pub(super) fn after(&self, inherits: bool, set_at: u64) -> Option<u64> {
        let until_ns = self.parts.back().map_or(u64::MAX, |last| last.to_ns);
        let slept = |off: &Off| off.left_at >= until_ns && off.came_at <= set_at && off.ready_at > off.left_at;
        let goes_on = self.catches_up && !self.offs.iter().any(slept);
        self.first_ns.filter(|_| inherits || goes_on)
    }

    /// Takes a late response and its new parts. `after_ns`: length of the late response that the thread catches up on, if any.
    pub(super) fn take(&mut self, fresh: Parted, after_ns: Option<u64>, inherits: bool, blame: &Blame) {
        if !inherits && after_ns.is_none() {
            let own = |cause| matches!(cause, Cause::Backlog | Cause::OwnRun | Cause::CatchUp);
            let largest = blame.shares.iter().max_by_key(|share| share.ns);
            self.first_ns = largest.filter(|share| !own(share.cause)).map(|_| blame.total());
        }
        self.catches_up = after_ns.is_some();
        if inherits {
            self.extend(&fresh);
        } else {
            (self.parts, self.sums) = (fresh.parts.into(), fresh.division);
        }
        while self.parts.len() > PARTS_MAX {
            let gone = self.parts.pop_front();
            gone.into_iter().for_each(|part| self.sums.take_from(part.share, part.to_ns - part.from_ns));
        }
        self.drop_empty();
    }

    fn extend(&mut self, fresh: &Parted) {
        let shares: Vec<u32> =
            fresh.division.all().iter().map(|share| self.sums.place(share.cause, share.culprit)).collect();
        for part in &fresh.parts {
            let share = shares[part.share as usize];
            self.sums.add_to(share, part.to_ns - part.from_ns);
            self.parts.push_back(Placed { share, ..*part });
        }
    }

    fn drop_empty(&mut self) {
        let all = self.sums.all();
        let used = all.iter().filter(|share| share.ns > 0).count();
        if all.len() < EMPTY_MAX + 2 * used {
            return;
        }
        let mut place = 0;
        let places: Vec<u32> = all
            .iter()
            .map(|share| {
                place += u32::from(share.ns > 0);
                place.saturating_sub(1)
            })
            .collect();
        self.sums = Division::of(self.sums().shares);
        self.parts.iter_mut().for_each(|part| part.share = places[part.share as usize]);
    }
}

#[cfg(test)]
mod tests;
