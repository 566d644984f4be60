// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any blame that its types allow: every cause, every culprit, every sentence of an earlier schema. The strategies are boxed: all
//! their parts by value would be more than a test's stack holds.
use super::any::{count, word};
use backwall_model::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn cause() -> impl Strategy<Value = Cause> {
    prop::sample::select(Cause::ALL.as_slice())
}

fn priority() -> impl Strategy<Value = Option<Priority>> {
    any::<i32>()
        .prop_flat_map(|any| prop_oneof![Just(any), -1_300..200i32, Just(i32::MAX)])
        .prop_map(Priority::of_events)
}

fn thread() -> BoxedStrategy<Thread> {
    let parts = (of(word()), of(any::<i32>()), priority(), any::<bool>());
    parts.prop_map(|(name, id, priority, series)| Thread { name, id, priority, series }).boxed()
}

fn holder() -> BoxedStrategy<Holder> {
    prop_oneof![
        Just(Holder::Unknown),
        Just(Holder::Idle),
        thread().prop_map(Holder::Thread),
        word().prop_map(Holder::Interrupt),
        any::<u8>().prop_map(Holder::Softirq),
    ]
    .boxed()
}

fn untold() -> impl Strategy<Value = Untold> {
    prop_oneof![
        Just(Untold::NoStack),
        Just(Untold::Hidden),
        Just(Untold::Cut),
        Just(Untold::Unnamed),
        word().prop_map(Untold::Moment),
        word().prop_map(Untold::Itself),
        Just(Untold::Delivery),
    ]
}

fn known() -> BoxedStrategy<HolderDetail> {
    prop_oneof![
        thread().prop_map(HolderDetail::OnTimeOf),
        (priority(), of(thread())).prop_map(|(to, lender)| HolderDetail::Inherited { to, lender }),
        priority().prop_map(HolderDetail::Raised),
        thread().prop_map(HolderDetail::WhileHeldBy),
        (thread(), of(word())).prop_map(|(thread, group)| HolderDetail::Until { thread, group }),
        Just(HolderDetail::OtherRun),
        untold().prop_map(HolderDetail::Untold),
        (word(), of(word())).prop_map(|(function, caller)| HolderDetail::Masking { function, caller }),
        word().prop_map(HolderDetail::At),
        any::<u32>().prop_map(HolderDetail::Timers),
        (any::<u32>(), word()).prop_map(|(at_least, function)| HolderDetail::TimersOf { at_least, function }),
        (any::<u32>(), any::<u32>(), any::<bool>()).prop_map(|(mhz, of_mhz, limited)| HolderDetail::Slowed {
            mhz,
            of_mhz,
            limited
        }),
        (any::<u32>(), any::<bool>()).prop_map(|(cpu, down)| HolderDetail::Plugged { cpu, down }),
        count().prop_map(HolderDetail::After),
        count().prop_map(HolderDetail::FarAbove),
    ]
    .boxed()
}

fn culprit() -> BoxedStrategy<Culprit> {
    (holder(), of(known())).prop_map(|(holder, more)| Culprit { holder, more }).boxed()
}

fn share() -> impl Strategy<Value = Share> {
    (cause(), of(culprit()), count()).prop_map(|(cause, culprit, ns)| Share { cause, culprit, ns })
}

fn wakers() -> BoxedStrategy<Wakers> {
    let end = prop_oneof![
        Just(WakersEnd::First),
        thread().prop_map(WakersEnd::Circle),
        Just(WakersEnd::TooMany),
        thread().prop_map(WakersEnd::Missing),
    ];
    (vec(thread(), 0..3), end).prop_map(|(late, end)| Wakers { late, end }).boxed()
}

pub fn blame() -> BoxedStrategy<Blame> {
    prop_oneof![
        (vec(share(), 1..5), wakers())
            .prop_map(|(shares, wakers)| Blame::Shares { shares: Shares::of(shares).unwrap(), wakers }),
        of(any::<[u32; 2]>()).prop_map(|moved| Blame::Unseen { moved: moved.map(|[from, to]| Moved { from, to }) }),
        Just(Blame::Unfitting),
        any::<[u32; 3]>().prop_map(|parts| {
            let [user, kernel, waited] = parts.map(u64::from);
            Blame::Modes(Division { user, kernel, waited })
        }),
    ]
    .boxed()
}

pub fn accused() -> BoxedStrategy<Accusation> {
    prop_oneof![(cause(), of(culprit())).prop_map(|(cause, culprit)| Accusation { cause, culprit }),].boxed()
}
