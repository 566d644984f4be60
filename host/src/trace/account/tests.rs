// SPDX-License-Identifier: MIT OR Apache-2.0
use super::analysis::Analysis;
use super::summary::Summary;
use crate::trace::event::{Event, Name, Section, Stamped, Thread};
use crate::trace::late::lates::{Lates, Question, Whose};
use crate::trace::read::receiver::Receiver;
use proptest::prelude::*;

const CPUS: u32 = 2;

fn thread(id: i32) -> Thread {
    let priority = if id == 0 { 120 } else { [49, 120, 120, 39][id as usize % 4] };
    Thread { id, priority, name: Name::new(format!("t{id}").as_bytes()) }
}

/// A machine that makes events as a kernel would: every thread is on one processor at most.
struct Machine<R> {
    at_ns: u64,
    on: [i32; CPUS as usize],
    open: [Vec<Section>; CPUS as usize],
    /// Ready or preempted: nobody makes such a thread ready again.
    ready: [bool; 8],
    receiver: R,
}

impl<R: Receiver> Machine<R> {
    fn new(receiver: R) -> Self {
        Self { at_ns: 1_000, on: [0; CPUS as usize], open: Default::default(), ready: [false; 8], receiver }
    }

    fn say(&mut self, cpu: u32, event: Event) {
        let in_thread = self.open[cpu as usize].is_empty();
        let thread = self.on[cpu as usize];
        self.receiver.event(cpu, &Stamped { at_ns: self.at_ns, thread, in_thread, to_switch: false, event });
    }

    fn step(&mut self, (later, cpu, kind, other, flag): (u64, u32, u8, i32, bool)) {
        self.at_ns += later;
        let here = cpu as usize;
        let timer = Section::Interrupt(Name::new(b"timer"));
        match kind {
            0 if self.open[here].is_empty() && (other == 0 || !self.on.contains(&other)) => {
                let from = self.on[here];
                self.say(cpu, Event::Switch { from: thread(from), preempted: flag, to: thread(other) });
                self.on[here] = other;
                self.ready[from as usize] = flag;
                self.ready[other as usize] = false;
            }
            1 if !self.ready[other as usize + 1] && !self.on.contains(&(other + 1)) => {
                self.say(cpu, Event::Waking { thread: other + 1 });
                self.ready[other as usize + 1] = true;
            }
            2 if self.open[here].len() < 2 => {
                let section = if self.open[here].is_empty() { Section::Softirq(3) } else { timer };
                self.say(cpu, Event::Enter(section));
                self.open[here].push(section);
            }
            3 => {
                if let Some(section) = self.open[here].pop() {
                    self.say(cpu, Event::Leave(section));
                }
            }
            4 => self.say(cpu, Event::Inherit { thread: other + 1, from: 120, to: 39 }),
            _ => {}
        }
    }
}

type Step = (u64, u32, u8, i32, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0u64..9_000_000, 0..CPUS, 0u8..5, 0i32..6, any::<bool>()), 1..300)
}

fn question() -> Question {
    Question { above_ns: 1_000, whose: Whose::All, timers: true }
}

fn analysed(steps: &[Step]) -> (Summary, Lates) {
    let mut machine = Machine::new(Analysis::new(Lates::new(question())));
    steps.iter().for_each(|step| machine.step(*step));
    machine.receiver.finish()
}

proptest! {
    #[test]
    fn nothing_is_left_over_and_nothing_is_booked_twice(steps in steps()) {
        let (summary, _) = analysed(&steps);
        for cpu in &summary.cpus {
            let known = cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
            prop_assert_eq!(known + cpu.unknown_ns, summary.span_ns, "{:?}", cpu);
        }
        for thread in &summary.threads {
            let states = thread.running_ns + thread.ready_ns + thread.preempted_ns + thread.waiting_ns + thread.unknown_ns;
            prop_assert_eq!(states, summary.span_ns, "{:?}", thread);
            prop_assert_eq!(thread.cpu_ns + thread.interrupted_ns, thread.running_ns);
            prop_assert_eq!(thread.over_time.iter().sum::<u64>(), thread.cpu_ns);
        }
        let of_threads: u64 = summary.threads.iter().map(|thread| thread.cpu_ns).sum();
        prop_assert_eq!(of_threads, summary.cpus.iter().map(|cpu| cpu.threads_ns).sum::<u64>());
        let of_sections: u64 = summary.sections.iter().map(|section| section.ns).sum();
        prop_assert_eq!(of_sections, summary.cpus.iter().map(|cpu| cpu.interrupts_ns + cpu.softirqs_ns).sum::<u64>());
    }

    #[test]
    fn shares_of_every_late_response_sum_to_it(steps in steps()) {
        let (summary, lates) = analysed(&steps);
        let longest = summary.threads.iter().filter_map(|thread| thread.latency.as_ref()).map(|latency| latency.max_ns).max();
        for late in &lates.lates {
            prop_assert!(late.blame.total() > 1_000 && late.blame.total() <= summary.span_ns);
        }
        if let Some(longest) = longest.filter(|longest| *longest > 1_000) {
            prop_assert!(lates.lates.iter().any(|late| late.blame.total() == longest));
        }
        let ranked = crate::trace::late::ranking::ranking(&lates.lates);
        let all: u64 = lates.lates.iter().map(|late| late.blame.total()).sum();
        prop_assert_eq!(ranked.iter().map(|ranked| ranked.ns).sum::<u64>(), all);
        prop_assert_eq!(ranked.iter().map(|ranked| ranked.largest_in).sum::<u64>(), lates.lates.len() as u64);
    }

    #[test]
    fn whatever_the_events_nothing_panics_and_no_processor_does_more_than_it_can(
        steps in proptest::collection::vec((any::<u32>(), 0u32..5, 0u8..6, any::<i32>(), any::<bool>()), 0..200),
    ) {
        let mut analysis = Analysis::new(Lates::new(question()));
        let mut at_ns = 0u64;
        for (later, cpu, kind, other, flag) in steps {
            at_ns += u64::from(later);
            let section = Section::Softirq(other as u8);
            let event = match kind {
                0 => Event::Switch { from: thread(other & 0xff), preempted: flag, to: thread(other >> 24 & 0x7f) },
                1 => Event::Waking { thread: other },
                2 => Event::Enter(section),
                3 => Event::Leave(section),
                4 => Event::TimerStart { timer: other as u64, expiry_ns: at_ns ^ 3 },
                _ => Event::TimerExpire { timer: other as u64 },
            };
            let stamped = Stamped { at_ns, thread: other & 0xff, in_thread: flag, to_switch: !flag, event };
            if later % 50 == 0 { analysis.gap(cpu, at_ns) } else { analysis.event(cpu, &stamped) };
        }
        let (summary, lates) = analysis.finish();
        for cpu in &summary.cpus {
            prop_assert!(cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns <= summary.span_ns);
        }
        for thread in &summary.threads {
            let states = thread.running_ns + thread.ready_ns + thread.preempted_ns + thread.waiting_ns + thread.unknown_ns;
            prop_assert_eq!(states, summary.span_ns);
        }
        prop_assert!(lates.lates.iter().all(|late| late.blame.total() > 1_000));
    }
}

fn by(at_ns: u64, thread: i32, event: Event) -> Stamped {
    Stamped { at_ns, thread, in_thread: true, to_switch: false, event }
}

fn switch(at_ns: u64, from: i32, preempted: bool, to: i32) -> Stamped {
    by(at_ns, from, Event::Switch { from: thread(from), preempted, to: thread(to) })
}

#[test]
fn an_interrupt_is_taken_out_of_the_thread_that_it_hit() {
    let mut analysis = Analysis::new(());
    let timer = Section::Interrupt(Name::new(b"timer"));
    let events = [
        switch(1_000, 0, true, 5),
        by(3_000, 5, Event::Enter(timer)),
        by(3_500, 5, Event::Waking { thread: 6 }),
        by(4_000, 5, Event::Leave(timer)),
        switch(6_000, 5, false, 6),
        switch(9_000, 6, false, 0),
    ];
    events.iter().for_each(|event| analysis.event(0, event));
    let (summary, ()) = analysis.finish();
    let found = |id: i32| summary.threads.iter().find(|thread| thread.id == id).unwrap();
    assert_eq!((found(5).cpu_ns, found(5).interrupted_ns, found(5).running_ns), (4_000, 1_000, 5_000));
    assert_eq!((found(6).ready_ns, found(6).latency.as_ref().unwrap().max_ns), (2_500, 2_500));
    assert_eq!((summary.sections[0].name.as_str(), summary.sections[0].ns), ("timer", 1_000));
    assert_eq!((summary.took_part, summary.span_ns), (2, 8_000));
}

#[test]
fn a_boost_names_who_waited_and_a_waiting_thread_names_who_ended_it() {
    let mut analysis = Analysis::new(());
    let events = [
        switch(1_000, 7, false, 8),
        by(2_000, 8, Event::Inherit { thread: 9, from: 120, to: 39 }),
        by(3_000, 8, Event::Waking { thread: 7 }),
    ];
    events.iter().for_each(|event| analysis.event(0, event));
    let (summary, ()) = analysis.finish();
    let found = |id: i32| summary.threads.iter().find(|thread| thread.id == id).unwrap();
    assert_eq!((found(9).boosts[0].by.as_str(), found(9).boosts[0].to), ("t8 (8)", 39));
    let waited = &found(7).waited_for[0];
    assert_eq!((waited.what.as_str(), waited.count, waited.ns), ("t8 (8)", 1, 2_000));
}
