// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;

const PROBE: i32 = 7;

fn thread(id: i32) -> Thread {
    Thread { id, priority: 4, name: Name::default() }
}

fn timer_interrupt() -> Section {
    Section::Interrupt(Name::new(b"local_timer"))
}

fn by(thread: i32, at_ns: u64, event: Event) -> Stamped {
    let in_thread = !matches!(event, Event::TimerExpire { .. } | Event::Waking { .. });
    Stamped { at_ns, thread, in_thread, to_switch: true, event }
}

fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
    by(from, at_ns, Event::Switch { from: thread(from), preempted, to: thread(to) })
}

fn follow(events: &[Stamped]) -> Vec<WakeUp> {
    let (mut processor, mut follower) = (Processor::default(), Follower::new(PROBE));
    let mut found = Vec::new();
    for event in events {
        processor.push(event);
        found.extend(follower.push(event, &processor));
    }
    found.extend(follower.finish(&processor));
    found
}

// The probe sleeps until 1000 while thread 3 runs. The interrupt comes at 1010.
fn until_waking() -> Vec<Stamped> {
    vec![
        switch(400, 3, true, PROBE),
        by(PROBE, 500, Event::TimerStart { timer: 0xa, expiry_ns: 1000, slack_ns: 20 }),
        switch(510, PROBE, false, 3),
        by(3, 1010, Event::Enter(timer_interrupt())),
        by(3, 1015, Event::TimerExpire { timer: 0xa, function: None }),
        by(3, 1020, Event::Waking { thread: PROBE }),
    ]
}

#[test]
fn a_wake_up_carries_every_stamp_and_what_was_interrupted() {
    let mut events = until_waking();
    events.extend([
        by(3, 1030, Event::Leave(timer_interrupt())),
        switch(1100, 3, true, PROBE),
        by(PROBE, 1105, Event::SleepEnd),
    ]);
    let expected = WakeUp {
        expiry_at: 1000,
        slack_ns: 20,
        armed_at: Some(500),
        earlier_until: None,
        isr_at: 1010,
        isr_end_at: Some(1030),
        asked: Some(true),
        waking_at: 1020,
        moved_at: None,
        switch_in_at: 1100,
        inferred: false,
        sleep_end_at: Some(1105),
        away: None,
        let_go: None,
        fault: None,
        used_up: None,
        storm: None,
        ended_at: 1105,
        thread: Some(thread(PROBE)),
        stay: Some(Stay(2)),
        interrupted: Some(thread(3)),
        line: Some(Name::new(b"local_timer")),
        runs_from: None,
    };
    assert_eq!(follow(&events), [expected]);
}

#[test]
fn who_was_made_ready_by_another_processor_as_its_timer_fired_was_ready_then() {
    let function = |name| Some(Function::named(name));
    let scene = |function| {
        let mut events = until_waking();
        events[4] = by(3, 1_015, Event::TimerExpire { timer: 0xa, function });
        events[5] = by(3, 1_020, Event::Leave(timer_interrupt()));
        // The probe gets its CPU, is stopped at once, and resumes much later.
        events.extend([switch(1_030, 3, true, PROBE), switch(1_040, PROBE, false, 3), switch(9_000, 3, true, PROBE)]);
        events.push(by(PROBE, 9_010, Event::TimerStart { timer: 0xb, expiry_ns: 10_000, slack_ns: 0 }));
        follow(&events)
    };
    let found = scene(function("hrtimer_wakeup"));
    assert_eq!(found.len(), 1);
    let WakeUp { expiry_at, isr_at, waking_at, isr_end_at, switch_in_at, away, .. } = found[0];
    assert_eq!((expiry_at, isr_at, waking_at, isr_end_at, switch_in_at), (1_000, 1_010, 1_015, Some(1_020), 1_030));
    assert_eq!(away, Some(Absence { from_ns: 1_040, to_ns: Some(9_000), faulted: false }));
    assert!(scene(function("tick_nohz_handler")).is_empty() && scene(None).is_empty());
}

// As the probe leaves the CPU to be stopped, the kernel sets a timer of its own on the probe's time. That timer expires
// meanwhile. Another thread of the process then makes the probe ready on this CPU. The probe sets its own timer anew, which is
// long overdue.
#[test]
fn who_is_made_ready_after_another_timers_function_has_ended_was_not_made_ready_by_that() {
    let (other, sibling) = (0xd, 8);
    let fires = |at_ns, thread, timer| {
        [
            by(thread, at_ns, Event::Enter(timer_interrupt())),
            by(thread, at_ns + 5, Event::TimerExpire { timer, function: None }),
        ]
    };
    let mut events = vec![
        switch(400, 3, true, PROBE),
        by(PROBE, 500, Event::TimerStart { timer: 0xa, expiry_ns: 1_000, slack_ns: 0 }),
        switch(510, PROBE, false, 3),
        switch(700, 3, true, PROBE),
        by(PROBE, 705, Event::TimerStart { timer: other, expiry_ns: 5_000, slack_ns: 0 }),
        switch(710, PROBE, false, 3),
    ];
    events.extend(fires(5_010, 3, other));
    events.extend([by(3, 5_020, Event::Leave(timer_interrupt())), switch(6_000, 3, true, sibling)]);
    events.extend([
        by(sibling, 6_005, Event::Waking { thread: PROBE }),
        switch(6_010, sibling, true, PROBE),
        by(PROBE, 6_020, Event::TimerStart { timer: 0xa, expiry_ns: 1_000, slack_ns: 0 }),
    ]);
    events.extend(fires(6_030, PROBE, 0xa));
    events.extend([
        by(PROBE, 6_040, Event::Waking { thread: PROBE }),
        by(PROBE, 6_050, Event::Leave(timer_interrupt())),
        by(PROBE, 6_060, Event::SleepEnd),
    ]);
    let expiries: Vec<u64> = follow(&events).iter().map(|wake_up| wake_up.expiry_at).collect();
    assert_eq!(expiries, [1_000]);
}

#[test]
fn a_switch_that_was_not_recorded_is_inferred_from_the_first_event_on_the_threads_time() {
    let mut events = until_waking();
    events.extend([by(3, 1030, Event::Leave(timer_interrupt())), by(PROBE, 1105, Event::SleepEnd)]);
    let found = follow(&events)[0];
    assert_eq!((found.switch_in_at, found.inferred, found.sleep_end_at), (1105, true, Some(1105)));
}

#[test]
fn what_comes_after_the_response_is_no_sign_of_when_the_thread_came() {
    let mut events = until_waking();
    events[2] = switch(510, PROBE, false, 0);
    events[3..].iter_mut().for_each(|event| event.thread = 0);
    events.push(by(0, 1030, Event::Leave(timer_interrupt())));
    events.push(by(PROBE, 1900, Event::TimerStart { timer: 0xa, expiry_ns: 2000, slack_ns: 0 }));
    let found = follow(&events)[0];
    assert_eq!((found.switch_in_at, found.inferred), (1030, true));
}

#[test]
fn an_interrupt_that_does_not_ask_for_the_scheduler_interrupted_no_lower_thread() {
    for mark in [true, false] {
        let mut events = until_waking();
        events.push(Stamped { to_switch: mark, ..by(3, 1030, Event::Leave(timer_interrupt())) });
        events.push(switch(1100, 3, true, PROBE));
        assert_eq!(follow(&events)[0].asked, Some(mark));
    }
}

#[test]
fn the_next_wake_up_knows_until_when_the_earlier_one_took() {
    let mut events = until_waking();
    events.extend([switch(1100, 3, true, PROBE), by(PROBE, 1105, Event::SleepEnd)]);
    events.push(by(PROBE, 1110, Event::TimerStart { timer: 0xa, expiry_ns: 1090, slack_ns: 0 }));
    events.push(by(PROBE, 1111, Event::Enter(timer_interrupt())));
    events.push(by(PROBE, 1112, Event::TimerExpire { timer: 0xa, function: None }));
    events.push(by(PROBE, 1113, Event::Waking { thread: PROBE }));
    let second = follow(&events)[1];
    assert_eq!((second.earlier_until, second.armed_at), (Some(1105), Some(1110)));
}

#[test]
fn without_the_sleep_end_the_next_timer_completes_the_wake_up() {
    let mut events = until_waking();
    events.push(switch(1100, 3, true, PROBE));
    events.push(by(PROBE, 1150, Event::TimerStart { timer: 0xa, expiry_ns: 2000, slack_ns: 0 }));
    events.push(switch(1200, PROBE, false, 3));
    let found = follow(&events);
    assert_eq!((found.len(), found[0].switch_in_at, found[0].sleep_end_at), (1, 1100, None));
    assert_eq!((found[0].away, found[0].ended_at), (None, 1150));
}

#[test]
fn a_thread_that_leaves_before_it_sets_its_next_timer_is_held_up_until_it_comes_back() {
    let mut events = until_waking();
    events.extend([
        switch(1100, 3, true, PROBE),
        by(PROBE, 1105, Event::SleepEnd),
        switch(1110, PROBE, false, 3),
        switch(1700, 3, false, PROBE),
        switch(1710, PROBE, true, 9),
        switch(1720, 9, false, PROBE),
        by(PROBE, 1750, Event::TimerStart { timer: 0xa, expiry_ns: 2000, slack_ns: 0 }),
    ]);
    let away = |to_ns, faulted| Some(Absence { from_ns: 1110, to_ns, faulted });
    let found = follow(&events);
    assert_eq!((found.len(), found[0].away, found[0].ended_at), (1, away(Some(1700), false), 1750));
    let mut faults = events.clone();
    faults.insert(8, by(PROBE, 1107, Event::PageFault));
    let [left_for_it, left_without] = [&faults, &events].map(|events| follow(events)[0]);
    assert_eq!((left_for_it.away, left_without.away), (away(Some(1700), true), away(Some(1700), false)));
    events.truncate(events.len() - 4);
    assert_eq!(follow(&events)[0].away, away(None, false));
}

#[test]
fn a_preemption_before_the_sleep_returns_does_not_end_the_wake_up() {
    let mut events = until_waking();
    events.extend([
        switch(1100, 3, true, PROBE),
        switch(1101, PROBE, true, 9),
        switch(1150, 9, false, PROBE),
        by(PROBE, 1155, Event::SleepEnd),
    ]);
    let found = follow(&events);
    assert_eq!((found[0].switch_in_at, found[0].sleep_end_at), (1100, Some(1155)));
}

#[test]
fn a_timer_that_fires_before_the_thread_slept_needs_no_switch() {
    let events = [
        switch(400, 3, true, PROBE),
        by(PROBE, 500, Event::TimerStart { timer: 0xa, expiry_ns: 450, slack_ns: 0 }),
        by(PROBE, 510, Event::Enter(timer_interrupt())),
        by(PROBE, 515, Event::TimerExpire { timer: 0xa, function: None }),
        by(PROBE, 520, Event::Waking { thread: PROBE }),
        by(PROBE, 525, Event::Leave(timer_interrupt())),
        by(PROBE, 530, Event::SleepEnd),
    ];
    let found = follow(&events);
    assert_eq!((found[0].waking_at, found[0].switch_in_at), (520, 520));
}

#[test]
fn timers_and_wakings_of_others_are_no_wake_up() {
    let mut events = until_waking();
    events[4] = by(3, 1015, Event::TimerExpire { timer: 0xb, function: None });
    events.push(switch(1100, 3, true, PROBE));
    assert_eq!(follow(&events), []);
    let mut other = until_waking();
    other[5] = by(3, 1020, Event::Waking { thread: 9 });
    other.push(switch(1100, 3, true, PROBE));
    assert_eq!(follow(&other), []);
}

#[test]
fn a_timer_set_by_an_interrupt_above_the_thread_is_not_the_threads() {
    let mut events = until_waking();
    events[1].in_thread = false;
    events.push(switch(1100, 3, true, PROBE));
    assert_eq!(follow(&events), []);
}

#[test]
fn a_wake_up_begun_before_a_loss_is_given_up() {
    let (mut processor, mut follower) = (Processor::default(), Follower::new(PROBE));
    for event in until_waking() {
        processor.push(&event);
        follower.push(&event, &processor);
    }
    follower.forget();
    processor.forget();
    assert_eq!(follower.push(&switch(1100, 3, true, PROBE), &processor), None);
    assert_eq!(follower.finish(&processor), None);
}

// Only one processor is recorded. The probe was moved to another one, whose past is unknown.
#[test]
fn a_wake_up_that_was_moved_while_it_was_ready_accuses_nobody_of_the_time_since() {
    let mut events = until_waking();
    events.extend([
        by(3, 1030, Event::Leave(timer_interrupt())),
        by(3, 1200, Event::Migrate { thread: PROBE, to: 1 }),
        switch(4000, 3, true, PROBE),
        by(PROBE, 4005, Event::SleepEnd),
    ]);
    let mut processor = Processor::default();
    events.iter().for_each(|event| processor.push(event));
    let wake_up = follow(&events)[0];
    assert_eq!((wake_up.waking_at, wake_up.moved_at, wake_up.switch_in_at), (1020, Some(1200), 4000));
    let blame = crate::blame::explain::explain(&wake_up.window(), &processor, 4000);
    let shares: Vec<_> = blame.shares.iter().map(|share| (share.cause, share.ns)).collect();
    assert_eq!((shares[0], blame.total()), ((crate::blame::Cause::Moved, 2800), 3000), "{shares:?}");
}
