// SPDX-License-Identifier: MIT OR Apache-2.0
//! A loop with absolute deadlines that catches up with releases that came due while it was late.
use super::*;
use crate::blame::{Blame, More};

const PERIOD_US: u64 = 1_000;
const TIMER: u64 = 0xabc0;

// One processor with a loop and another thread, and the events of both threads.
struct Play {
    late: Thread,
    other: Thread,
    at_us: u64,
    release_us: u64,
    events: Vec<Stamped>,
    others: Vec<(u64, u64)>,
}

impl Play {
    fn begin(late: i32, other: i32) -> Self {
        let (late, other) = (thread(7, late), thread(9, other));
        let events = vec![switch(1_000, other, true, late)];
        Self { late, other, at_us: 100, release_us: 0, events, others: Vec::new() }
    }

    fn interrupt(&mut self, at_us: u64, upon: i32) {
        let line = Section::Interrupt(Name::new(b"local_timer"));
        let above = |at_ns, event| Stamped { in_thread: false, to_switch: true, ..by(at_ns, upon, event) };
        self.events.extend([
            above(at_us * 1_000, Event::Enter(line)),
            above(at_us * 1_000 + 100, Event::TimerExpire { timer: TIMER, function: None }),
            above(at_us * 1_000 + 200, Event::Waking { thread: 7 }),
            above(at_us * 1_000 + 500, Event::Leave(line)),
        ]);
    }

    // The loop sets its timer for the next release, possibly in the past. It gets its CPU `wait_us` after it was made ready.
    fn waits(&mut self, wait_us: u64) {
        self.release_us += PERIOD_US;
        let expiry_ns = self.release_us * 1_000;
        self.events.push(by(self.at_us * 1_000, 7, Event::TimerStart { timer: TIMER, expiry_ns, slack_ns: 0 }));
        if self.release_us <= self.at_us {
            self.interrupt(self.at_us + 2, 7);
            self.at_us += 3;
            return;
        }
        let left_us = self.at_us + 1;
        self.events.push(switch(left_us * 1_000, self.late, false, self.other));
        self.interrupt(self.release_us.max(left_us + 1), 9);
        self.at_us = self.release_us.max(left_us + 1) + 1 + wait_us;
        self.events.push(switch(self.at_us * 1_000, self.other, true, self.late));
        self.others.push((left_us, self.at_us));
    }

    fn runs(&mut self, us: u64) {
        self.at_us += us;
    }

    // The loop leaves the CPU for `us`: preempted, or by itself until the other thread wakes it.
    fn leaves(&mut self, us: u64, preempted: bool) {
        self.at_us += 1;
        self.events.push(switch(self.at_us * 1_000, self.late, preempted, self.other));
        let back_us = self.at_us + us;
        if !preempted {
            self.events.push(by(back_us * 1_000 - 1, 9, Event::Waking { thread: 7 }));
        }
        self.events.push(switch(back_us * 1_000, self.other, true, self.late));
        self.others.push((self.at_us, back_us));
        self.at_us = back_us;
    }

    // CPU time of the other thread, without the timer's interrupts.
    fn others_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let within = |(from, to): &(u64, u64)| (to * 1_000).min(to_ns).saturating_sub((from * 1_000).max(from_ns));
        self.others.iter().map(within).sum()
    }

    fn lates(&mut self, above_ns: u64) -> Lates {
        self.events.push(switch((self.at_us + 10) * 1_000, self.late, false, self.other));
        looked_at(Whose::Number(7), above_ns, &self.events)
    }
}

fn ns_of(blame: &Blame, cause: Cause) -> u64 {
    blame.shares.iter().filter(|share| share.cause == cause).map(|share| share.ns).sum()
}

#[test]
fn a_release_that_came_due_in_a_late_response_is_late_for_the_same_reason() {
    for (late, other, cause) in
        [(120, 120, Cause::FairShare), (49, 10, Cause::Interference), (49, 120, Cause::Blocking)]
    {
        let mut play = Play::begin(late, other);
        play.waits(3_500);
        // The loop catches up with three releases, and is preempted once meanwhile.
        play.runs(10);
        play.waits(0);
        play.leaves(270, true);
        play.waits(0);
        play.runs(10);
        play.waits(0);
        let lates = play.lates(300_000);
        assert_eq!((lates.responses, lates.late), (4, 4));
        for late in &lates.lates {
            let largest = &late.blame.shares[0];
            assert_eq!(largest.culprit.map(|culprit| culprit.holder), Some(Holder::Thread(play.other)), "{late:?}");
            assert_eq!((ns_of(&late.blame, Cause::NotWaiting), late.blame.total()), (0, late.latency_ns), "{late:?}");
        }
        // The other thread's time: what the loop waited for in its first response, counted from the second release, and the
        // preemption.
        let third = &lates.lates[2].blame;
        let of_other = third
            .shares
            .iter()
            .filter(|share| share.culprit.map(|culprit| culprit.holder) == Some(Holder::Thread(play.other)));
        assert_eq!(of_other.map(|share| share.ns).sum::<u64>(), 1_771_000, "{third:?}");
        let preempted = if cause == Cause::Blocking { ns_of(third, Cause::Throttling) } else { 270_000 };
        assert_eq!(preempted, 270_000, "{third:?}");
        let caught_up = third.shares.iter().find(|share| share.cause == Cause::CatchUp).unwrap();
        assert_eq!(caught_up.culprit.unwrap().more, More::After(3_501_000), "{third:?}");
        // Time that belongs to several responses counts once.
        let ranked = lates.ranking.ranked();
        let all: u64 = ranked.iter().map(|total| total.ns).sum();
        assert_eq!((all, ranked[0].largest_in), (play.at_us * 1_000 - 500 - PERIOD_US * 1_000, 4), "{ranked:?}");
        let told = &ranked[0].accused;
        assert!(matches!(told, Accusation { cause: first, .. } if *first == cause), "{ranked:?}");
    }
}

#[test]
fn a_loop_that_needs_longer_than_its_period_is_told_so() {
    let mut play = Play::begin(49, 10);
    for _ in 0..8 {
        play.waits(5);
        play.runs(1_300);
    }
    let lates = play.lates(500_000);
    assert!(lates.late > 3);
    for late in &lates.lates {
        let first = &late.blame.shares[0];
        assert_eq!((first.cause, late.blame.total()), (Cause::Backlog, late.latency_ns), "{late:?}");
        // The culprit is the thread itself, with the time for which it had run when it set the timer of a release that was
        // already due.
        let Some(culprit) = first.culprit else { panic!("{late:?}") };
        let More::After(ran_ns) = culprit.more else { panic!("{late:?}") };
        assert!(matches!(culprit.holder, Holder::Thread(own) if own.id == 7), "{late:?}");
        assert!(ran_ns >= 1_300_000 && ran_ns < play.at_us * 1_000, "{late:?}");
        assert_eq!(ns_of(&late.blame, Cause::CatchUp), 0, "{late:?}");
    }
}

#[test]
fn a_loop_that_waits_for_something_else_was_not_waiting_for_its_timer() {
    for late in [120, 49] {
        let mut play = Play::begin(late, 120);
        play.waits(5);
        play.runs(10);
        play.leaves(2_000, false);
        play.waits(0);
        play.runs(10);
        play.waits(0);
        let lates = play.lates(300_000);
        let not_waiting = lates.lates.iter().map(|late| ns_of(&late.blame, Cause::NotWaiting)).collect::<Vec<_>>();
        // From each release to the wakeup.
        assert_eq!(not_waiting, [1_016_999, 16_999][..not_waiting.len()], "{:?}", lates.lates);
        assert_eq!(lates.ranking.ranked()[0].ns, 1_016_999);
    }
}

proptest! {
    // A loop that catches up is never blamed for not waiting for its timer. The other thread gets its CPU time, and no time
    // counts twice.
    #[test]
    fn each_response_of_a_loop_that_catches_up_is_told_by_who_had_its_processor(
        steps in proptest::collection::vec((0u64..4_000, 0u64..300, prop_oneof![3 => Just(0u64), 1 => 1u64..3_000]), 1..40),
        above_us in prop_oneof![Just(0u64), Just(300), Just(2_000)],
    ) {
        let mut play = Play::begin(120, 120);
        for (wait_us, run_us, preempted_us) in steps {
            play.waits(wait_us);
            play.runs(run_us);
            if preempted_us > 0 {
                play.leaves(preempted_us, true);
            }
        }
        let lates = play.lates(above_us * 1_000);
        for late in &lates.lates {
            prop_assert_eq!(late.blame.total(), late.latency_ns);
            prop_assert_eq!(ns_of(&late.blame, Cause::NotWaiting), 0, "{:?}", late);
            let others = play.others_ns(late.at_ns, late.at_ns + late.latency_ns);
            let of_interrupts = 2_000;
            let told = ns_of(&late.blame, Cause::FairShare) + ns_of(&late.blame, Cause::Late);
            prop_assert!(told <= others && others - told <= of_interrupts * (1 + late.latency_ns / 1_000_000), "{} {} {:?}", told, others, late);
        }
        let together: u64 = lates.ranking.ranked().iter().map(|total| total.ns).sum();
        prop_assert!(together <= play.at_us * 1_000, "{} of {} us", together, play.at_us);
    }
}
