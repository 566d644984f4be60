// SPDX-License-Identifier: MIT OR Apache-2.0
//! Known scenes, each with its expected shares.
mod stacks;

use super::*;
use crate::blame::Blame;
use crate::blame::evidence::Evidence;
use crate::blame::window::Absence;
use crate::event::function::Function;
use crate::event::{Event, Name, Stamped};
use crate::processor::Processor;
use crate::processor::Stay;
use crate::thread::loans::Loans;
use crate::thread::raise::Loan;
use crate::thread::wakeup::WakeUp;
use proptest::prelude::*;

fn thread(id: i32, priority: i32, name: &str) -> Thread {
    Thread { id, priority, name: Name::new(name.as_bytes()) }
}

fn probe() -> Thread {
    thread(7, 4, "probe")
}

fn compiler() -> Thread {
    thread(9, 120, "cc1")
}

fn idle() -> Thread {
    thread(0, 120, "swapper/0")
}

fn interrupt(name: &str) -> Section {
    Section::Interrupt(Name::new(name.as_bytes()))
}

// A wakeup with the expiry at 1000 us, the interrupt at 1020, the waking at 1022, and the switch at `switch_us`. The events of
// these tests begin with a switch, so that the interrupted stay is number 1.
fn wake_up(switch_us: u64) -> WakeUp {
    WakeUp {
        expiry_at: 1_000_000,
        armed_at: Some(490_000),
        isr_at: 1_020_000,
        isr_end_at: Some(1_024_000),
        asked: Some(true),
        waking_at: 1_022_000,
        switch_in_at: switch_us * 1_000,
        thread: Some(probe()),
        stay: Some(Stay(1)),
        line: Some(Name::new(b"local_timer")),
        ..WakeUp::default()
    }
}

// Replays events, with their times in microseconds, then divides the window of `wake_up` up to `response_us`. From the end of
// the timer's interrupt, need-resched is set until the scheduler runs.
fn blamed(events: &[(u64, Event)], wake_up: WakeUp, response_us: u64) -> Blame {
    blamed_where_the_mark_is_gone(events, u64::MAX, wake_up, response_us)
}

// Like `blamed`, but need-resched is cleared at `gone_us`: the scheduler ran then, and kept the thread.
fn blamed_where_the_mark_is_gone(events: &[(u64, Event)], gone_us: u64, wake_up: WakeUp, response_us: u64) -> Blame {
    let (mut processor, mut loans) = (Processor::default(), Loans::default());
    let mut asked = false;
    for (at_us, event) in events {
        asked |= matches!(event, Event::Leave(Section::Interrupt(_))) && wake_up.asked == Some(true);
        asked &= !matches!(event, Event::Switch { .. }) && *at_us < gone_us;
        let thread = match event {
            Event::Switch { from, .. } => from.id,
            _ => processor.thread().map_or(0, |thread| thread.id),
        };
        let stamped = Stamped { at_ns: at_us * 1_000, thread, in_thread: true, to_switch: asked, event: *event };
        processor.push(&stamped);
        loans.push(&stamped, &mut processor);
    }
    let wake_up = WakeUp { ended_at: events.last().unwrap().0 * 1_000, ..wake_up };
    Evidence::new(wake_up, |from, to| processor.window(from, to)).blame(response_us * 1_000)
}

fn switch(from: Thread, to: Thread) -> Event {
    Event::Switch { from, preempted: true, to }
}

fn timer_interrupt() -> [(u64, Event); 2] {
    [(1_020, Event::Enter(interrupt("local_timer"))), (1_024, Event::Leave(interrupt("local_timer")))]
}

// Cause, culprit, microseconds.
type Told = (Cause, Option<Culprit>, u64);

fn told(blame: &Blame) -> Vec<Told> {
    blame.shares.iter().map(|share| (share.cause, share.culprit, share.ns / 1_000)).collect()
}

fn by(holder: Holder) -> Option<Culprit> {
    Some(Culprit::from(holder))
}

fn by_thread(thread: Thread) -> Option<Culprit> {
    by(Holder::Thread(thread))
}

fn raised(thread: Thread, raise: Raise) -> Option<Culprit> {
    Some(Culprit { holder: Holder::Thread(thread), more: More::Raised(raise) })
}

fn interrupt_share(name: &str, us: u64) -> Told {
    (Cause::Interference, by(Holder::Section(interrupt(name))), us)
}

#[test]
fn a_thread_that_could_not_be_preempted_is_named() {
    let [enter, leave] = timer_interrupt();
    let events = [
        (500, switch(probe(), compiler())),
        enter,
        leave,
        (3_000, switch(compiler(), probe())),
        (3_010, Event::SleepEnd),
    ];
    let blame = blamed(&events, wake_up(3_000), 3_005);
    let culprit = by_thread(compiler());
    assert_eq!(
        told(&blame),
        [
            (Cause::Blocking, culprit, 1_976),
            (Cause::Late, culprit.map(|culprit| Culprit { more: More::Untold(Untold::NoStack), ..culprit }), 20),
            (Cause::Dispatch, None, 7),
            interrupt_share("local_timer", 2),
        ]
    );
    let compiler = backwall_model::Thread {
        name: Some("cc1".into()),
        id: Some(9),
        priority: Some(backwall_model::Priority::Ordinary),
        series: false,
    };
    let backwall_model::Blame::Shares { shares, .. } = blame.told() else { unreachable!() };
    let by = |more| Some(backwall_model::Culprit { holder: backwall_model::Holder::Thread(compiler.clone()), more });
    let no_stack = backwall_model::HolderDetail::Untold(backwall_model::Untold::NoStack);
    let kept = |cause, culprit, ns| backwall_model::Share { cause, culprit, ns };
    assert_eq!(shares[0], kept(Cause::Blocking, by(None), 1_976_000));
    assert_eq!(shares[1], kept(Cause::Late, by(Some(no_stack)), 20_000));
    assert_eq!(shares[2], kept(Cause::Dispatch, None, 7_000));
}

#[test]
fn many_timers_in_one_interrupt_are_told_and_are_not_the_kernels_own_way() {
    let timer = interrupt("local_timer");
    let blame_by = |timers: u64, by: Section, function: Option<Function>| {
        let expire = (0..timers).map(|at| (1_020, Event::TimerExpire { timer: at, function }));
        let ends = [(3_000, Event::Waking { thread: probe().id }), (3_004, Event::Leave(by))];
        let all = [(500, switch(probe(), compiler())), (1_020, Event::Enter(by))].into_iter().chain(expire).chain(ends);
        let events: Vec<_> = all.chain([(3_010, switch(compiler(), probe())), (3_020, Event::SleepEnd)]).collect();
        let late = WakeUp { isr_end_at: Some(3_004_000), waking_at: 3_000_000, ..wake_up(3_010) };
        blamed(&events, late, 3_012)
    };
    let blame_of = |timers, by| blame_by(timers, by, None);
    let few = blame_of(15, timer);
    assert_eq!((few.shares[0].cause, few.shares[0].ns), (Cause::Dispatch, 1_982_000));
    for by in [timer, interrupt("other")] {
        let many = blame_of(312, by);
        let more = More::Timers { at_least: 200, function: None };
        assert_eq!(many.shares[0].culprit, Some(Culprit { holder: Holder::Section(by), more }));
        assert_eq!((many.shares[0].cause, many.shares[0].ns), (Cause::Interference, 1_984_000));
    }
    let function = Some(Function::named("hrtimer_wakeup"));
    let of_function = |timers, by| blame_by(timers, by, function).shares[0].culprit.map(|culprit| culprit.more);
    assert_eq!(of_function(312, timer), Some(More::Timers { at_least: 200, function }));
    assert_eq!(of_function(1, interrupt("other")), Some(More::Timers { at_least: 1, function }), "it is long");
    assert_eq!(of_function(1, timer), None, "the thread's own interrupt, which makes it ready");
    assert_eq!(
        [1, 16, 19, 20, 49, 50, 99, 470_084, u32::MAX].map(at_least),
        [1, 10, 10, 20, 20, 50, 50, 200_000, 2_000_000_000]
    );
}

#[test]
fn an_interrupt_and_a_softirq_before_the_switch_are_interference() {
    let [enter, leave] = timer_interrupt();
    let events = [
        (500, switch(probe(), idle())),
        enter,
        leave,
        (1_024, Event::Enter(Section::Softirq(9))),
        (1_050, Event::Enter(interrupt("eth0"))),
        (1_150, Event::Leave(interrupt("eth0"))),
        (1_180, Event::Leave(Section::Softirq(9))),
        (1_190, switch(idle(), probe())),
        (1_200, Event::SleepEnd),
    ];
    let blame = blamed(&events, wake_up(1_190), 1_195);
    assert_eq!(
        told(&blame),
        [
            interrupt_share("eth0", 100),
            (Cause::Interference, by(Holder::Section(Section::Softirq(9))), 56),
            (Cause::IdleExit, None, 20),
            (Cause::Dispatch, None, 17),
            interrupt_share("local_timer", 2),
        ]
    );
}

#[test]
fn a_lower_thread_that_the_scheduler_chose_over_the_probe_means_throttling() {
    let [enter, leave] = timer_interrupt();
    let events = [
        (500, switch(probe(), idle())),
        enter,
        leave,
        (1_030, switch(idle(), compiler())),
        (1_930, switch(compiler(), probe())),
        (1_950, Event::SleepEnd),
    ];
    let blame = blamed(&events, wake_up(1_930), 1_940);
    assert_eq!(told(&blame)[0], (Cause::Throttling, by_thread(compiler()), 900));
}

#[test]
fn a_lower_thread_that_stayed_although_the_scheduler_could_switch_means_throttling() {
    let [enter, leave] = timer_interrupt();
    let eth0 = [(2_000, Event::Enter(interrupt("eth0"))), (2_001, Event::Leave(interrupt("eth0")))];
    let events =
        [(500, switch(probe(), compiler())), enter, leave, eth0[0], eth0[1], (3_000, switch(compiler(), probe()))];
    let blame = blamed_where_the_mark_is_gone(&events, 1_500, wake_up(3_000), 3_000);
    assert_eq!(told(&blame)[0], (Cause::Throttling, by_thread(compiler()), 1_975));
}

#[test]
fn idle_that_stays_after_the_scheduler_ran_or_comes_after_the_waking_means_throttling() {
    let [enter, leave] = timer_interrupt();
    let eth0 = [(2_000, Event::Enter(interrupt("eth0"))), (2_001, Event::Leave(interrupt("eth0")))];
    let stays = [(500, switch(probe(), idle())), enter, leave, eth0[0], eth0[1], (3_000, switch(idle(), probe()))];
    let blame = blamed_where_the_mark_is_gone(&stays, 1_500, wake_up(3_000), 3_000);
    assert_eq!(told(&blame)[0], (Cause::Throttling, by(Holder::Idle), 1_975));
    let comes = [
        (500, switch(probe(), compiler())),
        enter,
        leave,
        (1_030, switch(compiler(), idle())),
        (3_000, switch(idle(), probe())),
    ];
    let blame = blamed(&comes, wake_up(3_000), 3_000);
    assert_eq!(told(&blame)[0], (Cause::Throttling, by(Holder::Idle), 1_970));
}

#[test]
fn idle_until_a_slow_switch_is_the_kernels_own_way() {
    let [enter, leave] = timer_interrupt();
    let events = [(500, switch(probe(), idle())), enter, leave, (3_000, switch(idle(), probe()))];
    let blame = blamed(&events, wake_up(3_000), 3_000);
    assert_eq!(told(&blame)[0], (Cause::Dispatch, None, 1_978));
}

#[test]
fn a_thread_that_the_interrupt_did_not_ask_to_leave_had_a_raised_priority() {
    let [enter, leave] = timer_interrupt();
    let events = [(500, switch(probe(), compiler())), enter, leave, (3_000, switch(compiler(), probe()))];
    let blame = blamed(&events, WakeUp { asked: Some(false), ..wake_up(3_000) }, 3_000);
    assert_eq!(told(&blame)[0], (Cause::Interference, raised(compiler(), Raise::Unseen), 1_976));
    let known = backwall_model::HolderDetail::Raised(None);
    assert_eq!(blame.shares[0].told_culprit().unwrap().more, Some(known));
}

// No lock lent a priority, so no lender is found. The thread is one and the same culprit in both of its stays on the CPU.
#[test]
fn a_thread_that_makes_itself_real_time_has_that_priority_of_its_own() {
    let [enter, leave] = timer_interrupt();
    let set_itself = Thread { priority: 1, ..compiler() };
    let eth0 = [(1_999, Event::Enter(interrupt("eth0"))), (2_000, Event::Leave(interrupt("eth0")))];
    let again = [(2_000, switch(set_itself, idle())), (2_100, switch(idle(), set_itself))];
    for asked in [Some(false), Some(true), None] {
        let events = [
            (500, switch(probe(), compiler())),
            enter,
            leave,
            eth0[0],
            eth0[1],
            again[0],
            again[1],
            (3_000, switch(set_itself, probe())),
        ];
        let blame = blamed_where_the_mark_is_gone(&events, 1_500, WakeUp { asked, ..wake_up(3_000) }, 3_000);
        let own: Vec<_> =
            told(&blame).into_iter().filter(|(_, culprit, _)| *culprit == by_thread(set_itself)).collect();
        assert_eq!(own, [(Cause::Interference, by_thread(set_itself), 1_875)], "{asked:?}: {blame:?}");
        let others = blame.shares.iter().filter_map(|share| share.culprit);
        assert!(!others.into_iter().any(|culprit| matches!(culprit.more, More::Raised(_))), "{blame:?}");
    }
}

#[test]
fn a_thread_whose_lock_was_wanted_from_above_inherited_that_priority() {
    let [enter, leave] = timer_interrupt();
    let back = Event::Inherit { thread: compiler().id, from: 1, to: 120 };
    let inherited = Raise::Inherited(Loan { own: 120, to: 1, lender: None });
    let events =
        [(500, switch(probe(), compiler())), enter, leave, (2_999, back), (3_000, switch(compiler(), probe()))];
    let blame = blamed(&events, WakeUp { asked: Some(false), ..wake_up(3_000) }, 3_000);
    assert_eq!(told(&blame)[0], (Cause::Interference, raised(compiler(), inherited), 1_976));
    let known =
        backwall_model::HolderDetail::Inherited { to: Some(backwall_model::Priority::RealTime(98)), lender: None };
    assert_eq!(blame.shares[0].told_culprit().unwrap().more, Some(known));
}

#[test]
fn a_page_fault_of_the_thread_itself_is_a_cause_of_its_own() {
    let [enter, leave] = timer_interrupt();
    let events = [
        (500, switch(probe(), idle())),
        enter,
        leave,
        (1_030, switch(idle(), probe())),
        (1_040, Event::PageFault),
        (1_340, Event::SleepEnd),
        (1_350, Event::TimerStart { timer: 1, expiry_ns: 2, slack_ns: 0 }),
    ];
    let blame = blamed(&events, wake_up(1_030), 1_345);
    let faults = [(Cause::AfterFault, None, 290), (Cause::PageFault, None, 10)];
    assert!(faults.iter().all(|share| told(&blame).contains(share)) && blame.total() == 345_000, "{blame:?}");
    let at_work = blamed(&events, WakeUp { runs_from: Some(1_030_000), ..wake_up(1_030) }, 1_345);
    assert!(faults.iter().all(|share| told(&at_work).contains(share)), "{at_work:?}");
    assert!(told(&at_work).contains(&(Cause::OwnRun, None, 15)) && at_work.total() == 345_000, "{at_work:?}");
    let away = |faulted| Some(Absence { from_ns: 1_040_000, to_ns: Some(1_300_000), faulted });
    let leaves =
        [events[0], enter, leave, events[3], (1_040, switch(probe(), idle())), (1_300, switch(idle(), probe()))];
    for (faulted, cause) in [(false, Cause::NotWaiting), (true, Cause::PageFault)] {
        let blame = blamed(&leaves, WakeUp { away: away(faulted), ..wake_up(1_030) }, 1_300);
        assert_eq!(told(&blame)[0], (cause, None, 260));
    }
}

#[test]
fn before_the_timer_was_set_the_probe_was_not_waiting() {
    let [enter, leave] = timer_interrupt();
    let [enter, leave] = [(1_920, enter.1), (1_924, leave.1)];
    let events = [
        (500, switch(probe(), idle())),
        (1_400, switch(idle(), compiler())),
        (1_905, switch(compiler(), probe())),
        (1_915, switch(probe(), idle())),
        enter,
        leave,
        (1_930, switch(idle(), probe())),
    ];
    let late = WakeUp {
        armed_at: Some(1_912_000),
        isr_at: 1_920_000,
        waking_at: 1_922_000,
        stay: Some(Stay(4)),
        ..wake_up(1_930)
    };
    let stopped = told(&blamed(&events, late, 1_930));
    assert_eq!(stopped[..2], [(Cause::NotWaiting, None, 905), (Cause::Backlog, None, 10)]);
    // The switch to the compiler is missing; only the switch away from it shows that it ran. The thread before that is unknown,
    // but the probe was not waiting.
    let unseen = told(&blamed(&events[2..], WakeUp { stay: Some(Stay(2)), ..late }, 1_930));
    assert_eq!(unseen[..2], [(Cause::NotWaiting, None, 905), (Cause::Backlog, None, 10)]);
    let earlier = WakeUp { earlier_until: Some(1_905_000), ..late };
    let busy = told(&blamed(&events, earlier, 1_930));
    assert_eq!(busy[0], (Cause::Backlog, None, 915));
}

#[test]
fn a_probe_that_is_stopped_after_its_wake_up_was_not_waiting_and_a_thread_above_is_named_all_the_same() {
    let [enter, leave] = timer_interrupt();
    let higher = thread(11, 0, "migration/0");
    let events = [
        (500, switch(probe(), idle())),
        enter,
        leave,
        (1_030, switch(idle(), probe())),
        (1_035, switch(probe(), idle())),
        (1_435, switch(idle(), compiler())),
        (1_735, switch(compiler(), higher)),
        (1_935, switch(higher, probe())),
        (1_940, Event::Enter(interrupt("eth0"))),
    ];
    let away = Some(Absence { from_ns: 1_035_000, to_ns: Some(1_935_000), faulted: false });
    let blame = blamed(&events, WakeUp { away, ..wake_up(1_030) }, 1_940);
    assert_eq!(told(&blame)[..2], [(Cause::NotWaiting, None, 700), (Cause::Interference, by_thread(higher), 200)]);
}

// The kernel may let an ordinary thread's timer expire later. Until then nothing is late, no matter what runs or what a stack
// shows.
#[test]
fn up_to_the_end_of_a_timers_slack_nobody_is_accused_and_beyond_it_whoever_was_late() {
    let [enter, leave] = timer_interrupt();
    let before = [
        (500, switch(probe(), compiler())),
        (1_005, Event::Enter(interrupt("eth0"))),
        (1_007, Event::Leave(interrupt("eth0"))),
    ];
    let events: Vec<_> = before.into_iter().chain([enter, leave, (1_030, switch(compiler(), probe()))]).collect();
    let ordinary = WakeUp { slack_ns: 15_000, thread: Some(Thread { priority: 120, ..probe() }), ..wake_up(1_030) };
    let blame = blamed(&events, ordinary, 1_030);
    assert!(told(&blame).contains(&(Cause::TimerSlack, None, 15)), "{blame:?}");
    let late: u64 = blame.shares.iter().filter(|share| share.cause == Cause::Late).map(|share| share.ns).sum();
    assert_eq!((late, blame.total()), (5_000, 30_000), "{blame:?}");
    // The timer expired in the interrupt of another timer, before its slack was over. So the slack ends with this interrupt.
    let all = told(&blamed(&events, WakeUp { slack_ns: 5_000_000, ..ordinary }, 1_030));
    assert!(
        all.contains(&(Cause::TimerSlack, None, 20)) && all.iter().all(|(cause, ..)| *cause != Cause::Late),
        "{all:?}"
    );
    // The thread set its timer at 1,012 us, after the release.
    let set = told(&blamed(&events, WakeUp { armed_at: Some(1_012_000), ..ordinary }, 1_030));
    assert!(set.contains(&(Cause::TimerSlack, None, 3)) && set.contains(&(Cause::NotWaiting, None, 10)), "{set:?}");
}

#[test]
fn a_softirq_names_the_thread_on_whose_time_it_ran() {
    let [enter, leave] = timer_interrupt();
    let softirq = Section::Softirq(3);
    let events = [
        (500, switch(probe(), compiler())),
        enter,
        leave,
        (1_030, Event::Enter(softirq)),
        (2_990, Event::Leave(softirq)),
        (3_000, switch(compiler(), probe())),
    ];
    let blame = blamed(&events, wake_up(3_000), 3_000);
    let culprit = Culprit { holder: Holder::Section(softirq), more: More::OnTimeOf(compiler()) };
    assert_eq!(told(&blame)[0], (Cause::Interference, Some(culprit), 1_960));
}

#[test]
fn a_higher_thread_after_the_switch_is_interference() {
    let [enter, leave] = timer_interrupt();
    let higher = thread(11, 0, "migration/0");
    let events = [
        (500, switch(probe(), idle())),
        enter,
        leave,
        (1_030, switch(idle(), probe())),
        (1_031, switch(probe(), higher)),
        (1_131, switch(higher, probe())),
        (1_140, Event::SleepEnd),
    ];
    let blame = blamed(&events, wake_up(1_030), 1_135);
    assert_eq!(told(&blame)[0], (Cause::Interference, by_thread(higher), 100));
}

fn any_event() -> impl Strategy<Value = Event> {
    let threads = prop_oneof![Just(probe()), Just(compiler()), Just(idle()), Just(thread(11, 0, "m"))];
    let section = prop_oneof![Just(interrupt("local_timer")), Just(interrupt("eth0")), Just(Section::Softirq(1))];
    prop_oneof![
        (threads.clone(), threads).prop_map(|(from, to)| switch(from, to)),
        section.clone().prop_map(Event::Enter),
        section.prop_map(Event::Leave),
    ]
}

proptest! {
    #[test]
    fn shares_always_sum_to_the_window(
        steps in proptest::collection::vec((0u64..90, any_event()), 1..80),
        marks in proptest::array::uniform4(0u64..3_000),
        others in proptest::array::uniform4(0u64..3_000_000),
        response_us in 0u64..6_000,
        slack_ns in 0u64..2_000_000,
    ) {
        let mut at_us = 500;
        let events: Vec<_> = steps.into_iter().map(|(step, event)| { at_us += step; (at_us, event) }).collect();
        let mut sorted = marks;
        sorted.sort_unstable();
        let [expiry, isr, waking, switch] = sorted.map(|us| us * 1_000);
        let [armed_at, earlier_until, left, back] = others;
        let away = others.iter().all(|other| other % 5 > 0).then_some(Absence { from_ns: left, to_ns: Some(back), faulted: left % 2 == 0 });
        let [armed_at, earlier_until] = [armed_at, earlier_until].map(|at| (at % 3 > 0).then_some(at));
        let wake_up = WakeUp {
            expiry_at: expiry, slack_ns, isr_at: isr, waking_at: waking, switch_in_at: switch, armed_at, earlier_until, away,
            ..wake_up(0)
        };
        let response_us = response_us.max(switch / 1_000);
        let blame = blamed(&events, wake_up, response_us);
        prop_assert_eq!(blame.total(), response_us * 1_000 - expiry);
    }
}
