// SPDX-License-Identifier: MIT OR Apache-2.0
//! A latency while it is being divided. A hash table finds the share of a cause and culprit, because a busy machine has a
//! thousand of them.
use crate::blame::{Blame, Cause, Culprit, Share, sorted};
use crate::event::Section;
use crate::processor::Holder;

const FEW: usize = 8;
const EMPTY: Entry = Entry { tag: 0, place: u32::MAX };

/// Index of a share, with a part of its hash, so that most collisions are seen without a look at the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    tag: u32,
    place: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Division {
    shares: Vec<Share>,
    /// Hash table of the indices of `shares`. Empty while there are few shares, at most half full later.
    places: Vec<Entry>,
}

impl Division {
    /// Adds to the share of this cause and culprit; 0 adds no share.
    pub(crate) fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
        if ns > 0 {
            let place = self.place(cause, culprit);
            self.add_to(place, ns);
        }
    }

    pub(crate) fn place(&mut self, cause: Cause, culprit: Option<Culprit>) -> u32 {
        let hash = hash(cause, culprit.as_ref());
        self.find(hash, cause, culprit.as_ref()).unwrap_or_else(|| {
            self.shares.push(Share { cause, culprit, ns: 0, longest_ns: 0 });
            self.index(hash);
            self.shares.len() as u32 - 1
        })
    }

    #[inline(always)]
    pub(crate) fn add_to(&mut self, place: u32, ns: u64) {
        let share = &mut self.shares[place as usize];
        share.ns += ns;
        share.longest_ns = share.longest_ns.max(ns);
    }

    pub(crate) fn of(shares: Vec<Share>) -> Self {
        let mut division = Self { shares, places: Vec::new() };
        division.index_all();
        division
    }

    pub(crate) fn add_share(&mut self, share: Share) {
        let place = self.place(share.cause, share.culprit);
        let known = &mut self.shares[place as usize];
        known.ns += share.ns;
        known.longest_ns = known.longest_ns.max(share.longest_ns);
    }

    /// Subtracts time from the share with this index. A share of 0 stays, so that indices stay valid.
    pub(crate) fn take_from(&mut self, place: u32, ns: u64) {
        let share = &mut self.shares[place as usize];
        share.ns = share.ns.saturating_sub(ns);
        share.longest_ns = share.longest_ns.min(share.ns);
    }

    pub(crate) fn share(&self, place: u32) -> &Share {
        &self.shares[place as usize]
    }

    /// All shares by index, including those of 0.
    pub(crate) fn all(&self) -> &[Share] {
        &self.shares
    }

    pub(crate) fn total(&self) -> u64 {
        self.shares.iter().fold(0, |sum, share| sum.saturating_add(share.ns))
    }

    pub(crate) fn shares(self) -> Vec<Share> {
        self.shares
    }

    pub(crate) fn sorted(&self) -> Vec<Share> {
        sorted(&self.shares)
    }

    pub(crate) fn join(self, blame: &mut Blame) {
        if blame.shares.is_empty() {
            blame.shares = self.shares;
        } else {
            blame.join(Blame::of(self.shares));
        }
    }

    fn find(&self, hash: u64, cause: Cause, culprit: Option<&Culprit>) -> Option<u32> {
        let is_it = |share: &Share| share.cause == cause && share.culprit.as_ref() == culprit;
        if self.places.is_empty() {
            return self.shares.iter().position(is_it).map(|place| place as u32);
        }
        let mut slots = self.slots(hash).map(|slot| self.places[slot]).take_while(|entry| *entry != EMPTY);
        slots
            .find(|entry| entry.tag == hash as u32 && is_it(&self.shares[entry.place as usize]))
            .map(|entry| entry.place)
    }

    fn slots(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.places.len() - 1;
        ((hash >> 32) as usize..).map(move |slot| slot & mask)
    }

    /// Enters the last share into the hash table. If the table is half full, makes a larger one and enters all shares.
    fn index(&mut self, hash: u64) {
        let place = self.shares.len() - 1;
        if place < FEW {
            return;
        }
        if self.shares.len() * 2 <= self.places.len() { self.put(hash, place) } else { self.index_all() }
    }

    #[cold]
    fn index_all(&mut self) {
        if self.shares.len() > FEW {
            self.places.clear();
            self.places.resize((self.shares.len() * 4).next_power_of_two(), EMPTY);
            for place in 0..self.shares.len() {
                let Share { cause, culprit, .. } = &self.shares[place];
                self.put(hash(*cause, culprit.as_ref()), place);
            }
        }
    }

    fn put(&mut self, hash: u64, place: usize) {
        let free = self.slots(hash).find(|slot| self.places[*slot] == EMPTY);
        free.into_iter().for_each(|slot| self.places[slot] = Entry { tag: hash as u32, place: place as u32 });
    }
}

/// Hashes what differs most often: cause, numbers, priorities and names of threads, interrupts and softirqs. One step of
/// Fibonacci hashing per word.
pub(crate) fn hash(cause: Cause, culprit: Option<&Culprit>) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let of_cause = mix(0, cause as u64);
    let Some(culprit) = culprit else { return of_cause };
    let of_holder = match &culprit.holder {
        Holder::Unknown => mix(of_cause, 1),
        Holder::Idle => mix(of_cause, 2),
        Holder::Thread(thread) => {
            let [first, rest] = thread.name.words();
            mix(mix(mix(of_cause, u64::from(thread.id as u32) << 32 | u64::from(thread.priority as u32)), first), rest)
        }
        Holder::Section(Section::Softirq(number)) => mix(of_cause, u64::from(*number) << 8 | 3),
        Holder::Section(Section::Interrupt(name)) => {
            let [first, rest] = name.words();
            mix(mix(of_cause, first), rest)
        }
    };
    culprit.other_thread().map_or(of_holder, |id| mix(of_holder, u64::from(id as u32)))
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
            let slots = division.slots(hash(share.cause, share.culprit.as_ref())).take(length);
            slots
                .map(|slot| division.places[slot])
                .position(|entry| entry != EMPTY && division.shares[entry.place as usize] == *share)
        };
        let steps: usize = division.shares.iter().map(|share| far(share).unwrap()).sum();
        assert!(division.shares.len() == 2_000 && steps < 4_000, "{steps} steps beside {}", division.shares.len());
    }
}
