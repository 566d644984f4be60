// SPDX-License-Identifier: MIT OR Apache-2.0
mod catching;
mod moving;

use super::*;
use crate::account::analysis::Analysis;
use crate::account::damaged::{hold, play};
use crate::blame::Cause;
use crate::blame::{Culprit, More, Wakers, WakersEnd};
use crate::event::function::Function;
use crate::event::{Group, Name, Section, Signal};
use crate::processor::Holder;
use crate::read::receiver::Receiver;
use backwall_model::Accusation;
use proptest::prelude::*;
use std::cell::Cell;

fn thread(id: i32, priority: i32) -> Thread {
    Thread { id, priority, name: Name::new(format!("t{id}").as_bytes()) }
}

fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
    Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
}

fn switch(at_ns: u64, from: Thread, preempted: bool, to: Thread) -> Stamped {
    by(at_ns, from.id, Event::Switch { from, preempted, to })
}

fn looked_at(whose: Whose, above_ns: u64, events: &[Stamped]) -> Lates {
    let mut analysis =
        Analysis::new(Lates::new(Question { above_ns, whose, timers: true, marks: true, to_end: false }));
    events.iter().for_each(|event| analysis.event(0, event));
    analysis.finish().1
}

const IDLE: fn() -> Thread = || thread(0, 120);

#[test]
fn a_timer_that_was_set_before_a_loss_explains_nothing_behind_it() {
    let sleeper = thread(7, 49);
    let before = [
        switch(1_000, IDLE(), true, sleeper),
        by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 }),
        switch(3_000, sleeper, false, IDLE()),
    ];
    let fires = |at_ns| {
        let in_interrupt = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 0, event) };
        [
            in_interrupt(at_ns, Event::TimerExpire { timer: 0xabc0, function: None }),
            in_interrupt(at_ns + 10, Event::Waking { thread: 7 }),
        ]
    };
    let after = |at_ns| switch(at_ns, IDLE(), true, sleeper);
    for loses in [false, true] {
        let mut analysis = Analysis::new(Lates::new(Question {
            above_ns: 50_000,
            whose: Whose::RealTime,
            timers: true,
            marks: true,
            to_end: false,
        }));
        before.iter().for_each(|event| analysis.event(0, event));
        if loses {
            // The timer expired during the loss, and another thread set a timer at the same address.
            analysis.gap(0, 5_000_000);
            analysis.event(0, &by(5_000_000, 0, Event::Leave(Section::Softirq(1))));
        }
        let at_ns = if loses { 6_000_000 } else { 100_000 };
        fires(at_ns).iter().chain([&after(at_ns + 60_000)]).for_each(|event| analysis.event(0, event));
        let lates = analysis.finish().1;
        let expected = if loses { (at_ns + 10, 59_990, false) } else { (100_000, 60_000, true) };
        let late = &lates.lates[0];
        assert_eq!((late.at_ns, late.latency_ns, late.timed), expected, "loses: {loses}");
        assert_eq!((lates.responses, lates.unseen), (1, 0));
    }
}

// The thread sets each timer after the timer's expiry time, like a loop that catches up.
#[test]
fn each_of_the_periods_that_a_thread_makes_up_for_is_as_late_as_it_came() {
    let (sleeper, timer) = (thread(7, 49), Section::Interrupt(Name::new(b"timer")));
    let makes_up = |number: u64| {
        let (at_ns, expiry_ns) = (1_000_000 + 10_000 * number, 100_000 * (number + 1));
        let in_interrupt = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 7, event) };
        [
            by(at_ns, 7, Event::TimerStart { timer: 0xabc0, expiry_ns, slack_ns: 0 }),
            in_interrupt(at_ns + 1_000, Event::Enter(timer)),
            in_interrupt(at_ns + 2_000, Event::TimerExpire { timer: 0xabc0, function: None }),
            in_interrupt(at_ns + 3_000, Event::Waking { thread: 7 }),
            in_interrupt(at_ns + 4_000, Event::Leave(timer)),
        ]
    };
    let first = switch(1_000, IDLE(), true, sleeper);
    let last = switch(1_040_000, sleeper, false, IDLE());
    let events: Vec<Stamped> = [first].into_iter().chain((0..3).flat_map(makes_up)).chain([last]).collect();
    let lates = looked_at(Whose::RealTime, 50_000, &events);
    assert_eq!((lates.responses, lates.unseen), (3, 0));
    let told: Vec<_> = lates.lates.iter().map(|late| (late.at_ns, late.latency_ns, late.timed)).collect();
    assert_eq!(told, [(100_000, 904_000, true), (200_000, 814_000, true), (300_000, 724_000, true)]);
}

#[test]
fn a_starved_real_time_thread_is_told_although_it_never_came() {
    let (starved, hog) = (thread(7, 49), thread(9, 10));
    let events = [
        switch(1_000, starved, false, hog),
        by(2_000, 9, Event::Waking { thread: 7 }),
        by(900_000, 9, Event::Enter(Section::Softirq(1))),
    ];
    for whose in [Whose::RealTime, Whose::Name("t7".to_string()), Whose::Number(7), Whose::All] {
        let lates = looked_at(whose, 1_000, &events);
        assert_eq!((lates.responses, lates.unseen, lates.still_ready), (0, 1, 1), "{:?}", lates.question());
        assert_eq!(lates.longest_ready, Some(StillReady { thread: starved, since_ns: 2_000 }));
    }
    let others = looked_at(Whose::Name("t9".to_string()), 1_000, &events);
    assert_eq!((others.unseen, others.longest_ready), (0, None));
}

#[test]
fn causes_are_of_all_late_responses_and_the_worst_is_the_worst_of_all() {
    let (sleeper, hog) = (thread(7, 49), thread(9, 10));
    let count = KEPT as u64 + 904;
    let events = (0..count).flat_map(|number| {
        let at_ns = 10_000 * (number + 1);
        // The last but one response is the longest.
        let latency_ns = if number == count - 2 { 9_000 } else { 5_000 };
        [
            switch(at_ns, sleeper, false, hog),
            by(at_ns + 100, 9, Event::Waking { thread: 7 }),
            switch(at_ns + 100 + latency_ns, hog, false, sleeper),
        ]
    });
    let lates = looked_at(Whose::RealTime, 1_000, &events.collect::<Vec<_>>());
    assert_eq!((lates.late, lates.lates.len()), (count, KEPT));
    let ranked = lates.ranking.ranked();
    assert_eq!(
        (&ranked[0].accused, ranked[0].largest_in),
        (&interference("t9", backwall_model::Priority::RealTime(89)), count)
    );
    assert_eq!(ranked[0].ns, (count - 1) * 5_000 + 9_000);
    assert_eq!(lates.worst.unwrap().latency_ns, 9_000);
}

fn interference(name: &str, priority: backwall_model::Priority) -> Accusation {
    let thread = backwall_model::Thread { name: Some(name.into()), id: None, priority: Some(priority), series: false };
    let culprit = Some(backwall_model::Culprit { holder: backwall_model::Holder::Thread(thread), more: None });
    Accusation { cause: Cause::Interference, culprit }
}

#[test]
fn an_ordinary_thread_behind_another_is_told_by_the_rules_of_ordinary_threads() {
    for (late, other) in [(120, 125), (120, 120), (125, 120)] {
        let (late, other) = (thread(7, late), thread(9, other));
        let events = [
            switch(1_000, late, false, other),
            by(2_000, 9, Event::Waking { thread: 7 }),
            switch(900_000, other, true, late),
        ];
        let lates = looked_at(Whose::All, 1_000, &events);
        let causes: Vec<Cause> = lates.lates[0].blame.shares.iter().map(|share| share.cause).collect();
        assert_eq!(causes, [Cause::FairShare], "{late:?} behind {other:?}");
        let ranked = &lates.ranking.ranked()[0];
        let Accusation { cause: Cause::FairShare, culprit: Some(_) } = ranked.accused else {
            panic!("{ranked:?}");
        };
    }
    let (late, other) = (thread(7, 120), thread(9, 49));
    let behind_real_time = [
        switch(1_000, late, false, other),
        by(2_000, 9, Event::Waking { thread: 7 }),
        switch(900_000, other, true, late),
    ];
    let blame = &looked_at(Whose::All, 1_000, &behind_real_time).lates[0].blame;
    assert_eq!(blame.shares[0].cause, Cause::Interference);
}

// Handles a loss by definition: visits every timer and every thread, and forgets them.
struct Walking(Lates);

impl Listener for Walking {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.0.event(cpu, stamped, processor);
    }

    fn moves(&mut self, cpu: u32, stamped: &Stamped, of: &Processors<'_>) {
        self.0.moves(cpu, stamped, of);
    }

    fn gap(&mut self, cpu: u32, _: u64) {
        self.0.timers.clear();
        self.0.follows_wakers = true;
        self.0.processor_has(cpu, NOBODY);
        for followed in self.0.threads.all() {
            followed.unseen += u64::from(followed.forget(cpu).is_some());
            self.0.unseen += told_by_now(followed, &self.0.question.whose);
        }
    }

    fn end(&mut self, open: &[(u32, Stretch)]) {
        self.0.end(open);
    }
}

fn told(lates: &Lates) -> impl PartialEq + std::fmt::Debug {
    let counts = [lates.responses, lates.unseen, lates.unnamed, lates.still_ready, lates.late, lates.beyond()];
    (counts, lates.longest_ready, lates.lates.clone(), lates.worst.clone(), lates.ranking.ranked())
}

#[test]
fn a_loss_that_a_thread_learns_of_later_is_told_as_if_it_had_been_looked_at_then() {
    let (unseen, unnamed, timed, locked) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |cell: &Cell<u64>, count: u64| cell.set(cell.get() + count);
    for whose in [Whose::All, Whose::RealTime, Whose::Number(3), Whose::Name("t3".to_string())] {
        hold(400, |stream| {
            let question = Question { above_ns: 500, whose: whose.clone(), timers: true, marks: true, to_end: false };
            let mut analysis = Analysis::new(Lates::new(question.clone()));
            let mut walking = Analysis::new(Walking(Lates::new(question)));
            play(&stream, &mut analysis);
            play(&stream, &mut walking);
            let (lates, Walking(expected)) = (analysis.finish().1, walking.finish().1);
            prop_assert_eq!(told(&lates), told(&expected));
            add(&unseen, lates.unseen);
            add(&unnamed, lates.unnamed);
            add(&timed, lates.lates.iter().filter(|late| late.timed).count() as u64);
            add(&locked, lates.lates.iter().filter(|late| late.locked).count() as u64);
            Ok(())
        });
    }
    let covered = [&unseen, &unnamed, &timed, &locked].map(Cell::get);
    assert!(covered.iter().all(|count| *count > 0), "unseen, unnamed, timed, locked: {covered:?}");
}

#[test]
fn responses_that_are_looked_at_to_their_ends_are_counted_once_and_their_shares_sum_to_them() {
    let (own, moved, all) = (Cell::new(0), Cell::new(0), Cell::new(0));
    hold(400, |stream| {
        let found = |to_end: bool| {
            let question = Question { above_ns: 500, whose: Whose::All, timers: true, marks: true, to_end };
            let mut analysis = Analysis::new(Lates::new(question));
            play(&stream, &mut analysis);
            analysis.finish().1
        };
        let (lates, until_they_came) = (found(true), found(false));
        for late in &lates.lates {
            prop_assert_eq!(late.blame.total(), late.latency_ns);
            own.set(own.get() + u64::from(late.blame.shares.iter().any(|share| share.cause == Cause::OwnRun)));
        }
        let begun = |lates: &Lates| lates.responses + lates.unseen + lates.unnamed;
        prop_assert!(begun(&lates) <= begun(&until_they_came));
        moved.set(moved.get() + lates.unseen);
        all.set(all.get() + lates.responses);
        Ok(())
    });
    assert!(own.get() > 50 && moved.get() > 50 && all.get() > 100, "{own:?}, {moved:?} unseen of {all:?}");
}

// Analyses events of two processors, in order of time.
fn looked_at_on(whose: Whose, above_ns: u64, events: &[(u32, Stamped)]) -> Lates {
    let mut analysis =
        Analysis::new(Lates::new(Question { above_ns, whose, timers: true, marks: true, to_end: false }));
    events.iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
    analysis.finish().1
}

// The waker's timer expires at 100 us on processor 0, where a thread of higher priority runs until 160 us.
fn late_waker(waker: Thread, hog: Thread) -> Vec<(u32, Stamped)> {
    let in_interrupt = |at_ns, event| (0, Stamped { in_thread: false, ..by(at_ns, hog.id, event) });
    vec![
        (0, switch(1_000, IDLE(), true, waker)),
        (0, by(2_000, waker.id, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 })),
        (0, switch(3_000, waker, false, hog)),
        in_interrupt(100_000, Event::TimerExpire { timer: 0xabc0, function: None }),
        in_interrupt(100_010, Event::Waking { thread: waker.id }),
        (0, switch(160_000, hog, false, waker)),
    ]
}

#[test]
fn a_waker_that_was_late_itself_is_followed_back_to_the_first_cause_and_counts_once() {
    let (waker, hog, middle, last) = (thread(7, 49), thread(9, 10), thread(8, 60), thread(6, 60));
    let mut events = vec![(1, switch(1_000, middle, false, last)), (1, switch(1_100, last, false, IDLE()))];
    events.extend(late_waker(waker, hog));
    events.sort_by_key(|(_, event)| event.at_ns);
    events.extend([
        (0, by(170_000, 7, Event::Waking { thread: 8 })),
        (1, switch(171_000, IDLE(), true, middle)),
        (1, by(180_000, 8, Event::Waking { thread: 6 })),
        (1, switch(182_000, middle, false, last)),
        (1, switch(183_000, last, false, IDLE())),
        (0, by(190_000, 7, Event::Waking { thread: 8 })),
        (1, switch(191_000, IDLE(), true, middle)),
    ]);
    let lates = looked_at_on(Whose::RealTime, 50_000, &events);
    let told: Vec<_> = lates.lates.iter().map(|late| (late.thread.id, late.latency_ns, late.timed)).collect();
    assert_eq!(told, [(7, 60_000, true), (8, 61_000, false), (6, 63_000, false)]);
    for late in &lates.lates {
        assert_eq!(late.blame.total(), late.latency_ns, "{late:?}");
        assert_eq!(late.blame.shares[0].culprit.unwrap().holder, crate::processor::Holder::Thread(hog), "{late:?}");
    }
    let last = &lates.lates[2].blame;
    let known = Wakers { late: vec![middle, waker], end: WakersEnd::First };
    assert_eq!((last.total(), &last.wakers), (63_000, &known));
    assert_eq!(lates.responses, 4);
}

#[test]
fn threads_that_make_each_other_ready_are_told_to_and_an_ordinary_waker_that_nobody_relies_on_is_not_followed() {
    // The waker is late for its own timer and makes the other thread ready. That thread is late too, and makes the waker ready
    // again.
    let (waker, hog, other) = (thread(7, 49), thread(9, 10), thread(8, 60));
    let mut events = vec![(1, switch(500, other, false, thread(5, 10)))];
    events.extend(late_waker(waker, hog));
    events.extend([
        (0, by(170_000, 7, Event::Waking { thread: 8 })),
        (0, switch(171_000, waker, false, IDLE())),
        (1, switch(240_000, thread(5, 10), false, other)),
        (1, by(250_000, 8, Event::Waking { thread: 7 })),
        (0, switch(251_000, IDLE(), true, waker)),
    ]);
    let lates = looked_at_on(Whose::RealTime, 50_000, &events);
    let told: Vec<_> = lates.lates.iter().map(|late| (late.thread.id, late.latency_ns)).collect();
    assert_eq!(told, [(7, 60_000), (8, 130_000), (7, 71_000)]);
    let circle = Wakers { late: vec![other], end: WakersEnd::Circle(waker) };
    assert_eq!(lates.lates[2].blame.wakers, circle);

    // An ordinary thread was not woken by its own timer, and came late by the fair scheduler's choice. The threads that it
    // wakes do not inherit this lateness.
    let (client, other, server) = (thread(7, 120), thread(9, 120), thread(8, 60));
    let events = [
        (1, switch(900, server, false, IDLE())),
        (0, switch(1_000, client, false, other)),
        (0, by(2_000, 9, Event::Waking { thread: 7 })),
        (0, switch(90_000, other, true, client)),
        (0, by(91_000, 7, Event::Waking { thread: 8 })),
        (1, switch(92_000, IDLE(), true, server)),
    ];
    assert_eq!(looked_at_on(Whose::RealTime, 50_000, &events).late, 0);
}

// A real-time sensor wakes an ordinary filter. A hog delays the filter, which then wakes another thread.
fn through_a_filter(sensor: Thread, end: Thread) -> Lates {
    let (filter, hog) = (thread(7, 120), thread(9, 49));
    let events = [
        (1, switch(800, end, false, filter)),
        (1, switch(900, filter, false, hog)),
        (0, switch(1_000, IDLE(), true, sensor)),
        (0, by(2_000, sensor.id, Event::Waking { thread: 7 })),
        (1, switch(8_000_000, hog, false, filter)),
        (1, by(8_001_000, 7, Event::Waking { thread: end.id })),
        (1, switch(8_002_000, filter, true, end)),
    ];
    looked_at_on(Whose::Number(end.id), 50_000, &events)
}

#[test]
fn an_ordinary_waker_between_two_real_time_threads_is_followed() {
    let (sensor, end, filter) = (thread(5, 39), thread(8, 3), thread(7, 120));
    let lates = through_a_filter(sensor, end);
    assert_eq!((lates.responses, lates.late), (1, 1));
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.blame.total()), (3_000, 7_999_000, 7_999_000));
    assert_eq!(late.blame.shares[0].culprit.unwrap().holder, Holder::Thread(thread(9, 49)));
    assert_eq!(late.blame.wakers, Wakers { late: vec![filter], end: WakersEnd::First });
    // If one of the two ends is ordinary, nobody relies on it: the filter came late by the fair scheduler's choice.
    assert_eq!(through_a_filter(thread(5, 120), end).late, 0);
    assert_eq!(through_a_filter(sensor, thread(8, 120)).late, 0);
}

#[test]
fn what_is_not_known_of_a_waker_is_told_and_adds_nothing() {
    let (waker, other) = (thread(7, 49), thread(8, 60));
    let mut analysis = Analysis::new(Lates::new(Question {
        above_ns: 50_000,
        whose: Whose::Number(8),
        timers: true,
        marks: true,
        to_end: false,
    }));
    let before = [(1, switch(900, other, false, thread(5, 10))), (0, switch(1_000, IDLE(), true, waker))];
    before.iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
    analysis.gap(0, 2_000);
    let after = [
        (0, by(3_000, 7, Event::Leave(Section::Softirq(1)))),
        (0, by(4_000, 7, Event::Waking { thread: 8 })),
        (1, switch(90_000, thread(5, 10), false, other)),
    ];
    after.iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
    let lates = analysis.finish().1;
    let late = &lates.lates[0];
    assert_eq!((late.latency_ns, late.blame.total()), (86_000, 86_000));
    assert_eq!(late.blame.wakers, Wakers { late: Vec::new(), end: WakersEnd::Missing(waker) });
}

#[test]
fn a_response_begins_with_its_own_timer_also_where_the_thread_comes_to_another_processor() {
    let (sleeper, hog) = (thread(7, 49), thread(9, 10));
    let mut events = vec![(1, switch(900, thread(5, 60), false, IDLE()))];
    events.extend(late_waker(sleeper, hog));
    events.pop();
    // The interrupt itself is late: the timer was due at 100 us, and expired at 150 us.
    for (_, event) in events.iter_mut().filter(|(_, event)| event.at_ns >= 100_000) {
        event.at_ns += 50_000;
    }
    events.push((1, switch(170_000, IDLE(), true, sleeper)));
    let lates = looked_at_on(Whose::RealTime, 50_000, &events);
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed, late.cpu), (100_000, 70_000, true, 1));
    let causes: Vec<(Cause, u64)> = late.blame.shares.iter().map(|share| (share.cause, share.ns)).collect();
    assert_eq!(causes[0], (Cause::Late, 50_000), "{causes:?}");
    assert_eq!(late.blame.total(), 70_000);
}

#[test]
fn who_let_a_stopped_thread_go_on_is_named() {
    // The thread is stopped while it sleeps: the signal wakes it, and it leaves the CPU again. When it continues, it sets the
    // same timer anew.
    let (sleeper, shell) = (thread(7, 49), thread(9, 120));
    let sets = |at_ns| by(at_ns, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 });
    let in_interrupt = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 7, event) };
    let events = [
        switch(1_000, IDLE(), true, sleeper),
        sets(2_000),
        switch(3_000, sleeper, false, shell),
        by(50_000, 9, Event::Waking { thread: 7 }),
        switch(51_000, shell, true, sleeper),
        switch(52_000, sleeper, false, shell),
        by(900_000, 9, Event::Waking { thread: 7 }),
        switch(901_000, shell, true, sleeper),
        sets(902_000),
        in_interrupt(903_000, Event::TimerExpire { timer: 0xabc0, function: None }),
        in_interrupt(903_100, Event::Waking { thread: 7 }),
        switch(905_000, sleeper, false, shell),
    ];
    let lates = looked_at(Whose::RealTime, 50_000, &events);
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.timed, late.blame.total()), (100_000, true, late.latency_ns));
    let share = &late.blame.shares[0];
    assert_eq!(share.cause, Cause::NotWaiting, "{late:?}");
    assert_eq!(share.culprit, Some(Holder::Thread(shell).into()), "{late:?}");
}

#[test]
fn who_sends_the_signals_that_a_thread_handles_beyond_its_release_is_named() {
    let (late, sender) = (thread(7, 19), thread(5, 120));
    let mut events = vec![(0, switch(900, IDLE(), true, late)), (1, switch(1_000, IDLE(), true, sender))];
    let sends = |number: u64| by(900_000 + number * 20_000, 5, Event::Signalled { thread: 7, signal: Signal::Other });
    events.extend((0..200).map(|number| (1, sends(number))));
    let above = |at_ns, event| (0, Stamped { in_thread: false, ..by(at_ns, 7, event) });
    events.extend([
        (0, by(4_900_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 1_000_000, slack_ns: 0 })),
        above(4_901_000, Event::TimerExpire { timer: 0xabc0, function: None }),
        above(4_901_100, Event::Waking { thread: 7 }),
        (0, switch(4_910_000, late, false, IDLE())),
    ]);
    let lates = looked_at_on(Whose::Number(7), 50_000, &events);
    let late = &lates.lates[0];
    let culprit = Culprit { holder: Holder::Thread(sender), more: More::Signals(100) };
    let share = late.blame.shares[0];
    assert_eq!((share.cause, share.culprit, share.ns), (Cause::Signals, Some(culprit), 3_901_000), "{late:?}");
    // Three signals are too few to count as the cause.
    events.retain(|(_, stamped)| !matches!(stamped.event, Event::Signalled { .. }) || stamped.at_ns > 4_830_000);
    assert_eq!(looked_at_on(Whose::Number(7), 50_000, &events).lates[0].blame.shares[0].cause, Cause::Backlog);
}

#[test]
fn signals_that_were_sent_before_the_release_are_handled_beyond_it() {
    let (late, sender) = (thread(7, 19), thread(5, 120));
    let sends = |number: u64| by(200_000 + number * 3_000, 5, Event::Signalled { thread: 7, signal: Signal::Other });
    let above = |at_ns, event| (0, Stamped { in_thread: false, ..by(at_ns, 7, event) });
    let events = |wakes_at_ns| {
        let mut events = vec![
            (0, switch(900, IDLE(), true, late)),
            (1, switch(1_000, IDLE(), true, sender)),
            (0, by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 1_000_000, slack_ns: 0 })),
            (0, switch(3_000, late, false, IDLE())),
            (1, by(wakes_at_ns, 5, Event::Waking { thread: 7 })),
            (0, switch(wakes_at_ns + 10_000, IDLE(), true, late)),
        ];
        events.extend((0..200).map(|number| (1, sends(number))));
        events.extend([
            (0, by(4_900_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 1_000_000, slack_ns: 0 })),
            above(4_901_000, Event::TimerExpire { timer: 0xabc0, function: None }),
            above(4_901_100, Event::Waking { thread: 7 }),
            (0, switch(4_910_000, late, false, IDLE())),
        ]);
        events.sort_by_key(|(_, event)| event.at_ns);
        events
    };
    let share = |wakes_at_ns| {
        let lates = looked_at_on(Whose::Number(7), 50_000, &events(wakes_at_ns));
        let share = lates.lates[0].blame.shares[0];
        (share.cause, share.culprit, share.ns)
    };
    let culprit = Culprit { holder: Holder::Thread(sender), more: More::Signals(200) };
    assert_eq!(share(199_000), (Cause::Signals, Some(culprit), 3_901_000));
    assert_eq!(share(810_000).0, Cause::Backlog, "it woke after that");
}

// The thread's timer expires as the first of many signals arrives. The thread handles the signals before it continues.
#[test]
fn signals_that_a_thread_handles_before_it_goes_on_are_a_response_of_its_own() {
    let (late, sender) = (thread(7, 19), thread(5, 120));
    let above = |at_ns, event| (0, Stamped { in_thread: false, ..by(at_ns, 0, event) });
    let sets = |at_ns, expiry_ns| (0, by(at_ns, 7, Event::TimerStart { timer: 0xabc0, expiry_ns, slack_ns: 0 }));
    let told = |count: u64, leaves: bool| {
        let sends = |number| by(1_001_000 + number * 30_000, 5, Event::Signalled { thread: 7, signal: Signal::Other });
        let mut events = vec![
            (0, switch(900, IDLE(), true, late)),
            (1, switch(1_000, IDLE(), true, sender)),
            sets(2_000, 1_000_000),
            (0, switch(3_000, late, false, IDLE())),
            (1, by(1_000_000, 5, Event::Waking { thread: 7 })),
            above(1_000_500, Event::TimerExpire { timer: 0xabc0, function: None }),
            (0, switch(1_010_000, IDLE(), true, late)),
        ];
        events.extend((0..count).map(|number| (1, sends(number))));
        let end = if leaves { (0, switch(4_900_000, late, false, IDLE())) } else { sets(4_900_000, 5_000_000) };
        events.extend([end, (1, by(4_950_000, 5, Event::Waking { thread: 8 }))]);
        events.sort_by_key(|(_, event)| event.at_ns);
        let lates = looked_at_on(Whose::Number(7), 600_000, &events);
        let [late] = lates.lates.as_slice() else { return (lates.responses, None) };
        let share = late.blame.shares[0];
        assert_eq!((late.blame.total(), share.culprit.map(|by| by.holder)), (3_900_000, Some(Holder::Thread(sender))));
        (lates.responses, Some((late.at_ns, late.latency_ns, share.cause, share.ns)))
    };
    let late = Some((1_000_000, 3_900_000, Cause::Signals, 3_890_000));
    assert_eq!((told(100, false), told(100, true)), ((2, late), (2, late)));
    assert_eq!((told(19, false), told(0, true)), ((1, None), (1, None)), "few may be its work");
}

// Shares of the only late response. Its thread waits, while others run, until a kernel timer grants new time.
fn limited(late: Thread, other: Thread, grants: &str, quota: Option<Group>) -> Vec<(Cause, Option<More>, u64)> {
    let question = Question { above_ns: 50_000, whose: Whose::Number(7), timers: true, marks: true, to_end: false };
    let quotas = quota.into_iter().map(|group| (7, group)).collect();
    let mut analysis = Analysis::new(Lates::new(question).with_quotas(quotas));
    let timer = Section::Interrupt(Name::new(b"local_timer"));
    let above = |cpu, at_ns, event| {
        let on = if cpu == 0 { other.id } else { 0 };
        (cpu, Stamped { in_thread: false, ..by(at_ns, on, event) })
    };
    let events = [
        (1, switch(500, thread(5, 120), false, IDLE())),
        (0, switch(1_000, late, false, other)),
        above(0, 1_900, Event::Enter(timer)),
        above(0, 2_000, Event::Waking { thread: 7 }),
        above(0, 2_100, Event::Leave(timer)),
        above(1, 60_000_000, Event::Enter(timer)),
        above(1, 60_000_000, Event::TimerExpire { timer: 0xb, function: Some(Function::named(grants)) }),
        above(1, 60_001_000, Event::Leave(timer)),
        (0, switch(61_000_000, other, true, late)),
    ];
    events.iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
    let lates = analysis.finish().1;
    let [late] = lates.lates.as_slice() else { panic!("{lates:?}") };
    assert_eq!(late.blame.total(), late.latency_ns);
    late.blame.shares.iter().map(|share| (share.cause, share.culprit.map(|culprit| culprit.more), share.ns)).collect()
}

#[test]
fn a_thread_whose_time_is_used_up_waits_for_its_limit_and_for_nobody_who_runs() {
    let (ordinary, real_time, deadline, group) = (thread(7, 120), thread(7, 19), thread(7, -1), Group::named("/box"));
    let used_up = |limit, group| (Cause::Quota, Some(More::UsedUp { limit, group }), 59_997_900);
    let other = thread(9, 120);
    let period = "sched_cfs_period_timer";
    let told = limited(ordinary, other, period, Some(group));
    assert_eq!(told[0], used_up(backwall_model::Limit::Quota, Some(group)));
    assert_eq!((told[1].0, told[1].2), (Cause::FairShare, 1_000_000), "behind another once it had new time");
    let idle = limited(ordinary, IDLE(), "sched_cfs_slack_timer", Some(group));
    assert_eq!(idle[0], used_up(backwall_model::Limit::Quota, Some(group)));
    // A group's quota does not limit a thread outside that group.
    assert_eq!(limited(ordinary, other, period, None)[0].0, Cause::FairShare);
    assert_eq!(
        limited(real_time, other, "sched_rt_period_timer", None)[0],
        used_up(backwall_model::Limit::RealTimeShare, None)
    );
    assert_eq!(limited(deadline, other, "dl_task_timer", None)[0], used_up(backwall_model::Limit::Budget, None));
    // The fair server's timer has that function, too, but it is not a limit of a real-time thread.
    assert_eq!(limited(real_time, other, "dl_task_timer", None)[0].0, Cause::Interference);
    // The other thread has a higher priority, so it used the time even though the quota had run out.
    assert_eq!(limited(ordinary, thread(9, 49), period, Some(group))[0].0, Cause::Interference);
}

#[test]
fn a_thread_that_loses_its_processor_to_its_limit_is_late_without_having_slept() {
    let (late, other, group) = (thread(7, 120), thread(9, 120), Group::named("/box"));
    let looked = |priority, above: Thread, grants: &str| {
        let late = Thread { priority, ..late };
        let question = Question { above_ns: 50_000, whose: Whose::Number(7), timers: true, marks: true, to_end: false };
        let mut analysis = Analysis::new(Lates::new(question).with_quotas([(7, group)].into()));
        let grants = Event::TimerExpire { timer: 0xb, function: Some(Function::named(grants)) };
        let events = [
            switch(1_000, IDLE(), true, late),
            switch(200_000, late, true, above),
            Stamped { in_thread: false, ..by(60_000_000, 9, grants) },
            switch(60_100_000, above, true, late),
            switch(60_300_000, late, false, IDLE()),
        ];
        events.iter().for_each(|event| analysis.event(0, event));
        let lates = analysis.finish().1;
        let told = |late: &Late| (late.at_ns, late.latency_ns, late.blame.shares[0].cause, late.blame.shares[0].ns);
        (lates.responses, lates.lates.first().map(told))
    };
    let used_up = (1, Some((200_000, 59_900_000, Cause::Quota, 59_800_000)));
    assert_eq!(looked(120, other, "sched_cfs_period_timer"), used_up);
    assert_eq!(looked(19, other, "sched_rt_period_timer"), used_up);
    assert_eq!(looked(-1, other, "dl_task_timer"), used_up);
    // A thread of higher priority used that time, or the kernel granted no new time. So the thread was preempted, which is not
    // a response.
    assert_eq!(looked(19, thread(9, 9), "sched_rt_period_timer"), (0, None));
    assert_eq!(looked(120, other, "hrtimer_wakeup"), (0, None));
}

#[test]
fn a_release_behind_a_quota_that_was_used_up_at_work_is_late_for_that() {
    let (late, other, group) = (thread(7, 120), thread(9, 120), Group::named("/box"));
    let question = Question { above_ns: 50_000, whose: Whose::Number(7), timers: true, marks: true, to_end: false };
    let mut analysis = Analysis::new(Lates::new(question).with_quotas([(7, group)].into()));
    let above = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 7, event) };
    let grants = Some(Function::named("sched_cfs_period_timer"));
    let events = [
        switch(1_000, IDLE(), true, late),
        switch(200_000, late, true, other),
        Stamped { thread: 9, ..above(60_000_000, Event::TimerExpire { timer: 0xb, function: grants }) },
        switch(60_100_000, other, true, late),
        by(60_200_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 1_000_000, slack_ns: 0 }),
        above(60_201_000, Event::TimerExpire { timer: 0xabc0, function: None }),
        above(60_201_100, Event::Waking { thread: 7 }),
        switch(60_300_000, late, false, IDLE()),
    ];
    events.iter().for_each(|event| analysis.event(0, event));
    let lates = analysis.finish().1;
    let used_up = |late: &Late| late.blame.shares.iter().find(|share| share.cause == Cause::Quota).unwrap().ns;
    let told: Vec<_> = lates.lates.iter().map(|late| (late.at_ns, used_up(late))).collect();
    assert_eq!(told, [(200_000, 59_800_000), (1_000_000, 59_000_000)], "{:?}", lates.lates);
}

// Some kernels record no switch from an idle thread. Then only the thread's next event shows that it has its CPU again.
#[test]
fn a_thread_that_comes_back_to_an_idle_processor_unrecorded_was_kept_by_its_limit() {
    let group = Group::named("/box");
    let looked = |priority, grants: &str, back: u32, moves: bool| {
        let late = thread(7, priority);
        let question = Question { above_ns: 50_000, whose: Whose::Number(7), timers: true, marks: true, to_end: false };
        let mut analysis = Analysis::new(Lates::new(question).with_quotas([(7, group)].into()));
        let above = |at_ns, id, event| Stamped { in_thread: false, ..by(at_ns, id, event) };
        let grants = Event::TimerExpire { timer: 0xb, function: Some(Function::named(grants)) };
        let timer = Section::Interrupt(Name::new(b"local_timer"));
        let call = Section::Interrupt(Name::new(b"reschedule"));
        let mut events = vec![
            (1, switch(900, thread(5, 120), false, IDLE())),
            (0, switch(1_000, IDLE(), true, late)),
            (0, switch(200_000, late, true, IDLE())),
            (0, above(60_000_000, 0, Event::Enter(timer))),
            (0, above(60_000_000, 0, grants)),
            (0, Stamped { to_switch: back == 0, ..above(60_010_000, 0, Event::Leave(timer)) }),
        ];
        if moves {
            events.insert(5, (0, above(60_001_000, 0, Event::Migrate { thread: 7, to: back })));
        }
        if back == 1 {
            events.push((1, above(60_020_000, 0, Event::Enter(call))));
            events.push((1, Stamped { to_switch: true, ..above(60_021_000, 0, Event::Leave(call)) }));
        }
        events.extend([
            (back, by(60_200_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 1_000_000, slack_ns: 0 })),
            (back, above(60_201_000, 7, Event::TimerExpire { timer: 0xabc0, function: None })),
            (back, above(60_201_100, 7, Event::Waking { thread: 7 })),
            (back, switch(60_300_000, late, false, IDLE())),
        ]);
        events.iter().for_each(|(cpu, event)| analysis.event(*cpu, event));
        let lates = analysis.finish().1;
        let largest = |late: &Late| (late.at_ns, late.blame.shares[0].cause, late.blame.shares[0].ns);
        lates.lates.iter().map(largest).collect::<Vec<_>>()
    };
    let used_up = [(200_000, Cause::Quota, 59_800_000), (1_000_000, Cause::Quota, 59_000_000)];
    for (back, moves) in [(0, false), (1, true), (1, false)] {
        assert_eq!(looked(120, "sched_cfs_period_timer", back, moves), used_up, "back on {back}, told: {moves}");
        assert_eq!(looked(-1, "dl_task_timer", back, moves), used_up, "back on {back}, told: {moves}");
    }
    assert_ne!(looked(120, "hrtimer_wakeup", 0, false)[0], used_up[0], "no new time was granted");
}

// The sleep's timer expires at 100 us, but its function wakes no thread. `waker` wakes the sleeping thread at 4.1 ms.
fn sleeps_on(function: &str, waker: Thread) -> Vec<Stamped> {
    let (sleeper, timer) = (thread(7, 49), Section::Interrupt(Name::new(b"local_timer")));
    let above = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 0, event) };
    let function = Some(Function::named(function));
    vec![
        switch(1_000, IDLE(), true, sleeper),
        by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 }),
        switch(3_000, sleeper, false, IDLE()),
        above(100_100, Event::Enter(timer)),
        above(100_200, Event::TimerExpire { timer: 0xabc0, function }),
        above(100_900, Event::Leave(timer)),
        switch(4_000_000, IDLE(), true, waker),
        by(4_100_000, waker.id, Event::Waking { thread: 7 }),
        switch(4_105_000, waker, true, sleeper),
    ]
}

#[test]
fn a_sleep_that_its_timer_does_not_end_is_that_of_a_frozen_group_and_who_thawed_it_is_named() {
    let thawer = thread(9, 120);
    let lates = looked_at(Whose::RealTime, 50_000, &sleeps_on("hrtimer_wakeup", thawer));
    assert_eq!((lates.responses, lates.late), (1, 1));
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed), (100_000, 4_005_000, true));
    assert_eq!(late.blame.total(), late.latency_ns);
    let share = &late.blame.shares[0];
    assert_eq!((share.cause, share.ns), (Cause::Frozen, 4_000_000));
    let more = More::Until { thread: thawer, group: None };
    assert_eq!(share.culprit, Some(Culprit { holder: Holder::Unknown, more }));
}

#[test]
fn a_timer_that_owes_no_waking_freezes_nobody() {
    let late = |events: &[Stamped]| looked_at(Whose::RealTime, 50_000, events).late;
    // The function of a timer that sends a signal need not wake the thread that set the timer.
    assert_eq!(late(&sleeps_on("posix_timer_fn", thread(9, 120))), 0);
    // The thread was made ready just before its timer expired.
    let mut before = sleeps_on("hrtimer_wakeup", thread(9, 120));
    before.insert(3, by(100_000, 0, Event::Waking { thread: 7 }));
    before.truncate(7);
    before.push(switch(101_500, IDLE(), true, thread(7, 49)));
    assert_eq!(late(&before), 0);
    // The thread did not sleep: it was preempted on its way to sleep.
    let mut awake = sleeps_on("hrtimer_wakeup", thread(9, 120));
    awake[2] = switch(3_000, thread(7, 49), true, IDLE());
    assert_eq!(late(&awake), 0);
    // An interrupt made the thread ready, and an interrupt thaws no group.
    let mut interrupted = sleeps_on("hrtimer_wakeup", thread(9, 120));
    interrupted[7].in_thread = false;
    assert_eq!(late(&interrupted), 0);
}

// The release is at 100 us. At 110 us the thread needs a missing page, which comes at 3.5 ms. Then the thread works on and
// sleeps until its next release.
fn faults_within() -> Vec<Stamped> {
    let (own, pager) = (thread(7, 49), thread(9, 120));
    let in_interrupt = |at_ns, event| Stamped { in_thread: false, ..by(at_ns, 0, event) };
    vec![
        switch(1_000, IDLE(), true, own),
        by(2_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 100_000, slack_ns: 0 }),
        switch(3_000, own, false, IDLE()),
        in_interrupt(100_000, Event::TimerExpire { timer: 0xabc0, function: None }),
        in_interrupt(100_010, Event::Waking { thread: 7 }),
        switch(105_000, IDLE(), true, own),
        by(110_000, 7, Event::PageFault),
        by(112_000, 7, Event::Waking { thread: 9 }),
        switch(115_000, own, false, IDLE()),
        switch(3_490_000, IDLE(), true, pager),
        by(3_500_000, 9, Event::Waking { thread: 7 }),
        switch(3_505_000, pager, true, own),
        by(3_600_000, 7, Event::TimerStart { timer: 0xabc0, expiry_ns: 9_000_000, slack_ns: 0 }),
        switch(3_601_000, own, false, pager),
    ]
}

#[test]
fn a_sleep_in_a_page_fault_is_late_by_the_page_also_where_no_release_follows_at_once() {
    let lates = looked_at(Whose::RealTime, 50_000, &faults_within());
    assert_eq!((lates.responses, lates.late), (2, 1));
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed), (115_000, 3_390_000, false));
    assert_eq!(late.blame.total(), late.latency_ns);
    assert_eq!((late.blame.shares[0].cause, late.blame.shares[0].ns), (Cause::PageFault, 3_385_000));
}

#[test]
fn a_sleep_in_a_page_fault_ends_no_response_that_is_looked_at_to_its_end() {
    let question = Question { above_ns: 50_000, whose: Whose::RealTime, timers: true, marks: true, to_end: true };
    let mut analysis = Analysis::new(Lates::new(question));
    faults_within().iter().for_each(|event| analysis.event(0, event));
    let lates = analysis.finish().1;
    assert_eq!((lates.responses, lates.unseen, lates.late), (1, 0, 1));
    let late = &lates.lates[0];
    assert_eq!((late.at_ns, late.latency_ns, late.timed), (100_000, 3_501_000, true));
    assert_eq!(late.blame.total(), late.latency_ns);
    let page: u64 =
        late.blame.shares.iter().filter(|share| share.cause == Cause::PageFault).map(|share| share.ns).sum();
    assert_eq!(page, 3_505_000 - 110_000, "{late:?}");
}

#[test]
fn who_stops_or_freezes_a_thread_is_no_waker_that_it_waited_for_and_who_lets_it_go_on_is() {
    let (waker, hog, other) = (thread(7, 49), thread(9, 10), thread(8, 60));
    let group = Group::named("/jobs");
    let signalled = |signal| Event::Signalled { thread: 8, signal };
    let stops = [(170_000, Event::Waking { thread: 8 }), (170_500, signalled(Signal::Stops))];
    let freezes = [(169_500, Event::Freezes { group, on: true }), (170_000, Event::Waking { thread: 8 })];
    let nothing = [(169_500, signalled(Signal::Other)), (170_000, Event::Waking { thread: 8 })];
    let continues = [(180_000, Event::Waking { thread: 8 }), (180_500, signalled(Signal::Continues))];
    let thaws = [(179_500, Event::Freezes { group, on: false }), (180_000, Event::Waking { thread: 8 })];
    for (first, second, told) in [(stops, continues, 181_000), (freezes, thaws, 181_000), (nothing, continues, 171_000)]
    {
        let mut events = vec![(1, switch(900, other, false, IDLE()))];
        events.extend(late_waker(waker, hog));
        events.extend(first.map(|(at_ns, event)| (0, by(at_ns, 7, event))));
        events.extend([(1, switch(171_000, IDLE(), true, other)), (1, switch(172_000, other, false, IDLE()))]);
        events.extend(second.map(|(at_ns, event)| (0, by(at_ns, 7, event))));
        events.push((1, switch(181_000, IDLE(), true, other)));
        let lates = looked_at_on(Whose::Number(8), 50_000, &events);
        let late: Vec<_> = lates.lates.iter().map(|late| (late.at_ns + late.latency_ns, late.latency_ns)).collect();
        assert_eq!((lates.responses, late), (2, vec![(told, 61_000)]), "{first:?}");
    }
}

#[test]
fn nobody_waits_for_a_thread_that_comes_to_be_stopped() {
    // The first thread of a process comes late, because it was woken to be stopped. It makes the other threads ready, to be
    // stopped too.
    let (leader, hog, other) = (thread(7, 49), thread(9, 10), thread(8, 60));
    let stops = |signal| {
        let events = [
            (1, switch(900, other, false, IDLE())),
            (0, switch(1_000, leader, false, hog)),
            (1, by(2_000, 5, Event::Waking { thread: 7 })),
            (1, by(2_500, 5, Event::Signalled { thread: 7, signal })),
            (0, switch(90_000, hog, true, leader)),
            (0, by(91_000, 7, Event::Waking { thread: 8 })),
            (1, switch(92_000, thread(5, 120), true, other)),
        ];
        looked_at_on(Whose::Number(8), 50_000, &events).late
    };
    assert_eq!((stops(Signal::Stops), stops(Signal::Other)), (0, 1));
}
