// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of all late responses together, the one that made the most of them late first.
use super::advice::advice;
use crate::blame::{Blame, Cause, Culprit, Share};
use crate::blame_line::{Called, phrase_with};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Causes that are told apart; those beyond are one.
const CAUSES_MAX: usize = 4_096;
/// Causes and culprits whose place is remembered; of others it is looked for by their words.
const PLACES_MAX: usize = 1 << 16;
const OTHERS: &str = "others (more causes than are told apart)";

/// A cause over all late responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranked {
    /// Who or what; threads of one name are one.
    pub what: String,
    /// Late responses in which it was the largest.
    pub largest_in: u64,
    /// Late responses in which it had any part.
    pub part_of: u64,
    /// Its time in all of them.
    pub ns: u64,
    /// The longest in one of them.
    pub longest_ns: u64,
    /// What to change.
    pub advice: &'static str,
}

/// The causes of the responses so far; its memory does not grow with them.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    called: Called,
    all: Vec<Ranked>,
    by_name: HashMap<String, usize>,
    /// The same by what is to be put into words, which is not done for every response.
    places: HashMap<(Cause, Option<Culprit>), usize>,
    /// The time of each cause in the response at hand.
    of_one: Vec<(usize, u64)>,
}

impl Ranking {
    /// One that has threads as they are called.
    pub(super) fn calling(called: Called) -> Self {
        Self { called, ..Self::default() }
    }

    /// Takes the next late response.
    pub(super) fn add(&mut self, blame: &Blame) {
        self.of_one.clear();
        // The shares of one response come largest first.
        for (rank, share) in blame.shares.iter().enumerate() {
            let place = self.place(share);
            self.all[place].largest_in += u64::from(rank == 0);
            match self.of_one.iter_mut().find(|(known, _)| *known == place) {
                Some((_, ns)) => *ns = ns.saturating_add(share.ns),
                None => self.of_one.push((place, share.ns)),
            }
        }
        for (place, ns) in &self.of_one {
            let ranked = &mut self.all[*place];
            ranked.part_of += 1;
            ranked.ns = ranked.ns.saturating_add(*ns);
            ranked.longest_ns = ranked.longest_ns.max(*ns);
        }
    }

    fn place(&mut self, share: &Share) -> usize {
        let key = (share.cause, share.culprit);
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = self.place_by_name(phrase_with(share, &self.called), advice(share.cause, share.culprit));
        if self.places.len() < PLACES_MAX {
            self.places.insert(key, place);
        }
        place
    }

    fn place_by_name(&mut self, what: String, advice: &'static str) -> usize {
        if let Some(place) = self.by_name.get(&what) {
            return *place;
        }
        if self.all.len() >= CAUSES_MAX && what != OTHERS {
            return self.place_by_name(OTHERS.to_string(), "look at the responses one by one (--json)");
        }
        self.by_name.insert(what.clone(), self.all.len());
        self.all.push(Ranked { what, largest_in: 0, part_of: 0, ns: 0, longest_ns: 0, advice });
        self.all.len() - 1
    }

    /// Every cause; `ns` of all together is the time of all these responses.
    pub fn ranked(&self) -> Vec<Ranked> {
        let mut ranked = self.all.clone();
        ranked.sort_by(|a, b| {
            let rank = |ranked: &Ranked| (Reverse(ranked.largest_in), Reverse(ranked.ns));
            rank(a).cmp(&rank(b)).then_with(|| a.what.cmp(&b.what))
        });
        ranked
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
        assert_eq!((ranked.len(), ranked[0].what.as_str(), ranked[0].largest_in), (CAUSES_MAX + 1, OTHERS, 500));
        assert_eq!(ranked.iter().map(|ranked| ranked.ns).sum::<u64>(), u64::from(lines) * 7);
        ranking.add(&Blame::of(vec![share(0, u64::MAX)]));
        assert_eq!(ranking.ranked().iter().map(|ranked| ranked.longest_ns).max(), Some(u64::MAX));
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
            prop_assert!(ranked.iter().all(|ranked| ranked.largest_in <= ranked.part_of));
        }
    }
}
