// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of all late responses together; the one that was largest most often comes first.
use crate::blame::division::hash;
use crate::blame::told::Naming;
use crate::blame::{Blame, Cause, Culprit, Share};
use backwall_model::{Accusation, CauseTotal};
use std::collections::HashMap;

const CAUSES_MAX: usize = 4_096;
/// At most this many combinations of cause and culprit have a remembered place; backwall searches the others by name.
const PLACES_MAX: usize = 1 << 16;
const NEAR: usize = 4_096;
const OTHERS: Accusation = Accusation { cause: Cause::Others, culprit: None };

#[derive(Clone, Copy, Debug)]
struct Near {
    cause: Cause,
    culprit: Option<Culprit>,
    place: usize,
}

/// The causes of the responses so far, in constant memory.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    naming: Naming,
    all: Vec<Total>,
    by_name: HashMap<Accusation, usize>,
    /// Places by cause and culprit, for combinations that `near` does not have.
    places: HashMap<(Cause, Option<Culprit>), usize>,
    /// The last places that were looked up, by the low bits of the hash: one culprit often causes many late responses.
    near: Vec<Option<Near>>,
    of_one: Vec<usize>,
}

impl Ranking {
    pub(super) fn naming(naming: Naming) -> Self {
        Self { naming, ..Self::default() }
    }

    pub(crate) fn add(&mut self, blame: &Blame) {
        self.add_counting(blame, blame.fresh());
    }

    pub(crate) fn add_counting(&mut self, blame: &Blame, counts: &[Share]) {
        let counts_all = std::ptr::eq(counts, blame.shares.as_slice());
        for share in counts.iter().filter(|_| !counts_all) {
            let place = self.place(share);
            self.all[place].ns = self.all[place].ns.saturating_add(share.ns);
        }
        // The shares of a response are sorted, the largest first.
        for (rank, share) in blame.shares.iter().enumerate() {
            let place = self.place(share);
            if counts_all {
                self.all[place].ns = self.all[place].ns.saturating_add(share.ns);
            }
            self.all[place].largest_in += u64::from(rank == 0);
            match &mut self.all[place].in_one_ns {
                Some(ns) => *ns = ns.saturating_add(share.ns),
                none => {
                    *none = Some(share.ns);
                    self.of_one.push(place);
                }
            }
        }
        for place in self.of_one.drain(..) {
            let ranked = &mut self.all[place];
            ranked.part_of += 1;
            ranked.longest_ns = ranked.longest_ns.max(ranked.in_one_ns.take().unwrap_or(0));
        }
    }

    fn place(&mut self, share: &Share) -> usize {
        // These culprits contain the length of a response or run, which differs each time. So such a culprit is not part of the
        // key.
        let culprit = share.culprit.filter(|_| !matches!(share.cause, Cause::CatchUp | Cause::Backlog));
        let key = (share.cause, culprit);
        if self.near.is_empty() {
            self.near = vec![None; NEAR];
        }
        let slot = (hash(share.cause, culprit.as_ref()) >> 32) as usize % NEAR;
        match &self.near[slot] {
            Some(near) if near.cause == share.cause && near.culprit == culprit => near.place,
            _ => {
                let place = self.far_place(key);
                self.near[slot] = Some(Near { cause: share.cause, culprit, place });
                place
            }
        }
    }

    fn far_place(&mut self, key: (Cause, Option<Culprit>)) -> usize {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let (cause, culprit) = key;
        let culprit = culprit.map(|culprit| self.naming.culprit(culprit));
        let place = self.place_by_name(Accusation { cause, culprit });
        if self.places.len() < PLACES_MAX {
            self.places.insert(key, place);
        }
        place
    }

    fn place_by_name(&mut self, accused: Accusation) -> usize {
        if let Some(place) = self.by_name.get(&accused) {
            return *place;
        }
        if self.all.len() >= CAUSES_MAX && accused != OTHERS {
            return self.place_by_name(OTHERS);
        }
        self.by_name.insert(accused.clone(), self.all.len());
        self.all.push(Total { accused, largest_in: 0, part_of: 0, ns: 0, longest_ns: 0, in_one_ns: None });
        self.all.len() - 1
    }

    /// All causes; first the one that was most often the largest of a response. Their `ns` sum to the time of these responses.
    pub fn ranked(&self) -> Vec<CauseTotal> {
        let mut ranked: Vec<CauseTotal> = self.all.iter().map(Total::kept).collect();
        ranked.sort_by(CauseTotal::rank);
        ranked
    }
}

#[derive(Clone, Debug)]
struct Total {
    accused: Accusation,
    largest_in: u64,
    part_of: u64,
    ns: u64,
    longest_ns: u64,
    in_one_ns: Option<u64>,
}

impl Total {
    fn kept(&self) -> CauseTotal {
        let Self { accused, largest_in, part_of, ns, longest_ns, .. } = self.clone();
        CauseTotal { accused, ns, largest_in, part_of: Some(part_of), longest_ns: Some(longest_ns) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Name, Section};
    use crate::processor::Holder;
    use proptest::prelude::*;

    fn share(line: u32, ns: u64) -> Share {
        let section = Section::Interrupt(Name::new(line.to_string().as_bytes()));
        Share { cause: Cause::Interference, culprit: Some(Holder::Section(section).into()), ns, longest_ns: ns }
    }

    #[test]
    fn causes_beyond_those_that_are_told_apart_are_one_and_nothing_is_left_out() {
        let mut ranking = Ranking::default();
        let lines = CAUSES_MAX as u32 + 500;
        (0..lines).for_each(|line| ranking.add(&Blame::of(vec![share(line, 7)])));
        let ranked = ranking.ranked();
        assert_eq!((ranked.len(), &ranked[0].accused, ranked[0].largest_in), (CAUSES_MAX + 1, &OTHERS, 500));
        assert_eq!(ranked.iter().map(|ranked| ranked.ns).sum::<u64>(), u64::from(lines) * 7);
        ranking.add(&Blame::of(vec![share(0, u64::MAX)]));
        assert_eq!(ranking.ranked().iter().filter_map(|ranked| ranked.longest_ns).max(), Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn causes_sum_to_the_latencies_and_each_response_has_one_largest(
            responses in proptest::collection::vec(proptest::collection::vec((0u32..9, 1u64..1_000), 1..6), 0..30)
        ) {
            let mut ranking = Ranking::default();
            for response in &responses {
                ranking.add(&Blame::of(response.iter().map(|(line, ns)| share(*line, *ns)).collect()));
            }
            let ranked = ranking.ranked();
            let latencies: u64 = responses.iter().flatten().map(|(_, ns)| ns).sum();
            prop_assert_eq!(ranked.iter().map(|ranked| ranked.ns).sum::<u64>(), latencies);
            prop_assert_eq!(ranked.iter().map(|ranked| ranked.largest_in).sum::<u64>(), responses.len() as u64);
            prop_assert!(ranked.iter().all(|ranked| Some(ranked.largest_in) <= ranked.part_of));
        }
    }
}
