// SPDX-License-Identifier: MIT OR Apache-2.0
//! A window while it is divided: the share of a cause and a culprit is found without a search, since a busy machine has a thousand of them.
use super::blame::{Blame, Cause, Culprit, Share};
use super::event::Section;
use super::processor::Holder;

/// So few are looked through.
const FEW: usize = 8;
const EMPTY: u32 = u32::MAX;

/// The shares so far.
#[derive(Debug, Default)]
pub(super) struct Division {
    shares: Vec<Share>,
    /// Places of shares, from that of their hash on; empty as long as there are few, and half full at most.
    places: Vec<u32>,
}

impl Division {
    /// Adds to the share of that cause and culprit; nothing makes no share.
    pub(super) fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
        if let Some(share) = self.find(cause, culprit.as_ref()) {
            share.ns += ns;
            share.longest_ns = share.longest_ns.max(ns);
        } else if ns > 0 {
            self.shares.push(Share { cause, culprit, ns, longest_ns: ns });
            self.index();
        }
    }

    /// Of these shares, no two of one cause and culprit.
    pub(super) fn of(shares: Vec<Share>) -> Self {
        let mut division = Self { shares, places: Vec::new() };
        division.index_all();
        division
    }

    /// Adds a share of another part of the window.
    pub(super) fn add_share(&mut self, share: Share) {
        match self.find(share.cause, share.culprit.as_ref()) {
            Some(known) => {
                known.ns += share.ns;
                known.longest_ns = known.longest_ns.max(share.longest_ns);
            }
            None => {
                self.shares.push(share);
                self.index();
            }
        }
    }

    /// The shares, those that were new last at the end.
    pub(super) fn shares(self) -> Vec<Share> {
        self.shares
    }

    /// Adds all of it to what is said of a response.
    pub(super) fn join(self, blame: &mut Blame) {
        if blame.shares.is_empty() {
            blame.shares = self.shares;
        } else {
            blame.join(Blame::of(self.shares));
        }
    }

    fn find(&mut self, cause: Cause, culprit: Option<&Culprit>) -> Option<&mut Share> {
        let is_it = |share: &Share| share.cause == cause && share.culprit.as_ref() == culprit;
        if self.places.is_empty() {
            return self.shares.iter_mut().find(|share| is_it(share));
        }
        let mut slot = hash(cause, culprit);
        loop {
            let place = self.places[slot % self.places.len()];
            if place == EMPTY {
                return None;
            }
            if is_it(&self.shares[place as usize]) {
                return self.shares.get_mut(place as usize);
            }
            slot += 1;
        }
    }

    /// Puts the last share where it is found; all of them where there is not room enough.
    fn index(&mut self) {
        if self.shares.len() <= FEW {
            return;
        }
        let has_room = self.shares.len() * 2 <= self.places.len();
        if has_room { self.index_from(self.shares.len() - 1) } else { self.index_all() }
    }

    fn index_all(&mut self) {
        if self.shares.len() > FEW {
            self.places = vec![EMPTY; (self.shares.len() * 4).next_power_of_two()];
            self.index_from(0);
        }
    }

    fn index_from(&mut self, first: usize) {
        for (place, share) in self.shares.iter().enumerate().skip(first) {
            let mut slot = hash(share.cause, share.culprit.as_ref());
            while self.places[slot % self.places.len()] != EMPTY {
                slot += 1;
            }
            let length = self.places.len();
            self.places[slot % length] = place as u32;
        }
    }
}

/// By what differs most: the cause, and the numbers of threads. Fibonacci hashing, as for timers.
fn hash(cause: Cause, culprit: Option<&Culprit>) -> usize {
    let holder = culprit.map_or(0, |culprit| match culprit.holder {
        Holder::Unknown => 1,
        Holder::Idle => 2,
        Holder::Thread(thread) => thread.id as u32 as u64 + (1 << 32),
        Holder::Section(Section::Softirq(number)) => u64::from(number) + (2 << 32),
        Holder::Section(Section::Interrupt(_)) => 3 << 32,
    });
    let other = culprit.and_then(Culprit::other_thread).map_or(0, |id| u64::from(id as u32) << 34);
    let all = (holder ^ other).wrapping_add((cause as u64) << 56);
    (all.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::More;
    use crate::event::{Name, Thread};
    use proptest::prelude::*;

    fn thread(id: i32) -> Thread {
        Thread { id, priority: 120, name: Name::new(b"t") }
    }

    proptest! {
        #[test]
        fn it_divides_as_a_search_for_each_share_does(
            parts in prop::collection::vec((0i32..60, 0i32..3, any::<bool>(), 0u64..50), 0..300),
        ) {
            let (mut division, mut expected) = (Division::default(), Blame::default());
            for (id, other, softirq, ns) in parts {
                let holder = if softirq { Holder::Section(Section::Softirq(3)) } else { Holder::Thread(thread(id)) };
                let more = if softirq { More::OnTimeOf(thread(id)) } else { More::Nothing };
                let culprit = (other > 0).then_some(Culprit { holder, more });
                let cause = if other == 1 { Cause::Interference } else { Cause::FairShare };
                division.add(cause, culprit, ns);
                expected.add(cause, culprit, ns);
            }
            let mut blame = Blame::default();
            division.join(&mut blame);
            prop_assert_eq!(blame, expected);
        }
    }

    /// The shares that a look-up compares are few, however many there are.
    #[test]
    fn of_a_thousand_shares_hardly_any_meet() {
        let mut division = Division::default();
        for id in 1..=1_000 {
            let softirq = Culprit { holder: Holder::Section(Section::Softirq(7)), more: More::OnTimeOf(thread(id)) };
            division.add(Cause::FairShare, Some(Holder::Thread(thread(id)).into()), 5);
            division.add(Cause::Interference, Some(softirq), 5);
        }
        let length = division.places.len();
        let far = |share: &Share| {
            let from = hash(share.cause, share.culprit.as_ref());
            (0..length).find(|step| {
                let place = division.places[(from + step) % length];
                place != EMPTY && division.shares[place as usize] == *share
            })
        };
        let steps: usize = division.shares.iter().map(|share| far(share).unwrap()).sum();
        assert!(division.shares.len() == 2_000 && steps < 4_000, "{steps} steps beside {}", division.shares.len());
    }
}
