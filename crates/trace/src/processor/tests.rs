// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::event::Name;
use proptest::prelude::*;

fn thread(id: i32) -> Thread {
    Thread { id, priority: 120, name: Name::new(b"t") }
}

fn by(thread: i32, at_ns: u64, event: Event) -> Stamped {
    Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
}

fn switch(at_ns: u64, from: i32, to: i32) -> Stamped {
    by(from, at_ns, Event::Switch { from: thread(from), preempted: false, to: thread(to) })
}

fn timer() -> Section {
    Section::Interrupt(Name::new(b"local_timer"))
}

fn holders(processor: &Processor, from: u64, to: u64) -> Vec<(u64, Holder)> {
    processor.window(from, to).iter().map(|stretch| (stretch.to_ns - stretch.from_ns, stretch.holder())).collect()
}

#[test]
fn the_innermost_section_holds_the_processor() {
    let mut processor = Processor::default();
    let events = [
        switch(100, 0, 7),
        by(7, 110, Event::Enter(Section::Softirq(3))),
        by(7, 115, Event::Enter(timer())),
        by(7, 118, Event::Leave(timer())),
        by(7, 125, Event::Leave(Section::Softirq(3))),
        switch(140, 7, 0),
        switch(150, 0, 8),
    ];
    events.iter().for_each(|event| processor.push(event));
    let softirq = Holder::Section(Section::Softirq(3));
    assert_eq!(
        holders(&processor, 100, 150),
        [
            (10, Holder::Thread(thread(7))),
            (5, softirq),
            (3, Holder::Section(timer())),
            (7, softirq),
            (15, Holder::Thread(thread(7))),
            (10, Holder::Idle),
        ]
    );
}

// arm64 kernels from 5.10 on record a call from another CPU as a line's interrupt with a nested call.
#[test]
fn a_call_of_another_processor_that_two_events_tell_is_one_stretch() {
    let (mut processor, call) = (Processor::default(), Section::Interrupt(CALL));
    let events = [
        switch(100, 0, 7),
        by(7, 110, Event::Enter(call)),
        by(7, 112, Event::Enter(call)),
        by(7, 117, Event::Leave(call)),
        by(7, 120, Event::Leave(Section::Interrupt(Name::default()))),
        switch(140, 7, 0),
        switch(150, 0, 8),
    ];
    events.iter().for_each(|event| processor.push(event));
    let thread = Holder::Thread(thread(7));
    assert_eq!(
        holders(&processor, 100, 150),
        [(10, thread), (10, Holder::Section(call)), (20, thread), (10, Holder::Idle)]
    );
}

#[test]
fn a_switch_that_was_not_recorded_leaves_an_unknown_stretch() {
    let mut processor = Processor::default();
    [switch(100, 0, 7), switch(140, 9, 0), switch(150, 0, 8)].iter().for_each(|event| processor.push(event));
    assert_eq!(holders(&processor, 90, 150), [(10, Holder::Unknown), (40, Holder::Unknown), (10, Holder::Idle)]);
}

#[test]
fn a_thread_that_came_unseen_from_an_idle_processor_had_it_since_idle_was_asked_to_leave() {
    let asked = Stamped { to_switch: true, ..by(0, 120, Event::Leave(timer())) };
    let idle = [switch(100, 7, 0), by(0, 110, Event::Enter(timer())), asked];
    let mut processor = Processor::default();
    idle.iter().for_each(|event| processor.push(event));
    processor.push(&by(8, 150, Event::Enter(timer())));
    processor.push(&by(8, 155, Event::Leave(timer())));
    assert_eq!(holders(&processor, 120, 150), [(30, Holder::Thread(Thread::numbered(8)))]);
    // The thread's name and priority become known when it leaves the CPU.
    processor.push(&switch(160, 8, 0));
    assert_eq!(holders(&processor, 120, 150), [(30, Holder::Thread(thread(8)))]);
}

#[test]
fn a_thread_that_named_itself_while_it_ran_is_told_by_its_own_name() {
    let mut processor = Processor::default();
    let renamed = Thread { name: Name::new(b"worker"), ..thread(8) };
    processor.push(&switch(100, 7, 8));
    assert_eq!(holders(&processor, 100, 120), [(20, Holder::Thread(thread(8)))]);
    processor.push(&by(8, 150, Event::Switch { from: renamed, preempted: true, to: thread(7) }));
    assert_eq!(holders(&processor, 100, 150), [(50, Holder::Thread(renamed))]);
}

#[test]
fn a_thread_that_came_unseen_otherwise_leaves_an_unknown_stretch() {
    let mut processor = Processor::default();
    [switch(100, 0, 7), by(9, 140, Event::SleepEnd), switch(150, 9, 0)].iter().for_each(|event| processor.push(event));
    assert_eq!(holders(&processor, 100, 150), [(40, Holder::Unknown), (10, Holder::Thread(thread(9)))]);
}

#[test]
fn a_mark_that_stays_until_the_switch_was_asked_and_one_that_goes_was_not() {
    let mut processor = Processor::default();
    let enter = |at_ns| Stamped { to_switch: true, ..by(7, at_ns, Event::Enter(timer())) };
    let leave = |at_ns, to_switch| Stamped { to_switch, ..by(7, at_ns, Event::Leave(timer())) };
    let events = [switch(100, 0, 7), enter(110), leave(115, true), switch(120, 7, 8), switch(130, 8, 7)];
    let then = [enter(140), leave(145, true), by(7, 150, Event::Enter(timer())), leave(155, false)];
    events.iter().chain(&then).for_each(|event| processor.push(event));
    let asked: Vec<bool> = processor.window(110, 150).iter().map(|stretch| stretch.asked).collect();
    assert_eq!(asked, [true, true, false, true, true, false]);
}

#[test]
fn a_page_fault_lasts_to_the_next_event_on_the_threads_own_time_also_through_an_interrupt() {
    let mut processor = Processor::default();
    let in_interrupt = Stamped { in_thread: false, ..by(7, 6_000, Event::PageFault) };
    let events = [
        switch(100, 0, 7),
        by(7, 1_000, Event::PageFault),
        by(7, 5_000, Event::Enter(timer())),
        in_interrupt,
        by(7, 7_000, Event::Leave(timer())),
        by(7, 40_000, Event::SleepEnd),
        by(7, 50_000, Event::PageFault),
        by(7, 53_000, Event::PageFault),
        switch(57_000, 7, 8),
    ];
    events.iter().for_each(|event| processor.push(event));
    assert!(processor.left_in_fault(57_000) && !processor.left_in_fault(58_000));
    let own = processor.window(500, 58_000).into_iter().filter(|stretch| stretch.section.is_none());
    let faults: Vec<(u64, Fault)> = own.map(|stretch| (stretch.from_ns, stretch.fault)).collect();
    let first = [(500, Fault::None), (1_000, Fault::Sure), (7_000, Fault::Sure), (11_000, Fault::Perhaps)];
    let second = [(40_000, Fault::None), (50_000, Fault::Sure), (57_000, Fault::None)];
    assert_eq!(faults, [&first[..], &second].concat());
}

#[test]
fn a_storm_of_page_faults_does_not_push_out_the_past() {
    let mut processor = Processor::default();
    processor.push(&switch(100, 0, 7));
    (0..50_000).for_each(|number| processor.push(&by(7, 1_000 + number * 700, Event::PageFault)));
    let end = 1_000 + 49_999 * 700;
    let told: Vec<(u64, u64, Fault)> =
        processor.window(100, end + 20_000).iter().map(|one| (one.from_ns, one.to_ns, one.fault)).collect();
    let storm =
        [(100, 1_000, Fault::None), (1_000, end + 10_000, Fault::Sure), (end + 10_000, end + 20_000, Fault::Perhaps)];
    assert_eq!(told, storm);
}

#[test]
fn what_is_running_now_fills_the_end_of_a_window() {
    let mut processor = Processor::default();
    processor.push(&switch(100, 0, 7));
    assert_eq!(holders(&processor, 105, 120), [(15, Holder::Thread(thread(7)))]);
}

#[test]
fn a_timer_function_is_named_in_its_own_interrupt_alone_and_where_a_window_cuts_that() {
    let mut processor = Processor::default();
    processor.push(&switch(100, 0, 7));
    let expire = |name: &str| Event::TimerExpire { timer: 1, function: Some(Function::named(name)) };
    for (from, to, name) in [(1_000, 41_000, "slow"), (50_000, 52_000, "tick"), (60_000, 90_000, "slower")] {
        processor.push(&by(7, from, Event::Enter(timer())));
        processor.push(&by(7, from + 500, expire(name)));
        processor.push(&by(7, to, Event::Leave(timer())));
    }
    processor.push(&by(7, 95_000, Event::SleepEnd));
    let named = |from, to| {
        let window = processor.window(from, to);
        window.iter().map(|stretch| stretch.timer.map_or("", Function::name)).collect::<Vec<_>>()
    };
    assert_eq!(named(100, 95_000), ["", "slow", "", "", "", "slower", ""]);
    assert_eq!(named(20_000, 70_000), ["slow", "", "", "", "slower"]);
}

#[test]
fn who_brings_a_page_is_woken_in_the_fault_and_what_else_the_thread_does_ends_it() {
    let leaves_in_fault = |between: Event| {
        let mut processor = Processor::default();
        let events = [switch(100, 0, 7), by(7, 1_000, Event::PageFault), by(7, 3_000, between), switch(5_000, 7, 0)];
        events.iter().for_each(|event| processor.push(event));
        processor.left_in_fault(5_000)
    };
    assert!(leaves_in_fault(Event::Waking { thread: 9 }) && leaves_in_fault(Event::PageFault));
    assert!(
        !leaves_in_fault(Event::TimerStart { timer: 1, expiry_ns: 9_000, slack_ns: 0 })
            && !leaves_in_fault(Event::SleepEnd)
    );
}

fn any_event() -> impl Strategy<Value = Event> {
    let section = prop_oneof![Just(timer()), (0u8..3).prop_map(Section::Softirq)];
    prop_oneof![
        (0..4, 0..4).prop_map(|(from, to)| Event::Switch { from: thread(from), preempted: false, to: thread(to) }),
        section.clone().prop_map(Event::Enter),
        section.prop_map(Event::Leave),
        Just(Event::SleepEnd),
        Just(Event::PageFault),
    ]
}

// Reference implementation of what stacks show about a piece: it searches all later events.
fn told_by_stacks(processor: &Processor, piece: &Piece) -> Option<Verdict> {
    if piece.section.is_some() {
        return None;
    }
    let own = |next: &&Piece| next.stay == piece.stay;
    let verdict = |end_ns| processor.stacks.iter().rev().find(|(at, _)| *at == end_ns).map(|(_, verdict)| *verdict);
    if let Some(verdict) = verdict(piece.to_ns) {
        return Some(verdict);
    }
    let since: Vec<&Piece> =
        processor.pieces.since_first_not(|before| before.to_ns <= piece.to_ns).take_while(own).collect();
    let of_thread: Vec<&Piece> = since.into_iter().filter(|next| next.section.is_none()).collect();
    let told = of_thread.iter().position(|next| verdict(next.to_ns).is_some())?;
    let verdict = verdict(of_thread[told].to_ns);
    let nothing = |next: &&Piece| next.to_ns - next.from_ns < past::upon_ns(verdict);
    verdict.filter(|_| of_thread[..=told].iter().all(nothing))
}

#[test]
fn a_storm_of_interrupts_without_stacks_is_looked_through_once() {
    let mut processor = Processor::default();
    processor.push(&switch(100, 0, 7));
    for number in 1..=2_000 {
        let at_ns = 1_000 * number;
        processor.push(&by(7, at_ns, Event::Enter(timer())));
        if number == 2_000 {
            processor.push(&by(7, at_ns, Event::Stack(Verdict::Below)));
        }
        processor.push(&by(7, at_ns + 500, Event::Leave(timer())));
    }
    let window = processor.window(100, 2_000_500);
    assert!(window.iter().all(|stretch| stretch.behind.is_some() == stretch.section.is_none()));
    assert_eq!((window.len() as u64, processor.stretches_in(1_000, 1_000_000)), (4_000, 1_999));
}

proptest! {
    #[test]
    fn what_stacks_tell_is_as_if_each_piece_had_looked_for_itself(
        events in proptest::collection::vec(
            (prop_oneof![4 => 0u64..9_000, 1 => 15_000u64..60_000], 0..2, 0..4, any_event()),
            0..200,
        ),
    ) {
        let (mut processor, mut now) = (Processor::default(), 1);
        let masked = Verdict::Masked { function: Function::named("f"), caller: None };
        for (step, thread, stack, event) in events {
            now += step;
            processor.push(&by(thread, now, event));
            if stack > 1 && matches!(event, Event::Enter(_)) {
                let verdict = if stack == 2 { masked } else { Verdict::Below };
                processor.push(&by(thread, now, Event::Stack(verdict)));
            }
        }
        let expected: Vec<_> = (processor.pieces.numbers())
            .filter_map(|number| processor.pieces.get(number))
            .map(|piece| (piece.from_ns, told_by_stacks(&processor, piece)))
            .collect();
        let window = processor.window(0, processor.since_ns);
        let known = window.iter().filter(|stretch| expected.first().is_some_and(|first| stretch.from_ns >= first.0));
        prop_assert_eq!(known.map(|stretch| (stretch.from_ns, stretch.behind)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn stretches_always_fill_the_window_exactly(
        events in proptest::collection::vec((0u64..300, 0..4, any::<bool>(), any_event()), 0..200),
        from in 0u64..20_000,
        length in 0u64..9_000,
    ) {
        let (mut processor, mut now) = (Processor::default(), 1);
        for (step, thread, to_switch, event) in events {
            now += step;
            processor.push(&Stamped { to_switch, ..by(thread, now, event) });
        }
        let window = processor.window(from, from + length);
        prop_assert!(window.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
        prop_assert_eq!(window.iter().map(|stretch| stretch.to_ns - stretch.from_ns).sum::<u64>(), length);
    }
}
