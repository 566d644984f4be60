// SPDX-License-Identifier: MIT OR Apache-2.0
//! The causes of many late responses together: what would help most.
use super::blame_line::phrase_by_name;
use super::late::advice::advice;
use super::worst::Blamed;
use run::CauseTotal;
use std::collections::BTreeMap;

/// Every cause over all these responses, the largest first.
pub fn totals(blamed: &[Blamed]) -> Vec<CauseTotal> {
    let mut by_name: BTreeMap<String, CauseTotal> = BTreeMap::new();
    for Blamed { blame, .. } in blamed {
        // The shares of one response come largest first.
        for (place, share) in blame.shares.iter().enumerate() {
            let what = phrase_by_name(share);
            let advice = Some(advice(share.cause, share.culprit).to_string());
            let none = CauseTotal { what: what.clone(), ns: 0, largest_in: 0, advice };
            let total = by_name.entry(what).or_insert(none);
            total.ns += share.ns;
            total.largest_in += u64::from(place == 0);
        }
    }
    let mut totals: Vec<CauseTotal> = by_name.into_values().collect();
    totals.sort_by_key(|total| std::cmp::Reverse(total.ns));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::{Blame, Cause, Share};
    use crate::event::{Name, Thread};
    use crate::processor::Holder;
    use crate::stages::Sample;
    use proptest::prelude::*;

    fn compiler(id: i32, ns: u64) -> Share {
        let thread = Thread { id, priority: 120, name: Name::new(b"cc1") };
        Share { cause: Cause::Blocking, culprit: Some(Holder::Thread(thread).into()), ns, longest_ns: ns }
    }

    fn own(ns: u64) -> Share {
        Share { cause: Cause::Dispatch, culprit: None, ns, longest_ns: ns }
    }

    fn blamed(shares: Vec<Share>) -> Blamed {
        let mut blame = Blame::of(shares);
        blame.shares.sort_by_key(|share| std::cmp::Reverse(share.ns));
        Blamed { sample: Sample { seq: 0, stimulus_ns: 0, response_ns: blame.total() }, blame }
    }

    #[test]
    fn threads_of_one_name_are_one_cause() {
        let all = [blamed(vec![compiler(7, 90), own(5)]), blamed(vec![compiler(8, 60), own(70)])];
        let found = totals(&all);
        let said: Vec<(&str, u64, u64)> =
            found.iter().map(|total| (total.what.as_str(), total.ns, total.largest_in)).collect();
        assert_eq!(said, [("cc1 (ordinary) could not be preempted", 150, 1), ("the kernel's own way", 75, 1)]);
        let advice: Vec<bool> =
            found.iter().map(|total| total.advice.as_deref().unwrap().contains("preempt")).collect();
        assert_eq!(advice, [true, false]);
    }

    proptest! {
        #[test]
        fn causes_sum_to_the_latencies_and_each_response_has_one_largest(
            responses in proptest::collection::vec(proptest::collection::vec((0i32..9, 1u64..1_000), 1..5), 0..20)
        ) {
            let one = |shares: &Vec<(i32, u64)>| blamed(shares.iter().map(|(id, ns)| compiler(*id, *ns)).chain([own(3)]).collect());
            let all: Vec<Blamed> = responses.iter().map(one).collect();
            let totals = totals(&all);
            let latencies: u64 = all.iter().map(|blamed| blamed.blame.total()).sum();
            prop_assert_eq!(totals.iter().map(|total| total.ns).sum::<u64>(), latencies);
            prop_assert_eq!(totals.iter().map(|total| total.largest_in).sum::<u64>(), all.len() as u64);
        }
    }
}
