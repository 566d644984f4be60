// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::account::analysis::Analysis;
use crate::event::Name;
use crate::read::receiver::Receiver;
use proptest::prelude::*;

const LOW: i32 = 7;
const HIGH: i32 = 8;
const MIDDLE: i32 = 9;

fn interrupt() -> Section {
    Section::Interrupt(Name::new(b"local_timer"))
}

// All threads are of one process, like the probe's. A lower priority number is more urgent.
fn thread(id: i32) -> Thread {
    let priority = match id {
        LOW => 89,
        MIDDLE => 84,
        HIGH => 79,
        _ => 120,
    };
    Thread { id, priority, name: Name::new(b"probe") }
}

fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
    Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
}

fn above(at_ns: u64, thread: i32, event: Event) -> Stamped {
    Stamped { in_thread: false, ..by(at_ns, thread, event) }
}

fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
    by(at_ns, from, Event::Switch { from: thread(from), preempted, to: thread(to) })
}

// An interrupt of 400 ns on the time of thread `on`. The interrupt's timer makes thread `woken` ready.
fn fires(at_ns: u64, on: i32, woken: i32) -> [Stamped; 4] {
    [
        above(at_ns, on, Event::Enter(interrupt())),
        above(at_ns + 100, on, Event::TimerExpire { timer: woken as u64, function: None }),
        above(at_ns + 200, on, Event::Waking { thread: woken }),
        Stamped { to_switch: true, ..above(at_ns + 400, on, Event::Leave(interrupt())) },
    ]
}

fn sleeps(at_ns: u64, id: i32, expiry_ns: u64, then: i32) -> [Stamped; 2] {
    [
        by(at_ns, id, Event::TimerStart { timer: id as u64, expiry_ns, slack_ns: 0 }),
        switch(at_ns + 1_000, id, false, then),
    ]
}

fn set(threads: [Option<i32>; 2]) -> Vec<Series> {
    let one = |(name, thread): (&str, Option<i32>)| Series { name: name.to_string(), cpu: 0, thread };
    ["low", "high"].into_iter().zip(threads).map(one).collect()
}

fn job(series: usize, [nominal_at, arrival_at, start_at, end_at]: [u64; 4]) -> Job {
    Job { series, seq: 3, nominal_at, arrival_at, start_at: Some(start_at), end_at, busy_until: 0, missed: true }
}

fn found(set: Vec<Series>, jobs: &[Job], events: &[Stamped]) -> Vec<MissedSeries> {
    let mut analysis = Analysis::new(MissedJobFinder::new(set, jobs.to_vec()));
    events.iter().for_each(|event| analysis.event(0, event));
    analysis.finish().1.finish()
}

fn shares(found: &MissedSeries) -> Vec<(Cause, u64)> {
    let divided = found.longest().next().unwrap();
    let mut shares: Vec<(Cause, u64)> = divided.blame.shares.iter().map(|share| (share.cause, share.ns)).collect();
    shares.sort();
    shares
}

#[test]
fn a_job_whose_thread_slept_on_past_its_timer_waited_for_who_thawed_its_group() {
    let function = Some(crate::event::function::Function::named("hrtimer_wakeup"));
    let mut events = vec![switch(1_000, 0, true, LOW)];
    events.extend(sleeps(2_000, LOW, 100_000, 0));
    events.extend([
        above(100_000, 0, Event::Enter(interrupt())),
        above(100_100, 0, Event::TimerExpire { timer: LOW as u64, function }),
        above(100_400, 0, Event::Leave(interrupt())),
        switch(880_000, 0, true, 5),
        by(900_000, 5, Event::Waking { thread: LOW }),
        switch(901_000, 5, true, LOW),
        switch(950_000, LOW, false, 0),
        switch(960_000, 0, true, 5),
    ]);
    let jobs = [job(0, [100_000, 100_000, 901_500, 940_000])];
    let found = found(set([Some(LOW), Some(HIGH)]), &jobs, &events);
    let frozen = shares(&found[0]).into_iter().find(|(cause, _)| *cause == Cause::Frozen).unwrap();
    assert!(frozen.1 >= 799_000, "{:?}", shares(&found[0]));
}

// The low thread sleeps until 100,000 and gets its CPU at 101,200. The high one preempts it from 150,600 to 190,600. Then it
// sleeps again.
fn preempted() -> Vec<Stamped> {
    let mut events = vec![switch(1_000, 0, true, LOW)];
    events.extend(sleeps(2_000, LOW, 100_000, HIGH));
    events.extend(sleeps(4_000, HIGH, 149_000, 0));
    events.extend(fires(100_500, 0, LOW));
    events.push(switch(101_200, 0, true, LOW));
    events.extend(fires(150_000, LOW, HIGH));
    events.push(switch(150_600, LOW, true, HIGH));
    events.extend(sleeps(189_600, HIGH, 900_000, LOW));
    events.extend(sleeps(310_000, LOW, 900_000, 0));
    events
}

fn kept(found: &MissedSeries) -> Vec<backwall_model::Share> {
    match &found.longest().next().unwrap().told {
        backwall_model::Blame::Shares { shares, .. } => shares.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn of_series(name: &str, priority: u8) -> backwall_model::Culprit {
    let priority = Some(backwall_model::Priority::RealTime(priority));
    let thread = backwall_model::Thread { name: Some(name.into()), id: None, priority, series: true };
    backwall_model::Culprit { holder: backwall_model::Holder::Thread(thread), more: None }
}

#[test]
fn a_job_that_a_more_urgent_one_preempts_is_divided_to_the_nanosecond() {
    let late = job(0, [90_000, 100_000, 101_500, 230_000]);
    let found = found(set([Some(LOW), Some(HIGH)]), &[late], &preempted());
    let expected = [
        (Cause::Interference, 600),    // the timers' interrupts after the wakeup
        (Cause::Interference, 40_000), // the other series
        (Cause::IdleExit, 500),
        (Cause::Dispatch, 800),
        (Cause::OwnRun, 88_100),
        (Cause::Jitter, 10_000),
    ];
    assert_eq!(shares(&found[0]), expected);
    assert_eq!((found[0].divided, found[0].unseen, found[1].divided), (1, 0, 0));
    let high = of_series("high", 20);
    let shares = kept(&found[0]);
    assert_eq!((shares[0].cause, shares[0].ns), (Cause::OwnRun, 88_100));
    assert_eq!((shares[1].cause, shares[1].culprit.as_ref(), shares[1].ns), (Cause::Interference, Some(&high), 40_000));
    let high = backwall_model::Accusation { cause: Cause::Interference, culprit: Some(high) };
    assert!(found[0].ranking.ranked().iter().any(|ranked| ranked.accused == high));
}

#[test]
fn page_faults_in_a_jobs_own_run_are_named_and_taken_out_of_it() {
    let mut events = preempted();
    events.extend([by(120_000, LOW, Event::PageFault), by(126_000, LOW, Event::PageFault)]);
    events.sort_by_key(|stamped| stamped.at_ns);
    let found = found(set([Some(LOW), Some(HIGH)]), &[job(0, [100_000, 100_000, 101_500, 230_000])], &events);
    let expected = [
        (Cause::Interference, 600),
        (Cause::Interference, 40_000),
        (Cause::PageFault, 6_000 + 10_000),
        (Cause::AfterFault, 14_000 + 200), // up to the switch, without the interrupt
        (Cause::IdleExit, 500),
        (Cause::Dispatch, 800),
        (Cause::OwnRun, 88_100 - 30_200),
    ];
    assert_eq!(shares(&found[0]), expected);
}

#[test]
fn a_job_that_leaves_for_a_page_names_the_page_fault_until_it_is_made_ready() {
    let mut events = vec![switch(1_000, 0, true, LOW)];
    events.extend(sleeps(2_000, LOW, 100_000, 0));
    events.extend(fires(100_500, 0, LOW));
    events.extend([switch(101_200, 0, true, LOW), by(120_000, LOW, Event::PageFault), switch(125_000, LOW, false, 0)]);
    events.extend(fires(140_000, 0, LOW));
    events.push(switch(140_900, 0, true, LOW));
    events.extend(sleeps(200_000, LOW, 900_000, 0));
    let found = found(set([Some(LOW), Some(HIGH)]), &[job(0, [100_000, 100_000, 101_500, 150_000])], &events);
    let expected = [
        (Cause::Interference, 600),
        (Cause::PageFault, 20_000),
        (Cause::IdleExit, 500),
        (Cause::Dispatch, 1_300),
        (Cause::OwnRun, 27_600),
    ];
    assert_eq!(shares(&found[0]), expected);
}

#[test]
fn time_of_the_job_before_is_told_as_such_and_not_as_the_jobs_own() {
    let behind = Job { busy_until: 230_000, ..job(0, [140_000, 140_000, 230_100, 300_000]) };
    let found = found(set([Some(LOW), Some(HIGH)]), &[behind], &preempted());
    let expected = [
        (Cause::Interference, 400),
        (Cause::Interference, 40_000),
        (Cause::Backlog, 90_000 - 40_400),
        (Cause::Dispatch, 100),
        (Cause::OwnRun, 69_900),
    ];
    assert_eq!(shares(&found[0]), expected);
}

// The low thread holds a lock that the high one wants from 160,000 to 175,000. Another thread delays the low one.
#[test]
fn a_wait_for_a_lock_names_its_holder_and_who_delayed_that() {
    let mut events = preempted();
    events.truncate(events.len() - 4);
    events.extend([switch(160_000, HIGH, false, LOW), switch(165_000, LOW, true, MIDDLE)]);
    events.extend([switch(172_000, MIDDLE, false, LOW), by(175_000, LOW, Event::Waking { thread: HIGH })]);
    events.push(switch(175_300, LOW, true, HIGH));
    events.extend(sleeps(195_000, HIGH, 900_000, LOW));
    let late = job(1, [149_000, 149_000, 151_000, 190_000]);
    let found = found(set([Some(LOW), Some(HIGH)]), &[late], &events);
    let expected = [
        (Cause::Interference, 200),
        (Cause::Blocking, 200 + 300), // from the interrupt's end or the wakeup to the switch
        (Cause::LockHeld, 8_000),
        (Cause::Inversion, 7_000),
        (Cause::Dispatch, 200 + 400),
        (Cause::Late, 1_000),
        (Cause::OwnRun, 9_000 + 14_700),
    ];
    assert_eq!(shares(&found[1]), expected);
    let low = of_series("low", 10);
    assert!(kept(&found[1]).iter().any(|share| share.cause == Cause::LockHeld && share.culprit.as_ref() == Some(&low)));
}

#[test]
fn a_thread_that_was_kept_from_its_sleep_blames_who_kept_it_and_no_interrupt() {
    // At its release at 180,000 the thread is not asleep yet, and need not sleep any more.
    let late = Job { busy_until: 150_000, ..job(0, [180_000, 180_000, 191_000, 200_000]) };
    let found = found(set([Some(LOW), Some(HIGH)]), &[late], &preempted());
    assert_eq!(shares(&found[0]), [(Cause::Interference, 10_600), (Cause::Dispatch, 400), (Cause::OwnRun, 9_000)]);
}

// The middle thread's timer fires, and the middle thread wakes the low one. The scheduler did not choose the interrupted
// thread.
#[test]
fn a_job_that_another_thread_releases_blames_the_interrupted_one_for_not_being_preempted() {
    const OTHER: i32 = 10;
    let mut events = vec![switch(1_000, 0, true, LOW), switch(2_000, LOW, false, MIDDLE)];
    events.extend(sleeps(3_000, MIDDLE, 100_000, OTHER));
    events.extend(fires(100_500, OTHER, MIDDLE));
    events.push(switch(101_200, OTHER, true, MIDDLE));
    events.push(by(103_000, MIDDLE, Event::Waking { thread: LOW }));
    events.extend(sleeps(104_000, MIDDLE, 900_000, LOW));
    events.extend(sleeps(200_000, LOW, 900_000, OTHER));
    let found = found(set([Some(LOW), Some(HIGH)]), &[job(0, [100_000, 100_000, 105_500, 150_000])], &events);
    let expected = [
        (Cause::Interference, 3_800), // the middle thread from its switch to the next
        (Cause::Blocking, 300),
        (Cause::Dispatch, 400 + 500),
        (Cause::Late, 500),
        (Cause::OwnRun, 44_500),
    ];
    assert_eq!(shares(&found[0]), expected);
}

#[test]
fn threads_that_are_made_for_each_job_are_known_by_who_had_the_processor_at_the_end() {
    let on_time = Job { missed: false, ..job(1, [150_000, 150_000, 150_700, 189_000]) };
    let late = job(0, [100_000, 100_000, 101_500, 230_000]);
    let found = found(set([None, None]), &[late, on_time], &preempted());
    assert_eq!((found[0].divided, found[1].divided), (1, 0));
    let high = of_series("high", 20);
    assert!(kept(&found[0]).iter().any(|share| share.ns == 40_000 && share.culprit.as_ref() == Some(&high)));
}

#[test]
fn a_job_that_was_given_up_is_its_own_from_the_switch_on_and_one_beyond_the_recording_is_not_seen() {
    let given_up = Job { start_at: None, ..job(0, [100_000, 100_000, 0, 230_000]) };
    let beyond = job(0, [200_000, 200_000, 230_500, 400_000]);
    let found = found(set([Some(LOW), Some(HIGH)]), &[beyond, given_up], &preempted());
    assert_eq!((found[0].divided, found[0].unseen), (1, 1));
    assert!(shares(&found[0]).contains(&(Cause::OwnRun, 88_400)));
}

#[test]
fn a_job_whose_thread_the_recording_has_under_another_number_is_not_seen() {
    let late = job(0, [100_000, 100_000, 101_500, 230_000]);
    let given_up = Job { start_at: None, ..late };
    for thread in [MIDDLE, HIGH] {
        let found = found(set([Some(thread), None]), &[late], &preempted());
        assert_eq!((found[0].divided, found[0].unseen), (0, 1), "{thread}");
    }
    let found = found(set([Some(MIDDLE), None]), &[given_up], &preempted());
    assert_eq!((found[0].divided, found[0].unseen), (0, 1));
}

#[test]
fn only_the_longest_are_kept_and_the_causes_of_all_are_counted() {
    let jobs: Vec<Job> = (0..50).map(|seq| Job { seq, ..job(0, [100_000, 100_000, 101_500, 200_000 + seq]) }).collect();
    let found = found(set([Some(LOW), Some(HIGH)]), &jobs, &preempted());
    let kept: Vec<u64> = found[0].longest().map(|divided| divided.seq).collect();
    assert_eq!(kept, (50 - KEPT as u64..50).rev().collect::<Vec<_>>());
    let causes = found[0].ranking.ranked();
    assert_eq!(causes.iter().map(|cause| cause.largest_in).sum::<u64>(), 50);
    assert_eq!(causes.iter().map(|cause| cause.ns).sum::<u64>(), (0..50).map(|seq| 100_000 + seq).sum::<u64>());
}

// Any event, plausible or not, at most 3 us after the event before.
fn any_event() -> impl Strategy<Value = (u64, i32, bool, Event)> {
    let id = || prop_oneof![Just(0), Just(LOW), Just(HIGH), Just(MIDDLE)];
    let event = prop_oneof![
        4 => (id(), any::<bool>(), id()).prop_map(|(from, preempted, to)| Event::Switch {
            from: thread(from),
            preempted,
            to: thread(to)
        }),
        2 => id().prop_map(|thread| Event::Waking { thread }),
        1 => Just(Event::Enter(interrupt())),
        1 => Just(Event::Leave(interrupt())),
        1 => (0u64..4, 0u64..60_000).prop_map(|(timer, expiry_ns)| Event::TimerStart { timer, expiry_ns, slack_ns: 0 }),
        1 => (0u64..4).prop_map(|timer| Event::TimerExpire { timer, function: None }),
    ];
    (0u64..3_000, id(), any::<bool>(), event)
}

fn any_job() -> impl Strategy<Value = Job> {
    (proptest::array::uniform4(1u64..60_000), 0u64..60_000, 0usize..2, any::<bool>()).prop_map(
        |(mut at, busy_until, series, started)| {
            at.sort_unstable();
            let job = job(series, at);
            Job { busy_until, start_at: job.start_at.filter(|_| started), ..job }
        },
    )
}

proptest! {
    #[test]
    fn whatever_happened_each_job_is_counted_once_and_its_shares_sum_to_its_time(
        events in proptest::collection::vec(any_event(), 1..60),
        mut jobs in proptest::collection::vec(any_job(), 1..12),
        loses in proptest::option::of(0usize..60),
        of_jobs in any::<bool>(),
    ) {
        jobs.iter_mut().zip(0..).for_each(|(job, seq)| job.seq = seq);
        let threads = if of_jobs { [None, None] } else { [Some(LOW), Some(HIGH)] };
        let mut analysis = Analysis::new(MissedJobFinder::new(set(threads), jobs.clone()));
        let mut at_ns = 0;
        for (place, (step_ns, on, in_thread, event)) in events.into_iter().enumerate() {
            at_ns += step_ns;
            if loses == Some(place) {
                analysis.gap(0, at_ns);
            }
            analysis.event(0, &Stamped { in_thread, ..by(at_ns, on, event) });
        }
        let found = analysis.finish().1.finish();
        for (series, found) in found.iter().enumerate() {
            let missed = jobs.iter().filter(|job| job.series == series).count() as u64;
            prop_assert_eq!(found.divided + found.unseen, missed);
            prop_assert!(found.divided == 0 || found.longest().count() as u64 == found.divided);
            let known: Vec<u64> = jobs.iter().filter(|job| job.series == series).map(|job| job.end_at - job.nominal_at).collect();
            let mut whole = 0;
            for divided in found.longest() {
                prop_assert_eq!(divided.blame.total(), divided.total_ns);
                prop_assert!(known.contains(&divided.total_ns));
                whole += divided.total_ns;
            }
            prop_assert_eq!(found.ranking.ranked().iter().map(|cause| cause.ns).sum::<u64>(), whole);
        }
    }
}

#[test]
fn a_job_whose_thread_was_stopped_or_frozen_names_who_did_that() {
    let (group, keeper) = (crate::event::Group::named("/jobs"), 3);
    let signalled = |signal| Event::Signalled { thread: LOW, signal };
    let wakes = Event::Waking { thread: LOW };
    let stops = (signalled(crate::event::Signal::Stops), signalled(crate::event::Signal::Continues), Cause::Stopped);
    let freezes = (Event::Freezes { group, on: true }, Event::Freezes { group, on: false }, Cause::Frozen);
    for (begins, ends, cause) in [stops, freezes] {
        // Stopped or frozen while asleep: the thread sets its timer anew when it continues.
        let mut asleep = vec![switch(1_000, 0, true, LOW)];
        asleep.extend(sleeps(2_000, LOW, 100_000, keeper));
        asleep.extend([by(50_000, keeper, begins), switch(60_000, keeper, false, 0), switch(400_000, 0, true, keeper)]);
        asleep.extend([by(500_000, keeper, ends), by(500_100, keeper, wakes), switch(501_000, keeper, true, LOW)]);
        asleep.extend([switch(600_000, LOW, false, 0), switch(700_000, 0, true, keeper)]);
        // Stopped or frozen at work: the thread leaves the CPU by itself.
        let mut at_work = vec![switch(1_000, 0, true, LOW)];
        at_work.extend(sleeps(2_000, LOW, 100_000, 0));
        at_work.extend(fires(100_500, 0, LOW));
        at_work.extend([
            switch(101_200, 0, true, LOW),
            switch(110_000, LOW, true, keeper),
            by(111_000, keeper, begins),
        ]);
        at_work.extend([switch(112_000, keeper, true, LOW), switch(113_000, LOW, false, 0)]);
        at_work.extend([switch(490_000, 0, true, keeper), by(500_000, keeper, ends), by(500_100, keeper, wakes)]);
        at_work.extend([
            switch(501_000, keeper, true, LOW),
            switch(600_000, LOW, false, 0),
            switch(700_000, 0, true, keeper),
        ]);
        for (events, start_at, held) in [(asleep, 502_000, 400_100), (at_work, 101_500, 387_100)] {
            let late = job(0, [100_000, 100_000, start_at, 590_000]);
            let found = found(set([Some(LOW), Some(HIGH)]), &[late], &events);
            let divided = found[0].longest().next().unwrap();
            let share =
                divided.blame.shares.iter().find(|share| share.cause == cause).unwrap_or_else(|| panic!("{divided:?}"));
            assert_eq!((share.ns, divided.total_ns), (held, 490_000), "{divided:?}");
            let Holder::Thread(by) = share.culprit.unwrap().holder else { panic!("{share:?}") };
            assert_eq!((by.id, by.priority), (keeper, 120), "{share:?}");
        }
    }
}
