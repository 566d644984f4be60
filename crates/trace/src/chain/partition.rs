// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides the latency of an instance by hop, and by who used the time.
//!
//! The hand-over times cut an instance into hops without gaps, so the parts sum to the latency. Within a hop, the thread's states
//! cut further: running, ready, asleep. A sleep is divided by the states of the thread that ended it, and so on.
use super::instance::{How, Instance, Visit};
use super::states::{Histories, Segment, State, Waker};
use crate::account::analysis::Processors;
use crate::blame::division::Division;
use crate::blame::explain::divide_each;
use crate::blame::summed::divide_past;
use crate::blame::told::Naming;
use crate::blame::window::Window;
use crate::blame::{Cause, Culprit, More};
use crate::event::Thread;
use crate::processor::{Holder, Processor};
use crate::thread::limits::Limits;

const WAITS_MAX: usize = 8;
// At most this many parts are kept for an instance. If there are more, each hop becomes one part.
const PARTS_MAX: usize = 4_096;
// A busy machine has thousands of stretches in one wait. If a wait has more than this, its parts are sorted by size and not by
// time, unless the caller asked for the order of time.
const IN_ORDER_MAX: u64 = 256;
const CULPRITS_MAX: usize = 64;

/// What a hop was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The time from the start to the first hop's wakeup.
    Start,
    /// Ready, waiting for a CPU.
    Ready,
    /// On a CPU.
    Own,
    /// Asleep during its work: waiting for another thread.
    Waits,
    /// The instance was handed over, but the hop was busy with an earlier one.
    Busy,
    /// The instance waited until a polling hop looked again.
    Polls,
    /// Between the previous hop and a softirq: another system prepared the answer.
    Outside,
    /// A softirq or a kworker ran.
    Section,
    /// The recording does not show what the hop did.
    Unseen,
}

impl Step {
    /// The value in stored records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Ready => "ready",
            Self::Own => "own",
            Self::Waits => "waits",
            Self::Busy => "busy",
            Self::Polls => "polls",
            Self::Outside => "outside",
            Self::Section => "section",
            Self::Unseen => "unseen",
        }
    }
}

/// A part of an instance's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the hop, from 1; 0 for the time before the first hop.
    pub hop: usize,
    /// What the hop was doing.
    pub step: Step,
    /// The cause, if somebody else used the time.
    pub cause: Option<Cause>,
    /// Who used the time.
    pub culprit: Option<Culprit>,
    /// When the part begins.
    pub from_ns: u64,
    /// When the part ends.
    pub to_ns: u64,
    /// The CPU, if the part concerns one.
    pub cpu: Option<u32>,
}

impl Part {
    /// Length of the part.
    pub fn ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Converts the culprit to the form that a run stores. Threads with the same name stay separate, by number.
    pub fn told_culprit(&self) -> Option<backwall_model::Culprit> {
        self.culprit.map(|culprit| Naming::default().numbered().culprit(culprit))
    }
}

pub(super) struct Divider<'a, 'b> {
    states: &'a Histories,
    limits: &'a Limits,
    processors: &'a Processors<'b>,
    in_order: bool,
    parts: Vec<Part>,
    hop: usize,
}

impl<'a, 'b> Divider<'a, 'b> {
    pub(super) fn new(states: &'a Histories, limits: &'a Limits, processors: &'a Processors<'b>) -> Self {
        Self { states, limits, processors, in_order: false, parts: Vec::new(), hop: 0 }
    }

    // Keeps all parts, in order of time.
    pub(super) fn all_in_order(self) -> Self {
        Self { in_order: true, ..self }
    }

    pub(super) fn divide(mut self, instance: &Instance) -> Vec<Part> {
        let first_ns = instance.visits.first().map_or(instance.start_ns, |visit| visit.arrived_ns);
        self.start(instance, first_ns);
        for (number, visit) in instance.visits.iter().enumerate() {
            self.hop = number + 1;
            self.visit(visit);
        }
        self.parts
    }

    fn start(&mut self, instance: &Instance, to_ns: u64) {
        let (origin, from_ns) = (instance.origin, instance.start_ns);
        let interrupt_ns = origin.interrupt_ns.clamp(from_ns, to_ns.max(from_ns));
        let window = Window {
            from_ns,
            due_ns: origin.due_ns.max(from_ns),
            waits_from: origin.armed_ns,
            interrupt_ns,
            line: origin.line,
            stay: origin.stay,
            thread: instance.visits.first().map(|visit| self.states.thread(visit.thread)),
            ..Window::ready(None, to_ns, to_ns)
        };
        self.on_cpu(Step::Start, &window, Some(origin.cpu), from_ns, to_ns);
    }

    fn visit(&mut self, visit: &Visit) {
        let Visit { thread, how, arrived_ns, taken_ns, handed_ns } = *visit;
        match how {
            How::Section => {
                self.add(Step::Outside, None, None, arrived_ns, taken_ns, None);
                self.add(Step::Section, None, None, taken_ns, handed_ns, None);
            }
            How::Polled => {
                self.add(Step::Polls, None, None, arrived_ns, taken_ns, None);
                self.along(thread, None, taken_ns, handed_ns);
            }
            How::Woken | How::Inferred => {
                self.along(thread, Some(Step::Busy), arrived_ns, taken_ns);
                self.along(thread, None, taken_ns, handed_ns);
            }
        }
    }

    /// Adds the parts of a thread's states in this time. If `step` is given, each part has this step, whatever the thread did.
    fn along(&mut self, id: i32, step: Option<Step>, from_ns: u64, to_ns: u64) {
        if from_ns >= to_ns {
            return;
        }
        let thread = self.states.thread(id);
        let Some(history) = self.states.known(id) else {
            return self.add(step.unwrap_or(Step::Unseen), None, None, from_ns, to_ns, None);
        };
        for segment in history.segments(from_ns, to_ns) {
            self.segment(thread, step, segment);
        }
    }

    fn segment(&mut self, thread: Thread, step: Option<Step>, segment: Segment) {
        let Segment { from_ns, to_ns, cpu, state, ended_by } = segment;
        match state {
            State::Unknown => self.add(step.unwrap_or(Step::Unseen), None, None, from_ns, to_ns, None),
            State::Runs => {
                let window = Window { works_from: Some(from_ns), ..Window::ready(Some(thread), from_ns, from_ns) };
                self.on_cpu(step.unwrap_or(Step::Own), &window, Some(cpu), from_ns, to_ns);
            }
            State::Ready(_) | State::Preempted => {
                let window = self.waiting(thread, cpu, from_ns, to_ns);
                self.on_cpu(step.unwrap_or(Step::Ready), &window, Some(cpu), from_ns, to_ns);
            }
            State::Sleeps => {
                self.waits(step.unwrap_or(Step::Waits), ended_by, from_ns, to_ns, &mut vec![thread.id]);
            }
        }
    }

    fn waiting(&self, thread: Thread, cpu: u32, from_ns: u64, to_ns: u64) -> Window {
        let stay = (self.processors)(cpu).and_then(|processor| processor.stay_at(from_ns));
        let used_up = self.limits.any().then(|| self.limits.used_up(&thread, from_ns, to_ns)).flatten();
        Window { stay, used_up, ..Window::ready(Some(thread), from_ns, to_ns) }
    }

    fn on_cpu(&mut self, step: Step, window: &Window, cpu: Option<u32>, from_ns: u64, to_ns: u64) {
        if from_ns >= to_ns {
            return;
        }
        let processor = cpu.and_then(self.processors).filter(|_| self.parts.len() < PARTS_MAX);
        let Some(processor) = processor else {
            return self.add(step, Some(Cause::Unexplained), None, from_ns, to_ns, cpu);
        };
        if !self.in_order && processor.stretches_in(from_ns, to_ns) > IN_ORDER_MAX {
            return self.by_size(step, window, cpu, (from_ns, to_ns), processor);
        }
        let mut at_ns = from_ns;
        divide_each(window, processor.window(from_ns, to_ns), |part| {
            self.add(step, Some(Cause::Unexplained), None, at_ns, part.from_ns, cpu);
            self.add(step, Some(part.cause), part.culprit, part.from_ns.max(at_ns), part.to_ns, cpu);
            at_ns = at_ns.max(part.to_ns);
        });
        self.add(step, Some(Cause::Unexplained), None, at_ns, to_ns, cpu);
    }

    /// A part for each cause and culprit, the largest first. After `CULPRITS_MAX` of them, one part per cause for all the rest.
    fn by_size(
        &mut self,
        step: Step,
        window: &Window,
        cpu: Option<u32>,
        (from_ns, to_ns): (u64, u64),
        processor: &Processor,
    ) {
        let (mut all, mut others) = (Division::default(), Division::default());
        divide_past((&mut all, &mut ()), window, processor, (from_ns, to_ns), |thread| thread);
        let mut shares = all.sorted();
        let beyond = shares.split_off(CULPRITS_MAX.min(shares.len()));
        beyond.iter().for_each(|share| others.add(share.cause, None, share.ns));
        let mut at_ns = from_ns;
        for share in shares.into_iter().chain(others.sorted()) {
            let until_ns = (at_ns + share.ns).min(to_ns);
            self.add(step, Some(share.cause), share.culprit, at_ns, until_ns, cpu);
            at_ns = until_ns;
        }
        self.add(step, Some(Cause::Unexplained), None, at_ns, to_ns, cpu);
    }

    fn waits(&mut self, step: Step, by: Waker, from_ns: u64, to_ns: u64, seen: &mut Vec<i32>) {
        let by = match by {
            Waker::Thread(by) => by,
            Waker::Section(section) => {
                return self.add(step, None, Some(Holder::Section(section).into()), from_ns, to_ns, None);
            }
            Waker::Unknown => return self.add(step, None, None, from_ns, to_ns, None),
        };
        let waker = self.states.thread(by);
        let whole = Some(Culprit::from(Holder::Thread(waker)));
        let history = self.states.known(by).filter(|_| seen.len() < WAITS_MAX && !seen.contains(&by));
        let Some(history) = history else { return self.add(step, None, whole, from_ns, to_ns, None) };
        seen.push(by);
        for segment in history.segments(from_ns, to_ns) {
            let (from_ns, to_ns) = (segment.from_ns, segment.to_ns);
            match segment.state {
                State::Sleeps => self.waits(step, segment.ended_by, from_ns, to_ns, seen),
                State::Ready(_) | State::Preempted => self.kept(step, waker, &segment),
                _ => self.add(step, None, whole, from_ns, to_ns, Some(segment.cpu)),
            }
        }
        seen.pop();
    }

    fn kept(&mut self, step: Step, waker: Thread, segment: &Segment) {
        let Segment { from_ns, to_ns, cpu, .. } = *segment;
        let Some(processor) = (self.processors)(cpu) else {
            return self.add(step, None, Some(Holder::Thread(waker).into()), from_ns, to_ns, None);
        };
        let mut at_ns = from_ns;
        for stretch in processor.window(from_ns, to_ns) {
            let holder = match stretch.holder() {
                Holder::Unknown | Holder::Idle => Culprit::from(Holder::Thread(waker)),
                holder => Culprit { holder, more: More::WhileHeldBy(waker) },
            };
            self.add(step, None, Some(holder), stretch.from_ns.max(at_ns), stretch.to_ns, Some(cpu));
            at_ns = at_ns.max(stretch.to_ns);
        }
        self.add(step, None, Some(Holder::Thread(waker).into()), at_ns, to_ns, Some(cpu));
    }

    fn add(
        &mut self,
        step: Step,
        cause: Option<Cause>,
        culprit: Option<Culprit>,
        from_ns: u64,
        to_ns: u64,
        cpu: Option<u32>,
    ) {
        if from_ns >= to_ns {
            return;
        }
        let part = Part { hop: self.hop, step, cause, culprit, from_ns, to_ns, cpu };
        let same = |last: &&mut Part| {
            (last.hop, last.step, last.cause, last.culprit, last.cpu) == (part.hop, step, cause, culprit, cpu)
                && last.to_ns == from_ns
        };
        match self.parts.last_mut().filter(same) {
            Some(last) => last.to_ns = to_ns,
            None => self.parts.push(part),
        }
    }
}
