// SPDX-License-Identifier: MIT OR Apache-2.0
//! Searches a list whose first entry is good and whose last is bad for the first bad entry. Each round tries several entries at
//! once, which divide the rest into equal parts.
//!
//! ```text
//! nine, in three parts:   G . . . . . . . B     the first round tries both ends and two between
//! G . G . . B . . B     the second tries the two that are left
//! ```
//!
//! With two parts this is bisection. With `k` parts, `n` entries need at most r rounds, where r is the smallest number with `k`^r
//! >= `n - 1`.
use crate::history::Verdict;

#[derive(Clone, Debug)]
pub struct Section {
    verdicts: Vec<Option<Verdict>>,
    parts: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Try(Vec<usize>),
    Found(usize),
    /// One of these is the first bad entry; all but the last could not be tested.
    Among(Vec<usize>),
    /// The entry at one end has the wrong verdict: the first must be good, the last bad.
    WrongEnd(usize),
}

impl Section {
    /// A new search over a list of this length (at least two).
    pub fn new(length: usize, parts: usize) -> Self {
        Self { verdicts: vec![None; length.max(2)], parts: parts.max(2) }
    }

    pub fn tell(&mut self, place: usize, verdict: Verdict) {
        if let Some(known) = self.verdicts.get_mut(place) {
            *known = Some(verdict);
        }
    }

    pub fn verdict(&self, place: usize) -> Option<Verdict> {
        self.verdicts.get(place).copied().flatten()
    }

    /// A bad entry before a good one: the list changes more than once, and the search finds the first change.
    pub fn unordered(&self) -> Option<(usize, usize)> {
        let bad = self.first_bad()?;
        let good = self.verdicts.iter().rposition(|verdict| *verdict == Some(Verdict::Good))?;
        (bad < good).then_some((bad, good))
    }

    pub fn step(&self) -> Step {
        let last = self.verdicts.len() - 1;
        for (end, wanted) in [(0, Verdict::Good), (last, Verdict::Bad)] {
            if self.verdicts[end].is_some_and(|verdict| verdict != wanted) {
                return Step::WrongEnd(end);
            }
        }
        let bad = self.first_bad().unwrap_or(last);
        let good = self.verdicts[..bad].iter().rposition(|verdict| *verdict == Some(Verdict::Good)).unwrap_or(0);
        let left: Vec<usize> = (good + 1..bad).filter(|place| self.verdicts[*place].is_none()).collect();
        let mut tried: Vec<usize> = [0, last].into_iter().filter(|end| self.verdicts[*end].is_none()).collect();
        tried.extend(self.cuts(&left));
        match bad - good {
            _ if !tried.is_empty() => {
                tried.sort_unstable();
                Step::Try(tried)
            }
            1 => Step::Found(bad),
            _ => Step::Among((good + 1..=bad).collect()),
        }
    }

    fn first_bad(&self) -> Option<usize> {
        self.verdicts.iter().position(|verdict| *verdict == Some(Verdict::Bad))
    }

    fn cuts(&self, left: &[usize]) -> Vec<usize> {
        let cut = |number: usize| left.get((number * (left.len() + 1) / self.parts).checked_sub(1)?).copied();
        let mut cuts: Vec<usize> = (1..self.parts).filter_map(cut).collect();
        cuts.dedup();
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn searched(length: usize, parts: usize, judge: impl Fn(usize) -> Verdict) -> (usize, Step) {
        let mut section = Section::new(length, parts);
        for rounds in 0.. {
            let Step::Try(round) = section.step() else { return (rounds, section.step()) };
            assert!(
                round.len() < parts + 2 && round.iter().all(|place| section.verdict(*place).is_none()),
                "{round:?}"
            );
            round.into_iter().for_each(|place| section.tell(place, judge(place)));
        }
        unreachable!()
    }

    #[test]
    fn the_first_bad_one_is_found_wherever_it_is_in_as_few_rounds_as_the_parts_allow() {
        for (length, parts) in (2..40_usize).flat_map(|length| (2..7_usize).map(move |parts| (length, parts))) {
            let most = (1_u32..).find(|rounds| parts.pow(*rounds) >= length - 1).unwrap() as usize;
            for first in 1..length {
                let judge = |place| if place < first { Verdict::Good } else { Verdict::Bad };
                let (rounds, found) = searched(length, parts, judge);
                assert_eq!(found, Step::Found(first), "{length} in {parts}");
                assert!(rounds <= most, "{length} in {parts}: {rounds} rounds, {most} at most");
            }
        }
        assert_eq!(Section::new(9, 4).step(), Step::Try(vec![0, 2, 4, 6, 8]));
    }

    #[test]
    fn an_end_that_is_not_what_it_was_said_to_be_ends_the_search_and_several_changes_are_told() {
        assert_eq!(searched(9, 3, |_| Verdict::Bad).1, Step::WrongEnd(0));
        assert_eq!(searched(9, 3, |_| Verdict::Good).1, Step::WrongEnd(8));
        assert_eq!(searched(9, 3, |place| if place == 8 { Verdict::Skip } else { Verdict::Good }).1, Step::WrongEnd(8));
        let mut section = Section::new(5, 2);
        assert_eq!(section.unordered(), None);
        [(0, Verdict::Good), (1, Verdict::Bad), (3, Verdict::Good), (4, Verdict::Bad)]
            .into_iter()
            .for_each(|(place, verdict)| section.tell(place, verdict));
        assert_eq!((section.step(), section.unordered()), (Step::Found(1), Some((1, 3))));
    }

    proptest! {
        #[test]
        fn where_some_cannot_be_told_the_first_bad_one_is_among_what_is_left(
            skipped in prop::collection::vec(any::<bool>(), 4..40), parts in 2usize..7, first in any::<prop::sample::Index>(),
        ) {
            let (length, first) = (skipped.len(), 1 + first.index(skipped.len() - 1));
            let judge = |place: usize| match place {
                _ if skipped[place] && place > 0 && place < length - 1 => Verdict::Skip,
                _ if place < first => Verdict::Good,
                _ => Verdict::Bad,
            };
            match searched(length, parts, judge).1 {
                Step::Found(found) => prop_assert_eq!(found, first),
                Step::Among(suspects) => {
                    prop_assert!(suspects.contains(&first) && suspects.len() > 1);
                    let (last, others) = suspects.split_last().unwrap();
                    prop_assert!(judge(*last) == Verdict::Bad && others.iter().all(|place| judge(*place) == Verdict::Skip));
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
