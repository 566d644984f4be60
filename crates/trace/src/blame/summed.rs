// SPDX-License-Identifier: MIT OR Apache-2.0
//! Divides a latency while walking over the CPU's history, without a list of stretches. The cause of a plain piece depends only
//! on its holder and on the response's progress, so the cause is computed once for each combination of these.
use crate::blame::Share;
use crate::blame::accuse::accuse;
use crate::blame::division::Division;
use crate::blame::explain::{Part, divide_each, divide_one};
use crate::blame::window::Window;
use crate::event::{Section, Thread};
use crate::processor::{Plain, Processor, Stay, Stretch, Walker};

const NONE: u32 = u32::MAX;

/// Receives each part of a latency with the index of its share, in order of time.
pub(crate) trait Parts {
    fn part(&mut self, from_ns: u64, to_ns: u64, share: u32);
}

impl Parts for () {
    #[inline(always)]
    fn part(&mut self, _: u64, _: u64, _: u32) {}
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) share: u32,
}

impl Parts for Vec<Placed> {
    #[inline(always)]
    fn part(&mut self, from_ns: u64, to_ns: u64, share: u32) {
        self.push(Placed { from_ns, to_ns, share });
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Parted {
    pub(crate) division: Division,
    pub(crate) parts: Vec<Placed>,
}

impl Parted {
    pub(crate) fn parts(&self) -> Vec<Part> {
        let part = |Placed { from_ns, to_ns, share }: &Placed| {
            let Share { cause, culprit, .. } = *self.division.share(*share);
            Part { from_ns: *from_ns, to_ns: *to_ns, cause, culprit }
        };
        self.parts.iter().map(part).collect()
    }
}

pub(crate) fn divide_past(
    (division, parts): (&mut Division, &mut impl Parts),
    window: &Window,
    processor: &Processor,
    (from_ns, to_ns): (u64, u64),
    named: impl Fn(Thread) -> Thread,
) {
    // Up to the interrupt, the stack in a later stretch may explain an earlier stretch. So these stretches are collected in a
    // list before they are divided.
    let cut_ns = if from_ns < window.interrupt_ns { processor.parting(window.interrupt_ns, to_ns) } else { from_ns };
    let mut walk = Walk::new((division, parts), window, named);
    if from_ns < cut_ns {
        let mut stretches = processor.window(from_ns, cut_ns);
        stretches.iter_mut().for_each(|stretch| stretch.thread = stretch.thread.map(&walk.named));
        divide_each(window, stretches, |part| add((walk.division, walk.parts), &part));
    }
    if cut_ns < to_ns {
        processor.walk(cut_ns, to_ns, &mut walk);
    }
}

struct Walk<'a, P, N> {
    division: &'a mut Division,
    parts: &'a mut P,
    window: &'a Window,
    named: N,
    borders: Vec<u64>,
    /// The next time at which the response progresses. The causes may change there.
    next_border_ns: u64,
    stay: Option<Stay>,
    thread: Option<Thread>,
    /// The window refers to this stay on the CPU, so the walk examines each stretch of it.
    is_looked_at: bool,
    /// The late thread itself runs, so its page faults matter.
    is_own: bool,
    /// Indices of the shares of the thread, of the latest softirq and of the latest interrupt.
    own: u32,
    softirq: (u8, u32),
    interrupt: Option<(Section, u32)>,
}

impl<'a, P: Parts, N: Fn(Thread) -> Thread> Walk<'a, P, N> {
    fn new((division, parts): (&'a mut Division, &'a mut P), window: &'a Window, named: N) -> Self {
        let borders = window.borders();
        Self {
            division,
            parts,
            window,
            named,
            borders,
            next_border_ns: 0,
            stay: None,
            thread: None,
            is_looked_at: false,
            is_own: false,
            own: NONE,
            softirq: (0, NONE),
            interrupt: None,
        }
    }

    #[cold]
    fn passes_border(&mut self, at_ns: u64) {
        let next = self.borders.iter().find(|border| **border > at_ns);
        self.next_border_ns = next.copied().unwrap_or(u64::MAX);
        (self.own, self.softirq, self.interrupt) = (NONE, (0, NONE), None);
    }

    fn ask(&mut self, piece: Plain) -> u32 {
        let Plain { from_ns, to_ns, section, .. } = piece;
        let stretch = Stretch { from_ns, to_ns, section, thread: self.thread, stay: self.stay, ..Stretch::default() };
        let (cause, culprit) = accuse(self.window, from_ns, &stretch);
        let share = self.division.place(cause, culprit.filter(|_| cause.has_culprit()));
        match section {
            None => self.own = share,
            Some(Section::Softirq(number)) => self.softirq = (number, share),
            Some(interrupt) => self.interrupt = Some((interrupt, share)),
        }
        share
    }
}

impl<P: Parts, N: Fn(Thread) -> Thread> Walker for Walk<'_, P, N> {
    fn stay(&mut self, stay: Stay, thread: Thread) {
        (self.stay, self.thread) = (Some(stay), Some((self.named)(thread)));
        self.is_looked_at = self.stay == self.window.stay;
        self.is_own = self.window.thread.is_some_and(|own| own.id == thread.id);
        (self.own, self.softirq) = (NONE, (0, NONE));
    }

    #[inline(always)]
    fn plain(&mut self, piece: Plain) -> bool {
        let Plain { from_ns, to_ns, section, faulted } = piece;
        if from_ns >= self.next_border_ns {
            self.passes_border(from_ns);
        }
        if to_ns > self.next_border_ns || self.is_looked_at || faulted && self.is_own {
            return false;
        }
        let known = match section {
            None => self.own,
            Some(Section::Softirq(number)) if number == self.softirq.0 => self.softirq.1,
            Some(Section::Softirq(_)) => NONE,
            Some(interrupt) => self.interrupt.filter(|(of, _)| *of == interrupt).map_or(NONE, |(_, share)| share),
        };
        let share = if known == NONE { self.ask(piece) } else { known };
        self.division.add_to(share, to_ns - from_ns);
        self.parts.part(from_ns, to_ns, share);
        true
    }

    fn stretch(&mut self, stretch: Stretch) {
        let stretch = Stretch { thread: stretch.thread.map(&self.named), ..stretch };
        divide_one(self.window, &self.borders, &stretch, |part| add((self.division, self.parts), &part));
    }
}

pub(crate) fn add((division, parts): (&mut Division, &mut impl Parts), part: &Part) {
    let share = division.place(part.cause, part.culprit);
    division.add_to(share, part.ns());
    parts.part(part.from_ns, part.to_ns, share);
}

#[cfg(test)]
mod tests;
