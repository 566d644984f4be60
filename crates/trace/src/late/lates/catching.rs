// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who used the time of a response.
//!
//! A release that came due during an earlier late response inherits that response's causes for the time that both share. Between
//! the end of the earlier response and the instant when the thread set its timer, the thread ran on, waited for a CPU, or slept;
//! each has its own cause. The sums count only the time that lies in no earlier late response.
use super::Lates;
use crate::blame::accuse::ran_on;
use crate::blame::division::Division;
use crate::blame::explain::Part;
use crate::blame::summed::{Parted, Parts, add, divide_past};
use crate::blame::window::{Absence, Window};
use crate::blame::{Blame, Cause};
use crate::event::Thread;
use crate::late::course::{Course, Off};
use crate::late::followed::{FollowedThread, Stimulus, Threads};
use crate::processor::{Processor, Stretch};
use crate::thread::awaited::SwitchInstants;
use crate::thread::limits::UsedUp;

const FEW_SHARES: u64 = 256;

/// A response to divide, from the start of its thread's own part.
pub(in crate::late) struct Asked<'a> {
    pub(in crate::late) id: i32,
    pub(in crate::late) came: SwitchInstants,
    pub(in crate::late) stimulus: &'a Stimulus,
    pub(in crate::late) cpu: u32,
    pub(in crate::late) until_ns: u64,
    /// When the thread began its own work, if the response lasts to the thread's next sleep.
    pub(in crate::late) works_from: Option<u64>,
    pub(in crate::late) away: Option<Absence>,
    pub(in crate::late) used_up: Option<UsedUp>,
}

impl Asked<'_> {
    pub(super) fn own_at(&self) -> u64 {
        self.stimulus.own_at(&self.came).min(self.until_ns)
    }
}

impl Lates {
    /// The parts of a wait up to now, while the thread has no CPU yet. Without budget for an explanation, the wait is
    /// unexplained.
    pub(super) fn parts_where_allowed(&mut self, asked: &Asked<'_>, processor: &Processor) -> Vec<Part> {
        let (from_ns, to_ns) = (asked.own_at(), asked.until_ns);
        let since_ns = asked.stimulus.moved.as_ref().map_or(from_ns, |moved| moved.at_ns.min(to_ns));
        if self.budget.allows(to_ns - from_ns, || processor.stretches_in(since_ns, to_ns)) {
            let course = self.threads.known(asked.id).and_then(|followed| followed.course.as_deref());
            return self.parted(course, asked, None, (from_ns, to_ns), processor).parts();
        }
        asked.stimulus.parts_and(Cause::Unexplained, from_ns, to_ns)
    }

    /// Divides the time of the response, and adds the response to the late ones of the thread. A response that has not ended is
    /// not added yet, because it is divided again at its end.
    pub(super) fn divided(&mut self, asked: &Asked<'_>, processor: &Processor) -> Blame {
        let own_at = asked.own_at();
        let Some(mut course) = self.threads.of(asked.id).and_then(|followed| followed.course.take()) else {
            // A thread without timers has no history that needs the parts.
            let (mut division, span) = (Division::default(), (own_at, asked.until_ns));
            self.divide((&mut division, &mut ()), None, asked, None, span, processor);
            return whole(division, asked.until_ns - own_at);
        };
        let counts = !self.question.to_end || asked.works_from.is_some();
        let before = (!counts).then(|| course.clone());
        let blame = self.divided_upon(&mut course, asked, own_at, processor);
        if let Some(followed) = self.threads.of(asked.id) {
            followed.course = Some(before.unwrap_or(course));
        }
        blame
    }

    /// Divides the time of a response of a thread with timers, and adds the response to the thread's history.
    fn divided_upon(&self, course: &mut Course, asked: &Asked<'_>, own_at: u64, processor: &Processor) -> Blame {
        let until_ns = asked.until_ns;
        let inherited = course.inherited(own_at).filter(|(_, to_ns)| *to_ns > own_at);
        let inherits = inherited.is_some();
        let set_at = asked.stimulus.timer.map_or(until_ns, |timer| timer.armed_at);
        let after_ns = course.after(inherits, set_at).filter(|_| asked.stimulus.is_timed());
        let (from_ns, to_ns) =
            inherited.map_or((own_at, own_at), |(from_ns, to_ns)| (from_ns.min(until_ns), to_ns.min(until_ns)));
        let since = self.parted(Some(course), asked, after_ns, (to_ns, until_ns), processor);
        if !inherits {
            let blame = whole(since.division.clone(), until_ns - own_at);
            course.take(since, after_ns, inherits, &blame);
            return blame;
        }
        let before = self.parted(Some(course), asked, after_ns, (own_at, from_ns), processor);
        let mut fresh = whole(before.division, from_ns - own_at);
        fresh.join(whole(since.division.clone(), until_ns - to_ns));
        let mut blame = course.sums();
        blame.join(fresh.clone());
        course.take(since, after_ns, inherits, &blame);
        Blame { fresh: Some(fresh.shares), ..blame }
    }

    fn parted(
        &self,
        course: Option<&Course>,
        asked: &Asked<'_>,
        after_ns: Option<u64>,
        span: (u64, u64),
        processor: &Processor,
    ) -> Parted {
        let mut parted = Parted::default();
        self.divide((&mut parted.division, &mut parted.parts), course, asked, after_ns, span, processor);
        parted
    }

    fn divide(
        &self,
        (division, parts): (&mut Division, &mut impl Parts),
        course: Option<&Course>,
        asked: &Asked<'_>,
        after_ns: Option<u64>,
        (from_ns, to_ns): (u64, u64),
        processor: &Processor,
    ) {
        if from_ns >= to_ns {
            return;
        }
        let Asked { came, stimulus, cpu, works_from, away, .. } = *asked;
        let moved = stimulus.moved.iter().flat_map(|moved| moved.parts.iter());
        moved.filter_map(|part| part.within(from_ns, to_ns)).for_each(|part| add((division, parts), &part));
        let mut at_ns = stimulus.moved.as_ref().map_or(from_ns, |moved| moved.at_ns.max(from_ns)).min(to_ns);
        let last = self.last_wait(came, stimulus, cpu, processor).window();
        let late_set = stimulus.timer.filter(|timer| stimulus.moved.is_none() && timer.armed_at > at_ns);
        let ran_ns = late_set.zip(course).and_then(|(timer, course)| course.ran(asked.own_at(), timer.armed_at));
        let used_up = asked.used_up.or(last.used_up);
        let window = Window { after_ns, ran_ns, works_from, away, used_up, ..last };
        if let (Some(timer), Some(course)) = (late_set, course) {
            let mut through = Through { lates: self, window: &window, cpu, processor, division, parts };
            for off in course.offs(at_ns, timer.armed_at.min(to_ns)) {
                through.off(off, at_ns);
                at_ns = at_ns.max(off.came_at);
            }
        }
        divide_past((division, parts), &window, processor, (at_ns, to_ns), |thread| self.named(thread));
    }

    /// A CPU's stretches between two instants. A thread known only by number gets the name that it had when it last left a CPU.
    pub(super) fn named_window(&self, processor: &Processor, from_ns: u64, to_ns: u64) -> Vec<Stretch> {
        let mut stretches = processor.window(from_ns, to_ns);
        stretches
            .iter_mut()
            .filter_map(|stretch| stretch.thread.as_mut())
            .for_each(|thread| *thread = self.named(*thread));
        stretches
    }

    /// A thread; if only its number is known, with the name that it had when it last left a CPU.
    fn named(&self, thread: Thread) -> Thread {
        let named = || self.threads.known(thread.id).and_then(FollowedThread::named);
        if thread.is_number() { named().unwrap_or(thread) } else { thread }
    }
}

/// Number of stretches that an explanation must examine. Inherited shares count as well, except the first 256, because every
/// thread that catches up inherits some.
pub(super) fn stretches_of(threads: &Threads, asked: &Asked<'_>, processor: &Processor) -> u64 {
    let course = threads.known(asked.id).and_then(|followed| followed.course.as_ref());
    let own_at = asked.own_at();
    let from_ns = course.map_or(own_at, |course| course.known_until(own_at));
    let many = course.map_or(0, |course| course.shares().saturating_sub(FEW_SHARES));
    processor.stretches_in(from_ns.min(asked.until_ns), asked.until_ns) + many
}

/// The shares of a duration. The part of the duration that they do not cover is unexplained.
fn whole(mut division: Division, ns: u64) -> Blame {
    division.add(Cause::Unexplained, None, ns.saturating_sub(division.total()));
    Blame::of(division.sorted())
}

/// Divides the time before a thread set its timer.
struct Through<'a, P> {
    lates: &'a Lates,
    window: &'a Window,
    cpu: u32,
    processor: &'a Processor,
    division: &'a mut Division,
    parts: &'a mut P,
}

impl<P: Parts> Through<'_, P> {
    fn off(&mut self, off: &Off, from_ns: u64) {
        let thread = self.window.thread;
        let ran = ran_on(self.window).unwrap_or((Cause::Backlog, None));
        self.part(from_ns, off.left_at, off.left, *self.window, ran);
        self.part(from_ns.max(off.left_at), off.due_at, off.cpu, *self.window, (Cause::NotWaiting, None));
        let wait = Window {
            from_ns: off.due_at,
            due_ns: off.due_at,
            interrupt_ns: off.isr_at,
            // `None` after a preemption, because the scheduler itself had chosen the other thread.
            stay: if off.ready_at > off.left_at { self.processor.stay_at(off.isr_at) } else { None },
            moved_ns: (off.left != off.cpu).then_some(off.ready_at),
            used_up: self.window.used_up,
            ..Window::ready(thread, off.ready_at, off.came_at)
        };
        self.part(from_ns.max(off.due_at), off.came_at, off.cpu, wait, (Cause::Moved, None));
    }

    /// Divides a part with this window. A part on another CPU gets the cause `otherwise`, or quota if the quota was used up.
    fn part(
        &mut self,
        from_ns: u64,
        to_ns: u64,
        cpu: u32,
        window: Window,
        otherwise: (Cause, Option<crate::blame::Culprit>),
    ) {
        if from_ns >= to_ns {
            return;
        }
        if cpu == self.cpu {
            let named = |thread| self.lates.named(thread);
            return divide_past((self.division, self.parts), &window, self.processor, (from_ns, to_ns), named);
        }
        let used_up = window.used_up.filter(|used_up| used_up.has(from_ns));
        let cut_ns = used_up.map_or(from_ns, |used_up| used_up.until_ns.min(to_ns));
        let limit = used_up.map(|used_up| (Cause::Quota, Some(used_up.culprit())));
        let both = [(from_ns, cut_ns, limit.unwrap_or(otherwise)), (cut_ns, to_ns, otherwise)];
        let parts = both.map(|(from_ns, to_ns, (cause, culprit))| Part { from_ns, to_ns, cause, culprit });
        parts.iter().filter(|part| part.ns() > 0).for_each(|part| add((self.division, self.parts), part));
    }
}
