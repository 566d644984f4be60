// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::blame::Culprit;
use crate::event::{Name, Thread};
use crate::processor::Holder;
use proptest::prelude::*;

fn culprit(id: i32) -> Option<Culprit> {
    Some(Holder::Thread(Thread { id, priority: 120, name: Name::new(b"t") }).into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn the_sums_are_those_of_the_parts_that_are_left(
        takes in proptest::collection::vec((proptest::collection::vec((0i32..400, 1u64..90), 0..300), any::<bool>(), 0u64..12_000), 1..24),
    ) {
        let (mut course, mut model, mut at_ns) = (Course::default(), Vec::new(), 0);
        for (fresh, inherits, forgets_ns) in takes {
            let mut parted = Parted::default();
            if !inherits {
                model.clear();
            }
            for (id, ns) in fresh {
                let share = parted.division.place(Cause::FairShare, culprit(id));
                parted.division.add_to(share, ns);
                parted.parts.push(Placed { from_ns: at_ns, to_ns: at_ns + ns, share });
                model.push((at_ns, at_ns + ns, id));
                at_ns += ns;
            }
            course.take(parted, None, inherits, &Blame::default());
            let due_ns = at_ns.saturating_sub(forgets_ns);
            let known = course.inherited(due_ns);
            model.retain(|(_, to_ns, _)| *to_ns > due_ns);
            model.iter_mut().for_each(|(from_ns, ..)| *from_ns = due_ns.max(*from_ns));
            prop_assert_eq!(known, model.first().zip(model.last()).map(|(first, last)| (first.0, last.1)));
            let mut expected = Blame::default();
            model.iter().for_each(|(from_ns, to_ns, id)| expected.add(Cause::FairShare, culprit(*id), to_ns - from_ns));
            let by_thread = |blame: &Blame| {
                let mut all: Vec<_> = blame.shares.iter().map(|share| (share.culprit.unwrap().holder, share.ns)).collect();
                all.sort_by_key(|(holder, _)| if let Holder::Thread(thread) = holder { thread.id } else { 0 });
                all
            };
            prop_assert_eq!(by_thread(&course.sums()), by_thread(&expected));
            prop_assert!(course.shares() <= 2 * expected.shares.len() as u64 + EMPTY_MAX as u64 + 400);
        }
    }
}
