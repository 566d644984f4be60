// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording whose account is known by hand.
use super::*;
use crate::account::analysis::Analysis;
use crate::event::{Event, Name, Stamped};
use crate::read::receiver::Receiver;

const IDLE: Thread = Thread { id: 0, priority: 120, name: Name::NONE };

fn thread(id: i32, priority: i32) -> Thread {
    Thread { id, priority, name: Name::new(b"servo") }
}

struct Recording {
    analysis: Analysis<Follower>,
    on: [i32; 2],
}

impl Recording {
    fn new() -> Self {
        Self { analysis: Analysis::new(Follower::default()), on: [0; 2] }
    }

    fn within(begin_ns: u64, end_ns: u64) -> Self {
        Self { analysis: Analysis::new(Follower::within(begin_ns, end_ns)), on: [0; 2] }
    }

    fn event(&mut self, cpu: u32, at_ns: u64, event: Event) {
        let thread = self.on[cpu as usize];
        if let Event::Switch { to, .. } = event {
            self.on[cpu as usize] = to.id;
        }
        self.analysis.event(cpu, &Stamped { at_ns, thread, in_thread: true, to_switch: false, event });
    }

    fn switch(&mut self, at_ns: u64, from: Thread, preempted: bool, to: Thread) {
        self.event(0, at_ns, Event::Switch { from, preempted, to });
    }

    fn finish(self) -> Vec<CpuInterference> {
        self.analysis.finish().1.finish().cpus
    }
}

fn turns(rows: &[(u64, u64)]) -> Vec<Turn> {
    rows.iter().map(|(at_ns, cost_ns)| Turn { at_ns: *at_ns, cost_ns: *cost_ns }).collect()
}

/// Thread 1 is woken 100 ns after an interrupt began. It waits for the rest of this interrupt, for the idle thread, and for
/// another interrupt.
#[test]
fn turns_and_blocking_known_by_hand() {
    let (one, timer) = (thread(1, 10), Section::Interrupt(Name::new(b"timer")));
    let mut recording = Recording::new();
    recording.switch(1_000, IDLE, true, one);
    recording.switch(1_500, one, false, IDLE);
    for at_ns in [10_000, 20_000] {
        recording.event(0, at_ns, Event::Enter(timer));
        recording.event(0, at_ns + 100, Event::Waking { thread: 1 });
        recording.event(0, at_ns + 400, Event::Leave(timer));
        recording.switch(at_ns + 450, IDLE, true, one);
        recording.event(0, at_ns + 1_000, Event::Enter(timer));
        recording.event(0, at_ns + 1_200, Event::Leave(timer));
        recording.switch(at_ns + 2_000, one, false, IDLE);
    }
    recording.switch(30_000, IDLE, true, thread(2, 120));
    let [cpu] = &recording.finish()[..] else { panic!("one processor") };
    assert_eq!((cpu.cpu, cpu.observed_ns), (0, 29_000));
    let expected = turns(&[(10_000, 400), (11_000, 200), (20_000, 400), (21_000, 200)]);
    assert_eq!(cpu.sections, [SectionWork { section: timer, turns: expected }]);
    let [work] = &cpu.threads[..] else { panic!("one real-time thread") };
    assert_eq!(work.turns, turns(&[(1_000, 500), (10_100, 1_350), (20_100, 1_350)]));
    assert_eq!((work.whole, work.longest_ns), (2, Some(1_900)));
    assert_eq!((work.blocked_ns, work.windows), (350, 2), "the interrupt's rest of 300, and 50 of the idle thread");
}

/// The less urgent thread is preempted. Its busy window contains both turns of the more urgent thread, which is blocked once.
#[test]
fn a_preempted_turn_is_one_turn() {
    let (high, low) = (thread(1, 10), thread(2, 20));
    let mut recording = Recording::new();
    recording.switch(1_000, IDLE, true, high);
    recording.switch(1_100, high, false, low);
    recording.switch(1_200, low, false, IDLE);
    recording.event(0, 5_000, Event::Waking { thread: 2 });
    recording.switch(5_030, IDLE, true, low);
    recording.event(0, 5_500, Event::Waking { thread: 1 });
    recording.switch(5_510, low, true, high);
    recording.switch(6_000, high, false, low);
    recording.switch(6_600, low, false, IDLE);
    let [cpu] = &recording.finish()[..] else { panic!("one processor") };
    let [high, low] = &cpu.threads[..] else { panic!("two") };
    assert_eq!(low.turns, turns(&[(1_100, 100), (5_000, 1_080)]));
    assert_eq!((low.whole, low.longest_ns, low.blocked_ns, low.windows), (1, Some(1_600), 30, 1));
    assert_eq!(high.turns, turns(&[(1_000, 100), (5_500, 490)]));
    assert_eq!((high.longest_ns, high.blocked_ns), (Some(500), 10), "the less urgent thread had it for 10");
}

/// The first and the last second are for calibration and outside the measured part. But they show which threads were ready at
/// its start.
#[test]
fn a_part_of_a_recording_holds_what_came_in_it() {
    let (one, calibrates) = (thread(1, 10), thread(7, 5));
    let mut recording = Recording::within(10_000, 20_000);
    recording.switch(500, IDLE, true, one);
    recording.switch(600, one, false, calibrates);
    recording.switch(9_000, calibrates, false, IDLE);
    for at_ns in [11_000, 15_000, 25_000] {
        recording.event(0, at_ns, Event::Waking { thread: 1 });
        recording.switch(at_ns + 30, IDLE, true, one);
        recording.switch(at_ns + 430, one, false, IDLE);
    }
    recording.switch(30_000, IDLE, true, calibrates);
    recording.switch(39_000, calibrates, false, IDLE);
    let [cpu] = &recording.finish()[..] else { panic!("one processor") };
    assert_eq!(cpu.observed_ns, 5_430, "from the beginning of the part to its last event");
    let [work] = &cpu.threads[..] else { panic!("one thread") };
    assert_eq!(work.turns, turns(&[(11_000, 400), (15_000, 400)]));
    assert_eq!((work.whole, work.longest_ns, work.blocked_ns, work.windows), (2, Some(430), 30, 2));
}

#[test]
fn a_gap_and_a_move_leave_no_whole_turn() {
    let one = thread(1, 10);
    let mut recording = Recording::new();
    recording.switch(1_000, IDLE, true, one);
    recording.switch(1_500, one, false, IDLE);
    recording.event(0, 2_000, Event::Waking { thread: 1 });
    recording.analysis.gap_begins(0, 2_100);
    recording.analysis.gap(0, 3_000);
    recording.on[0] = 1;
    recording.switch(3_500, one, false, IDLE);
    recording.event(0, 4_000, Event::Waking { thread: 1 });
    recording.event(1, 4_100, Event::Switch { from: IDLE, preempted: true, to: one });
    recording.event(1, 4_600, Event::Switch { from: one, preempted: false, to: IDLE });
    let [first, second] = &recording.finish()[..] else { panic!("two processors") };
    assert_eq!((first.threads[0].whole, first.threads[0].windows), (0, 0));
    assert_eq!(first.observed_ns, 1_100 + 1_600, "without the gap, up to the last event");
    assert_eq!((second.threads[0].whole, second.threads[0].moved), (0, true));
    assert_eq!(second.threads[0].turns, turns(&[(4_000, 500)]));
}
