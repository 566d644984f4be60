// SPDX-License-Identifier: MIT OR Apache-2.0
//! A processor's recent past, as whoever asks for a window of it is told.
use super::Processor;
use super::piece::{NOBODY, Piece, stay_of};
use crate::behind::Verdict;
use crate::event::Section;
use crate::function::Function;
use crate::raise::Raise;
use crate::stretch::{Fault, Stay, Stretch};
use std::ops::Range;

/// A thread that has the processor no longer than this between two interrupts does nothing in between: the second one was held back,
/// too. In a virtual machine the second comes 5 to 10 us behind the first, upon the same instruction.
const UPON_ANOTHER_NS: u64 = 20_000;

impl Processor {
    /// Whether the thread that left at this instant left for a page fault.
    pub fn left_in_fault(&self, at_ns: u64) -> bool {
        let ended = self.pieces.last().filter(|piece| piece.to_ns == at_ns);
        ended.is_some_and(|piece| piece.fault != Fault::None && self.told(*piece).ends_in_fault())
    }

    /// The stay at an instant, where it is known.
    pub fn stay_at(&self, at_ns: u64) -> Option<Stay> {
        let piece = self.pieces.since_first_not(|piece| piece.to_ns <= at_ns).next();
        match piece {
            Some(piece) if piece.from_ns <= at_ns => stay_of(piece.stay),
            None if self.since_ns <= at_ns => stay_of(self.known_stay()),
            _ => None,
        }
    }

    /// Whether the interrupt that lasted at an instant ended with the mark that asks for the scheduler; `None` where none
    /// lasted then, or where its end is not known.
    pub fn asked_after(&self, at_ns: u64) -> Option<bool> {
        let since = self.pieces.since_first_not(|piece| piece.to_ns <= at_ns).copied();
        let mut since = since.chain([self.current(u64::MAX)]).peekable();
        let stay = since.peek().filter(|piece| piece.from_ns <= at_ns)?.stay;
        let interrupts = |piece: &Piece| matches!(piece.section, Some(Section::Interrupt(_))) && piece.stay == stay;
        let last = std::iter::from_fn(|| since.next_if(interrupts)).last()?;
        since.next().filter(|behind| behind.stay == stay && stay != NOBODY).map(|_| last.asked)
    }

    /// Up to when it is known who had the processor before the last event, which was at this instant.
    pub fn known_until(&self, at_ns: u64) -> u64 {
        let last = self.pieces.last().filter(|piece| piece.stay == NOBODY && piece.to_ns == at_ns);
        last.map_or(at_ns, |piece| piece.from_ns)
    }

    /// The stretches that overlap a window which ends no later than the last event, cut to it. What lies before the
    /// kept past is one unknown stretch, so that they always fill the window.
    pub fn window(&self, from_ns: u64, to_ns: u64) -> Vec<Stretch> {
        let current = self.current(u64::MAX);
        let known_from = self.pieces.get(self.pieces.numbers().start).unwrap_or(&current).from_ns;
        let unknown = Piece { from_ns: 0, to_ns: known_from, stay: NOBODY, ..Piece::default() };
        let pieces = self.pieces.since_first_not(|piece| piece.to_ns <= from_ns);
        let all = std::iter::once(unknown).chain(pieces.copied()).chain(self.with_fault(current));
        all.map(|piece| Piece { from_ns: piece.from_ns.max(from_ns), to_ns: piece.to_ns.min(to_ns), ..piece })
            .filter(|piece| piece.from_ns < piece.to_ns)
            .map(|piece| Stretch { behind: self.behind(&piece), timer: self.timer_in(&piece), ..self.told(piece) })
            .map(|stretch| self.changes.within(Stretch { work: self.works.within(&stretch), ..stretch }))
            .collect()
    }

    /// What the stack in the interrupt that ended a piece tells, where one was recorded and is remembered. Where that has none, it
    /// is in one that had been held back with it: the thread does nothing between the two.
    fn behind(&self, piece: &Piece) -> Option<Verdict> {
        if piece.section.is_some() || self.stacks.is_empty() {
            return None;
        }
        let nothing = |next: &&Piece| {
            next.stay == piece.stay && (next.section.is_some() || next.to_ns - next.from_ns < UPON_ANOTHER_NS)
        };
        let since = self.pieces.since_first_not(|before| before.to_ns <= piece.to_ns);
        let ends = since.take_while(nothing).filter(|next| next.section.is_none()).map(|next| next.to_ns);
        std::iter::once(piece.to_ns).chain(ends).find_map(|end_ns| self.verdict(end_ns))
    }

    /// The function of the timers that ran in a piece, where it is to be named.
    fn timer_in(&self, piece: &Piece) -> Option<Function> {
        let is_of = |(whole, _): &&(Range<u64>, Function)| whole.start <= piece.from_ns && piece.to_ns <= whole.end;
        self.timed.iter().rev().filter(|_| piece.timers > 0).find(is_of).map(|(_, function)| *function)
    }

    /// What the stack in the interrupt that began at this instant tells.
    fn verdict(&self, isr_at: u64) -> Option<Verdict> {
        self.stacks.iter().rev().find(|(at, _)| *at == isr_at).map(|(_, verdict)| *verdict)
    }

    /// The next stretch that has ended, by a mark that is 0 at first; those that were forgotten meanwhile are passed over.
    pub fn next_ended(&self, mark: &mut u64) -> Option<Stretch> {
        let next = (*mark).max(self.pieces.numbers().start);
        let piece = self.pieces.get(next)?;
        *mark = next + 1;
        Some(self.told(*piece))
    }

    /// The stretch that has not ended, up to an instant.
    pub fn open_until(&self, to_ns: u64) -> Option<Stretch> {
        (self.since_ns > 0 && self.since_ns < to_ns).then(|| self.told(self.current(to_ns)))
    }

    /// A piece with all that is known of its thread by now.
    fn told(&self, Piece { from_ns, to_ns, stay, section, asked, fault, timers }: Piece) -> Stretch {
        let known = self.stays.get(stay);
        let (thread, left) = (known.map(|stay| stay.thread), known.and_then(|stay| stay.left));
        let lent = self.lent.binary_search_by_key(&stay, |(of, _)| *of);
        let raise = lent.map_or(left.map(Raise::Left), |place| Some(Raise::Inherited(self.lent[place].1)));
        let stay = stay_of(stay);
        Stretch { from_ns, to_ns, section, thread, stay, raise, asked, fault, timers, ..Stretch::default() }
    }
}
