// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides response times into causes. The times were measured outside the device, from a stimulus on a line to the edge that
//! answers it.
//!
//! The scope and the trace must use one clock, as in the lab. The thread that had the CPU at the answer's edge is the answering
//! thread. Its last wakeup before it got the CPU is the wakeup of the response. The last interrupt before that wakeup is the
//! interrupt of the response.
use super::lates::{Late, Lates, Question};
use super::whose::Whose;
use crate::account::analysis::Listener;
use crate::blame::explain::explain;
use crate::blame::window::Window;
use crate::event::{Event, Name, Section, Stamped, Thread};
use crate::processor::Processor;

/// A stimulus and the edge that answers it, on the trace's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The stimulus.
    pub from: u64,
    /// The answer; never before the stimulus.
    pub start: u64,
    /// The end of the answer, if requested; otherwise the answer itself.
    pub to: u64,
}

/// At most this many wakeups, and as many interrupts, are kept for one window; further ones are ignored.
const KEPT: usize = 4_096;

/// Explains each answer in a recording of one CPU.
#[derive(Clone, Debug)]
pub struct Answered {
    answers: Vec<Answer>,
    next: usize,
    wakings: Vec<(u64, i32)>,
    entries: Vec<(u64, Name)>,
    first_ns: Option<u64>,
    lates: Lates,
}

impl Answered {
    /// `answers` are in time order; an answer that takes longer than `above` ns is late.
    pub fn new(answers: Vec<Answer>, above: u64) -> Self {
        let question = Question { above_ns: above, whose: Whose::All, timers: false, marks: false, to_end: false };
        let (wakings, entries) = (Vec::new(), Vec::new());
        Self { answers, next: 0, wakings, entries, first_ns: None, lates: Lates::new(question) }
    }

    /// The result. Answers after the end of the recording count as unseen.
    pub fn finish(mut self) -> Lates {
        self.lates.unseen += (self.answers.len() - self.next) as u64;
        self.lates
    }

    fn until(&mut self, at_ns: u64, cpu: u32, processor: &Processor) {
        while let Some(answer) = self.answers.get(self.next).copied().filter(|answer| answer.to < at_ns) {
            self.next += 1;
            match self.window(answer, processor) {
                Some((thread, window)) => self.divide(answer, thread, &window, cpu, processor),
                None => self.lates.unseen += 1,
            }
            let old = self.answers.get(self.next).map_or(at_ns, |next| next.from);
            self.wakings.retain(|(at, _)| *at >= old);
            self.entries.retain(|(at, _)| *at >= old);
        }
    }

    /// How the answering thread got its CPU. `None` if the recording begins after the stimulus, or if no thread answered.
    fn window(&self, answer: Answer, processor: &Processor) -> Option<(Thread, Window)> {
        self.first_ns.filter(|first| *first <= answer.from)?;
        let stretches = processor.window(answer.from, answer.start);
        let last = stretches.last().filter(|last| last.section.is_none())?;
        let thread = last.thread.filter(|thread| thread.id != 0)?;
        let came_ns =
            stretches.iter().filter(|stretch| stretch.stay == last.stay).map(|stretch| stretch.from_ns).min()?;
        let of_thread = |(at, id): &&(u64, i32)| *id == thread.id && (answer.from..=came_ns).contains(at);
        let ready_ns = self.wakings.iter().rev().find(of_thread).map_or(came_ns, |(at, _)| *at);
        let entry = self.entries.iter().rev().find(|(at, _)| (answer.from..=ready_ns).contains(at));
        let interrupt_ns = entry.map_or(ready_ns, |(at, _)| *at);
        let line = entry.map(|(_, line)| *line);
        let window = Window {
            from_ns: answer.from,
            due_ns: answer.from,
            interrupt_ns,
            line,
            stay: processor.stay_at(ready_ns),
            works_from: (answer.start < answer.to).then_some(answer.start),
            ..Window::ready(Some(thread), ready_ns, came_ns)
        };
        Some((thread, window))
    }

    fn divide(&mut self, answer: Answer, thread: Thread, window: &Window, cpu: u32, processor: &Processor) {
        self.lates.responses += 1;
        let latency_ns = answer.to - answer.from;
        if latency_ns > self.lates.question().above_ns {
            let blame = explain(window, processor, answer.to);
            let late = Late { thread, cpu, at_ns: answer.from, latency_ns, timed: false, locked: false, blame };
            self.lates.take(late, true);
        }
    }
}

impl Listener for Answered {
    fn event(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        self.until(stamped.at_ns, cpu, processor);
        self.first_ns.get_or_insert(stamped.at_ns);
        match stamped.event {
            Event::Waking { thread } if self.wakings.len() < KEPT => self.wakings.push((stamped.at_ns, thread)),
            Event::Enter(Section::Interrupt(name)) if self.entries.len() < KEPT => {
                self.entries.push((stamped.at_ns, name));
            }
            _ => {}
        }
    }

    fn gap(&mut self, _: u32, _: u64) {
        self.wakings.clear();
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::analysis::Analysis;
    use crate::blame::Cause;
    use crate::read::receiver::Receiver;

    fn thread(id: i32, priority: i32) -> Thread {
        Thread { id, priority, name: Name::new(b"t") }
    }

    // An interrupt at 120 wakes thread 7 at 130, ends at 150; the switch to 7 is at 180.
    fn played(answers: &[Answer]) -> Lates {
        let line = Section::Interrupt(Name::new(b"parport0"));
        let switch = |from, to| Event::Switch { from, preempted: true, to };
        let (low, high) = (thread(5, 120), thread(7, 50));
        let events = [
            (10, 0, switch(thread(0, 120), low)),
            (120, 5, Event::Enter(line)),
            (130, 5, Event::Waking { thread: 7 }),
            (150, 5, Event::Leave(line)),
            (180, 5, switch(low, high)),
            (400, 7, switch(high, low)),
        ];
        let mut analysis = Analysis::new(Answered::new(answers.to_vec(), 0));
        for (at_ns, thread, event) in events {
            let in_thread = matches!(event, Event::Switch { .. });
            analysis.event(0, &Stamped { at_ns, thread, in_thread, to_switch: false, event });
        }
        analysis.finish().1.finish()
    }

    #[test]
    fn the_shares_of_a_window_sum_to_what_the_scope_measured() {
        let lates = played(&[Answer { from: 100, start: 250, to: 250 }]);
        assert_eq!((lates.responses, lates.late, lates.unseen), (1, 1, 0));
        let late = &lates.lates[0];
        assert_eq!((late.latency_ns, late.blame.total(), late.thread.id), (150, 150, 7));
        let unexplained = late.blame.shares.iter().filter(|share| share.cause == Cause::Unexplained).count();
        assert_eq!(unexplained, 0, "{late:?}");
    }

    #[test]
    fn from_the_answer_to_its_end_it_is_the_threads_own_run_time() {
        let lates = played(&[Answer { from: 100, start: 250, to: 390 }]);
        let late = &lates.lates[0];
        assert_eq!((late.latency_ns, late.blame.total()), (290, 290));
        let own = late.blame.shares[0];
        assert_eq!((own.cause, own.ns), (Cause::OwnRun, 140), "{late:?}");
    }

    #[test]
    fn an_answer_that_no_thread_gave_or_that_the_recording_does_not_hold_is_not_seen() {
        let early = Answer { from: 5, start: 60, to: 60 };
        let in_the_interrupt = Answer { from: 110, start: 140, to: 140 };
        let beyond = Answer { from: 390, start: 500, to: 500 };
        let lates = played(&[early, in_the_interrupt, beyond]);
        assert_eq!((lates.responses, lates.unseen), (0, 3));
    }
}
