// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses that a tool measured itself: timerlat's and osnoise's own events, and the mark of a program that stops the trace.
//!
//! The figures are the tool's own; the events around them show who used the time. timerlat's thread latency is divided like in
//! `rtla timerlat`: what delayed timerlat's interrupt, that interrupt and others, and the threads that had the CPU before
//! timerlat's thread.
use crate::blame::behind::{Untold, Verdict};
use crate::blame::window::Window;
use crate::blame::{Blame, Cause, Culprit, More};
use crate::event::{Event, Name, Noise, Stamped, Thread, ToolFigure};
use crate::late::lates::{Late, Lates};
use crate::processor::{Holder, Processor};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const CPUS_MAX: usize = 512;
const NOISES_MAX: usize = 256;
const THREADS_MAX: usize = 4_096;
/// Resolution of the stamps in a text recording: 1 us.
const GRAIN_NS: u64 = 1_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Measures {
    cpus: BTreeMap<u32, Cpu>,
    /// Threads whose responses timerlat reports; their wakeups do not count as responses.
    threads: BTreeSet<i32>,
}

#[derive(Clone, Debug, Default)]
struct Cpu {
    irq: Option<Irq>,
    noises: VecDeque<Kept>,
    /// A thread latency whose stack may still follow. After the next thread latency, no stack of this one can follow.
    pending: Option<Pending>,
    wakes: bool,
    returned: Option<(i32, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Irq {
    at_ns: u64,
    ns: u64,
    upon: Thread,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    by: Noise,
    from_ns: u64,
    ns: u64,
}

impl Kept {
    fn to_ns(self) -> u64 {
        self.from_ns.saturating_add(self.ns)
    }
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    thread: Thread,
    at_ns: u64,
    ns: u64,
    irq: Option<Irq>,
    verdict: Option<Verdict>,
}

impl Measures {
    fn cpu(&mut self, cpu: u32) -> Option<&mut Cpu> {
        if self.cpus.len() >= CPUS_MAX && !self.cpus.contains_key(&cpu) {
            return None;
        }
        Some(self.cpus.entry(cpu).or_default())
    }

    /// Whether a tool reports the responses of the thread made ready here.
    #[inline]
    pub(super) fn tells_of(&mut self, cpu: u32, thread: i32, stamped: &Stamped) -> bool {
        if self.cpus.is_empty() {
            return false;
        }
        if let Some(own) = self.cpus.get_mut(&cpu)
            && own.wakes
            && !stamped.in_thread
        {
            own.wakes = false;
            self.keep(thread);
        }
        self.threads.contains(&thread)
    }

    fn keep(&mut self, thread: i32) {
        if self.threads.len() < THREADS_MAX {
            self.threads.insert(thread);
        }
    }

    pub(super) fn returned(&mut self, cpu: u32, stamped: &Stamped) {
        if let Some(cpu) = self.cpu(cpu) {
            cpu.returned = Some((stamped.thread, stamped.at_ns));
        }
    }
}

impl Cpu {
    fn noise(&mut self, noise: Kept) {
        if self.noises.len() == NOISES_MAX {
            self.noises.pop_front();
        }
        self.noises.push_back(noise);
    }

    fn blame(&self, Pending { thread, at_ns, ns, irq, verdict }: &Pending) -> Blame {
        let mut parts = Parts { blame: Blame::default(), left_ns: *ns };
        let begin_ns = at_ns.saturating_sub(*ns);
        let irq_at = irq.map_or(begin_ns, |irq| irq.at_ns);
        let within = |noise: &&Kept| noise.to_ns() > begin_ns && noise.from_ns < at_ns + GRAIN_NS;
        let (before, after): (Vec<&Kept>, Vec<&Kept>) =
            self.noises.iter().filter(within).partition(|noise| noise.to_ns() <= irq_at);
        if let Some(irq) = irq {
            let mut late_ns = irq.ns.min(*ns);
            for noise in before.into_iter().filter(|noise| matches!(noise.by, Noise::Section(_))) {
                let ns = noise.ns.min(late_ns);
                late_ns -= ns;
                parts.add_noise(noise, thread, ns);
            }
            let upon = Some(irq.upon).filter(|upon| upon.id != 0);
            let upon = upon.map(|upon| if upon.is_number() { self.named(upon) } else { upon });
            let (cause, culprit) = why_late(upon, irq.upon.id == 0, *verdict);
            parts.add(cause, culprit, late_ns);
        }
        for noise in after {
            parts.add_noise(noise, thread, noise.ns);
        }
        parts.whole()
    }

    fn named(&self, thread: Thread) -> Thread {
        let named = self.noises.iter().rev().find_map(|noise| match noise.by {
            Noise::Thread(other) if other.id == thread.id => Some(other),
            _ => None,
        });
        named.unwrap_or(thread)
    }

    fn gap(&self, thread: &Thread, from_ns: u64, ns: u64) -> Blame {
        let mut parts = Parts { blame: Blame::default(), left_ns: ns };
        let to_ns = from_ns.saturating_add(ns);
        let within = |noise: &&Kept| noise.from_ns >= from_ns && noise.from_ns < to_ns;
        self.noises.iter().filter(within).for_each(|noise| parts.add_noise(noise, thread, noise.ns));
        parts.whole()
    }
}

fn why_late(upon: Option<Thread>, idle: bool, verdict: Option<Verdict>) -> (Cause, Option<Culprit>) {
    let holder = upon.map_or(Holder::Unknown, Holder::Thread);
    match verdict.unwrap_or(Verdict::Untold(Untold::NoStack)) {
        Verdict::Masked { function, caller } => {
            (Cause::Masked, Some(Culprit { holder, more: More::Masking { function, caller } }))
        }
        _ if idle => (Cause::IdleExit, None),
        Verdict::Below => (Cause::Below, Some(holder.into())),
        Verdict::Untold(untold) => (Cause::Late, Some(Culprit { holder, more: More::Untold(untold) })),
    }
}

/// The shares of a measurement; together at most the measured time.
struct Parts {
    blame: Blame,
    left_ns: u64,
}

impl Parts {
    fn add(&mut self, cause: Cause, culprit: Option<Culprit>, ns: u64) {
        let ns = ns.min(self.left_ns);
        self.left_ns -= ns;
        self.blame.add(cause, culprit.filter(|_| cause.has_culprit()), ns);
    }

    fn add_noise(&mut self, noise: &Kept, own: &Thread, ns: u64) {
        let (cause, culprit) = match noise.by {
            Noise::Section(section) => (Cause::Interference, Some(Holder::Section(section).into())),
            Noise::Thread(thread) if thread.id == own.id => return,
            Noise::Thread(Thread { id: 0, .. }) => (Cause::Dispatch, None),
            Noise::Thread(thread) => (Cause::Blocking, Some(Holder::Thread(thread).into())),
        };
        self.add(cause, culprit, ns);
    }

    fn whole(mut self) -> Blame {
        self.blame.add(Cause::Unexplained, None, self.left_ns);
        self.blame.sort();
        self.blame
    }
}

fn own_thread(tracer: &str, cpu: u32, id: i32, processor: &Processor) -> Thread {
    let known = processor.thread().filter(|thread| thread.id == id && !thread.is_number());
    known.unwrap_or_else(|| Thread { name: Name::new(format!("{tracer}/{cpu}").as_bytes()), ..Thread::numbered(id) })
}

impl Lates {
    #[cold]
    #[inline(never)]
    fn tool_measured(&mut self, cpu: u32, stamped: Stamped, what: ToolFigure, processor: &Processor) {
        if let ToolFigure::Mark { ns } = what {
            return self.program_measured(cpu, stamped, ns, processor);
        }
        let to_end = self.question.to_end;
        let Some(own) = self.measures.cpu(cpu) else { return };
        match what {
            ToolFigure::Irq { ns } => {
                let upon = processor.thread().filter(|thread| thread.id == stamped.thread);
                let upon = upon.unwrap_or(Thread::numbered(stamped.thread));
                let irq = Irq { at_ns: stamped.at_ns, ns, upon };
                let before = own.pending.take();
                let blame = before.map(|before| own.blame(&before));
                (own.irq, own.wakes) = (Some(irq), true);
                before.into_iter().zip(blame).for_each(|(before, blame)| self.timerlat_told(cpu, before, blame));
            }
            ToolFigure::Thread { ns } | ToolFigure::User { ns } => {
                let is_user = matches!(what, ToolFigure::User { .. });
                if is_user && !to_end {
                    return;
                }
                let before = own.pending.take().filter(|_| !is_user);
                let blame = before.map(|before| own.blame(&before));
                let thread = own_thread("timerlat", cpu, stamped.thread, processor);
                let irq = if is_user { own.irq } else { own.irq.take_if(|irq| irq.ns <= ns) };
                if !is_user && to_end {
                    own.irq = irq;
                }
                own.pending = Some(Pending { thread, at_ns: stamped.at_ns, ns, irq, verdict: None });
                self.measures.keep(stamped.thread);
                before.into_iter().zip(blame).for_each(|(before, blame)| self.timerlat_told(cpu, before, blame));
            }
            ToolFigure::Noise { by, from_ns, ns } => own.noise(Kept { by, from_ns, ns }),
            ToolFigure::Gap { from_ns, ns } => {
                let thread = own_thread("osnoise", cpu, stamped.thread, processor);
                let blame = own.gap(&thread, from_ns, ns);
                self.tool_told(Late {
                    thread,
                    cpu,
                    at_ns: from_ns,
                    latency_ns: ns,
                    timed: false,
                    locked: false,
                    blame,
                });
            }
            ToolFigure::Mark { .. } => {}
        }
    }

    #[cold]
    #[inline(never)]
    fn stack_of_timerlat(&mut self, cpu: u32, thread: i32, verdict: Verdict) {
        let own = self.measures.cpus.get_mut(&cpu).and_then(|cpu| cpu.pending.as_mut());
        own.into_iter().filter(|own| own.thread.id == thread).for_each(|own| own.verdict = Some(verdict));
    }

    #[inline]
    fn has_measures(&self) -> bool {
        !self.measures.cpus.is_empty()
    }

    pub(super) fn end_measures(&mut self) {
        let pending: Vec<(u32, Pending, Blame)> = self
            .measures
            .cpus
            .iter_mut()
            .filter_map(|(cpu, own)| {
                let pending = own.pending.take()?;
                Some((*cpu, pending, own.blame(&pending)))
            })
            .collect();
        pending.into_iter().for_each(|(cpu, pending, blame)| self.timerlat_told(cpu, pending, blame));
    }

    fn timerlat_told(&mut self, cpu: u32, Pending { thread, at_ns, ns, .. }: Pending, blame: Blame) {
        let at_ns = at_ns.saturating_sub(ns);
        self.tool_told(Late { thread, cpu, at_ns, latency_ns: ns, timed: true, locked: false, blame });
    }

    /// A program stopped the trace because of a long response. The response ended when the program's sleep returned, if that is
    /// recorded, otherwise at the mark.
    fn program_measured(&mut self, cpu: u32, stamped: Stamped, ns: u64, processor: &Processor) {
        let Some(thread) = processor.thread().filter(|thread| thread.id == stamped.thread) else { return };
        let returned = self.measures.cpu(cpu).and_then(|cpu| cpu.returned);
        let earliest_ns = stamped.at_ns.saturating_sub(ns);
        let returned = returned.filter(|(id, at)| *id == thread.id && *at > earliest_ns).map(|(_, at)| at);
        let end_ns = returned.unwrap_or(stamped.at_ns);
        let begin_ns = end_ns.saturating_sub(ns);
        let own = |stretch: &crate::processor::Stretch| stretch.thread.is_some_and(|own| own.id == thread.id);
        let came_ns =
            processor.window(begin_ns, end_ns).into_iter().find(own).map_or(end_ns, |stretch| stretch.from_ns);
        let known = self.threads.known(thread.id).and_then(|followed| followed.came_at());
        let counted = known.is_some_and(|at| (begin_ns..=end_ns).contains(&at));
        let is_told =
            self.lates.iter().rev().take(64).any(|late| late.thread.id == thread.id && late.at_ns >= begin_ns);
        if is_told {
            return;
        }
        let window = Window { stay: processor.stay_at(begin_ns), ..Window::ready(Some(thread), begin_ns, came_ns) };
        let blame = crate::blame::explain::explain(&window, processor, end_ns);
        self.responses = self.responses.saturating_sub(u64::from(counted));
        self.tool_told(Late { thread, cpu, at_ns: begin_ns, latency_ns: ns, timed: true, locked: false, blame });
    }

    /// Counts a response that a tool measured. A thread without a recorded priority counts as real-time.
    fn tool_told(&mut self, late: Late) {
        let whose = &self.question.whose;
        let is_chosen = whose.has(late.thread.id, Some(late.thread)) == Some(true)
            || (late.thread.is_number() && whose.is_real_time());
        if !is_chosen || self.told.is_some() {
            return;
        }
        self.responses += 1;
        if late.latency_ns > self.question.above_ns {
            self.take(late, true);
        }
    }

    #[inline]
    pub(super) fn measures(&mut self, cpu: u32, stamped: &Stamped, processor: &Processor) {
        match stamped.event {
            Event::Measured(what) => self.tool_measured(cpu, *stamped, what, processor),
            Event::Stack(verdict) if self.has_measures() => self.stack_of_timerlat(cpu, stamped.thread, verdict),
            Event::SleepEnd => self.measures.returned(cpu, stamped),
            _ => {}
        }
    }
}
