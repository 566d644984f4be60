// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums up the causes of many late responses, sorted by importance.
use crate::blame::worst::DividedResponse;
use crate::late::ranking::Ranking;
use backwall_model::CauseTotal;

/// The causes of all these responses. First comes the cause that was most often the largest share of a response.
pub fn totals(blamed: &[DividedResponse]) -> Vec<CauseTotal> {
    let mut ranking = Ranking::default();
    let mut in_order: Vec<&DividedResponse> = blamed.iter().collect();
    in_order.sort_by_key(|blamed| (blamed.sample.stimulus_ns, blamed.sample.response_ns));
    let mut counted_until = 0;
    for DividedResponse { sample, blame } in in_order {
        let overlaps = sample.stimulus_ns < counted_until;
        ranking.add_counting(blame, if overlaps { blame.fresh() } else { &blame.shares });
        counted_until = counted_until.max(sample.response_ns);
    }
    ranking.ranked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::{Blame, Cause, Share};
    use crate::event::{Name, Thread};
    use crate::processor::Holder;
    use crate::stages::Sample;
    use backwall_model::{Accusation, Culprit};
    use proptest::prelude::*;

    fn compiler(id: i32, ns: u64) -> Share {
        let thread = Thread { id, priority: 120, name: Name::new(b"cc1") };
        Share { cause: Cause::Blocking, culprit: Some(Holder::Thread(thread).into()), ns, longest_ns: ns }
    }

    fn own(ns: u64) -> Share {
        Share { cause: Cause::Dispatch, culprit: None, ns, longest_ns: ns }
    }

    fn blamed(shares: Vec<Share>) -> DividedResponse {
        let mut blame = Blame::of(shares);
        blame.shares.sort_by_key(|share| std::cmp::Reverse(share.ns));
        DividedResponse { sample: Sample { seq: 0, stimulus_ns: 0, response_ns: blame.total() }, blame }
    }

    #[test]
    fn threads_of_one_name_are_one_cause() {
        let all = [blamed(vec![compiler(7, 90), own(5)]), blamed(vec![compiler(8, 60), own(70)])];
        let found = totals(&all);
        let thread = backwall_model::Thread {
            name: Some("cc1".into()),
            id: None,
            priority: Some(backwall_model::Priority::Ordinary),
            series: false,
        };
        let cc1 = Culprit { holder: backwall_model::Holder::Thread(thread), more: None };
        let total = |cause, culprit, ns, longest_ns| CauseTotal {
            accused: Accusation { cause, culprit },
            ns,
            largest_in: 1,
            part_of: Some(2),
            longest_ns: Some(longest_ns),
        };
        let known = [total(Cause::Blocking, Some(cc1), 150, 90), total(Cause::Dispatch, None, 75, 70)];
        assert_eq!(found, known);
    }

    proptest! {
        #[test]
        fn causes_sum_to_the_latencies_and_each_response_has_one_largest(
            responses in proptest::collection::vec(proptest::collection::vec((0i32..9, 1u64..1_000), 1..5), 0..20)
        ) {
            let one = |shares: &Vec<(i32, u64)>| blamed(shares.iter().map(|(id, ns)| compiler(*id, *ns)).chain([own(3)]).collect());
            let all: Vec<DividedResponse> = responses.iter().map(one).collect();
            let totals = totals(&all);
            let latencies: u64 = all.iter().map(|blamed| blamed.blame.total()).sum();
            prop_assert_eq!(totals.iter().map(|total| total.ns).sum::<u64>(), latencies);
            prop_assert_eq!(totals.iter().map(|total| total.largest_in).sum::<u64>(), all.len() as u64);
        }
    }
}
