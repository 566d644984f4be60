// SPDX-License-Identifier: MIT OR Apache-2.0
use super::analysis::Analysis;
use super::summary::Summary;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::late::lates::{Lates, Question};
use crate::late::whose::Whose;
use crate::read::receiver::Receiver;
use proptest::prelude::*;

const CPUS: u32 = 2;

fn thread(id: i32) -> Thread {
    let priority = if id == 0 { 120 } else { [49, 120, 120, 39][id as usize % 4] };
    Thread { id, priority, name: Name::new(format!("t{id}").as_bytes()) }
}

// A machine that makes events as a kernel would: every thread is on at most one processor.
struct Machine<R> {
    at_ns: u64,
    on: [i32; CPUS as usize],
    open: [Vec<Section>; CPUS as usize],
    // Whether the thread is ready or preempted. Such a thread cannot be woken.
    ready: [bool; 8],
    lost: [bool; CPUS as usize],
    forgets: bool,
    woken: [u64; 8],
    named: [bool; 8],
    receiver: R,
}

impl<R: Receiver> Machine<R> {
    fn new(receiver: R) -> Self {
        Self {
            at_ns: 1_000,
            on: [0; CPUS as usize],
            open: Default::default(),
            ready: [false; 8],
            lost: Default::default(),
            forgets: false,
            woken: [0; 8],
            named: [false; 8],
            receiver,
        }
    }

    fn say(&mut self, cpu: u32, event: Event) {
        let in_thread = self.open[cpu as usize].is_empty();
        let thread = self.on[cpu as usize];
        if self.lost[cpu as usize] {
            return;
        }
        match event {
            Event::Switch { .. } if std::mem::take(&mut self.forgets) => return,
            Event::Switch { from, to, .. } => [from.id, to.id].iter().for_each(|id| self.named[*id as usize] = true),
            Event::Waking { thread } => self.woken[thread as usize] += 1,
            _ => {}
        }
        self.receiver.event(cpu, &Stamped { at_ns: self.at_ns, thread, in_thread, to_switch: false, event });
    }

    fn step(&mut self, (later, cpu, kind, other, flag): (u64, u32, u8, i32, bool)) {
        self.at_ns += later;
        let here = cpu as usize;
        let timer = Section::Interrupt(Name::new(b"timer"));
        match kind {
            0 if !self.lost[here] && self.open[here].is_empty() && (other == 0 || !self.on.contains(&other)) => {
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
            INHERITS => self.say(cpu, Event::Inherit { thread: other + 1, from: 120, to: 39 }),
            5 if flag => self.lose(cpu),
            5 => self.find(cpu, other),
            FORGETS => self.forgets = flag,
            _ => {}
        }
    }
}

impl<R: Receiver> Machine<R> {
    fn lose(&mut self, cpu: u32) {
        self.lost[cpu as usize] = true;
    }

    // Records this CPU's events again. From now on the CPU has thread `other`, if `other` is on no other CPU.
    fn find(&mut self, cpu: u32, other: i32) {
        if std::mem::take(&mut self.lost[cpu as usize]) {
            self.receiver.gap(cpu, self.at_ns);
            if other == 0 || !self.on.contains(&other) {
                self.ready[self.on[cpu as usize] as usize] = false;
                self.on[cpu as usize] = other;
            }
        }
    }
}

const INHERITS: u8 = 4;

const FORGETS: u8 = 6;

type Step = (u64, u32, u8, i32, bool);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0u64..9_000_000, 0..CPUS, 0u8..5, 0i32..6, any::<bool>()), 1..300)
}

// Like `steps`, but also with lost events and unrecorded switches.
fn damaged_steps(kinds: u8) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0u64..9_000_000, 0..CPUS, 0..kinds, 0i32..6, any::<bool>()), 1..300)
}

fn question() -> Question {
    asked(Whose::All)
}

fn asked(whose: Whose) -> Question {
    Question { above_ns: 1_000, whose, timers: true, marks: true, to_end: false }
}

fn played(whose: Whose, steps: &[Step]) -> Machine<Analysis<Lates>> {
    let mut machine = Machine::new(Analysis::new(Lates::new(asked(whose))));
    steps.iter().for_each(|step| machine.step(*step));
    machine
}

fn analysed(steps: &[Step]) -> (Summary, Lates) {
    played(Whose::All, steps).receiver.finish()
}

proptest! {
    #[test]
    fn nothing_is_left_over_and_nothing_is_booked_twice(steps in damaged_steps(FORGETS)) {
        let (summary, _) = analysed(&steps);
        for cpu in &summary.cpus {
            let known = cpu.idle_ns + cpu.threads_ns + cpu.interrupts_ns + cpu.softirqs_ns;
            prop_assert_eq!(known + cpu.unknown_ns, summary.span_ns, "{:?}", cpu);
        }
        for thread in &summary.threads {
            let states = thread.running_ns + thread.ready_ns + thread.preempted_ns + thread.waiting_ns + thread.unknown_ns;
            prop_assert_eq!(states, summary.span_ns, "{:?}", thread);
            prop_assert_eq!(thread.cpu_ns + thread.interrupted_ns, thread.running_ns, "{:?}", thread);
            prop_assert_eq!(thread.over_time.iter().sum::<u64>(), thread.cpu_ns);
        }
        let of_threads: u64 = summary.threads.iter().map(|thread| thread.cpu_ns).sum();
        prop_assert_eq!(of_threads, summary.cpus.iter().map(|cpu| cpu.threads_ns).sum::<u64>());
        let of_sections: u64 = summary.sections.iter().map(|section| section.ns).sum();
        prop_assert_eq!(of_sections, summary.cpus.iter().map(|cpu| cpu.interrupts_ns + cpu.softirqs_ns).sum::<u64>());
    }

    #[test]
    fn every_response_that_begins_is_counted_once(steps in damaged_steps(FORGETS + 1)) {
        let of = |whose: Whose| {
            let machine = played(whose, &steps);
            let (woken, named) = (machine.woken, machine.named);
            (woken, named, machine.receiver.finish().1)
        };
        let (woken, named, all) = of(Whose::All);
        // A machine with losses may wake a thread that is known to be ready or running. Such a wakeup begins no response.
        let losses = steps.iter().any(|step| step.2 >= 5);
        let due = |lates: &Lates| lates.responses + lates.unseen;
        prop_assert!(due(&all) == woken.iter().sum::<u64>() || losses);
        let (mut sum, mut real_time, mut unnamed) = (0, 0, 0);
        for id in 1..8 {
            let one = due(&of(Whose::Number(id)).2);
            sum += one;
            unnamed += if named[id as usize] { 0 } else { one };
            real_time += if named[id as usize] && thread(id).priority < 100 { one } else { 0 };
            let by_name = of(Whose::Name(format!("t{id}"))).2;
            prop_assert_eq!(due(&by_name), if named[id as usize] { one } else { 0 });
        }
        prop_assert_eq!((sum, all.unnamed), (due(&all), 0));
        let asked = of(Whose::RealTime).2;
        prop_assert_eq!((due(&asked), asked.unnamed), (real_time, unnamed));
        prop_assert_eq!(asked.still_ready > 0, asked.longest_ready.is_some());
    }

    #[test]
    fn shares_of_every_late_response_sum_to_it(steps in damaged_steps(FORGETS + 1)) {
        let (summary, lates) = analysed(&steps);
        for late in &lates.lates {
            prop_assert!(late.latency_ns > 1_000 && late.latency_ns <= summary.span_ns);
            prop_assert_eq!(late.blame.total(), late.latency_ns);
        }
        prop_assert_eq!(lates.worst.as_ref().map(|late| late.latency_ns), lates.lates.iter().map(|late| late.latency_ns).max());
        let ranked = lates.ranking.ranked();
        let all: u64 = lates.lates.iter().map(|late| late.latency_ns).sum();
        prop_assert_eq!(ranked.iter().map(|ranked| ranked.ns).sum::<u64>(), all);
        prop_assert_eq!(ranked.iter().map(|ranked| ranked.largest_in).sum::<u64>(), lates.lates.len() as u64);
    }

    #[test]
    fn the_longest_latency_of_all_threads_is_the_worst_response(mut steps in steps()) {
        // Leaves out threads that lend their priority: such a thread waits for a lock, and its response begins with that wait.
        steps.retain(|(_, _, kind, _, _)| *kind != INHERITS);
        let (summary, lates) = analysed(&steps);
        let longest = summary.threads.iter().filter_map(|thread| thread.latency.as_ref()).map(|latency| latency.max_ns).max();
        let (worst, longest) = (lates.worst.map(|late| late.latency_ns), longest.filter(|longest| *longest > 1_000));
        // If a thread's waker was late itself, the thread's latency includes the waker's lateness.
        let followed = lates.lates.iter().any(|late| !late.blame.wakers.late.is_empty());
        prop_assert!(if followed { worst >= longest } else { worst == longest }, "{worst:?} {longest:?}");
    }

    #[test]
    fn whatever_the_events_nothing_panics_and_no_processor_does_more_than_it_can(
        steps in proptest::collection::vec((any::<u32>(), 0u32..5, 0u8..6, any::<i32>(), any::<bool>()), 0..200),
    ) {
        let mut analysis = Analysis::new(Lates::new(question()));
        let mut at_ns = 1u64;
        for (later, cpu, kind, other, flag) in steps {
            at_ns += u64::from(later);
            let section = Section::Softirq(other as u8);
            let event = match kind {
                0 => Event::Switch { from: thread(other & 0xff), preempted: flag, to: thread(other >> 24 & 0x7f) },
                1 => Event::Waking { thread: other },
                2 => Event::Enter(section),
                3 => Event::Leave(section),
                4 => Event::TimerStart { timer: other as u64, expiry_ns: at_ns ^ 3, slack_ns: 0 },
                _ => Event::TimerExpire { timer: other as u64, function: None },
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
fn a_call_of_another_processor_that_two_events_tell_is_counted_once() {
    let mut analysis = Analysis::new(());
    let call = Section::Interrupt(Name::new(b"IPI"));
    let events = [
        switch(1_000, 0, true, 5),
        by(3_000, 5, Event::Enter(call)),
        by(3_100, 5, Event::Enter(call)),
        by(3_900, 5, Event::Leave(call)),
        by(4_000, 5, Event::Leave(call)),
        switch(6_000, 5, false, 0),
    ];
    events.iter().for_each(|event| analysis.event(0, event));
    let (summary, ()) = analysis.finish();
    let found: Vec<_> =
        summary.sections.iter().map(|section| (section.name.as_str(), section.count, section.ns)).collect();
    assert_eq!(found, [("IPI", 1, 1_000)]);
    assert_eq!(summary.sections[0].longest_ns, 1_000);
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

#[test]
fn a_stamp_that_cannot_be_right_lengthens_nothing() {
    let mut analysis = Analysis::new(());
    let events = [switch(1_000, 0, true, 5), switch(u64::MAX - 7, 5, true, 6), switch(4_000, 5, false, 0)];
    events.iter().for_each(|event| analysis.event(0, event));
    let (summary, ()) = analysis.finish();
    assert_eq!((summary.span_ns, summary.cpus[0].threads_ns), (3_000, 3_000));
    assert!(summary.notes[0].starts_with("1 events claim"), "{:?}", summary.notes);
}

#[test]
fn the_time_of_threads_that_are_not_told_apart_is_in_a_row_of_its_own() {
    let mut analysis = Analysis::new(());
    let threads = (1 << 16) + 50;
    for id in 1..=threads {
        analysis.event(0, &switch(1_000 + id as u64 * 10, id - 1, false, id));
    }
    let (summary, ()) = analysis.finish();
    let others = summary.threads.iter().find(|thread| thread.id == -1).unwrap();
    assert_eq!((others.name.as_str(), others.cpu_ns), ("others", 490));
    assert_eq!(summary.threads.iter().map(|thread| thread.cpu_ns).sum::<u64>(), summary.cpus[0].threads_ns);
    assert_eq!(summary.threads.len() as i32, (1 << 16) + 1);
}
