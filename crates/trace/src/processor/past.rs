// SPDX-License-Identifier: MIT OR Apache-2.0
//! A CPU's recent past, as windows of stretches.
use super::Processor;
use super::piece::{NOBODY, Piece, stay_of};
use crate::blame::behind::Verdict;
use crate::event::Section;
use crate::event::function::Function;
use crate::processor::stretch::{Fault, Stay, Stretch};
use crate::thread::raise::Raise;
use std::ops::Range;

/// A thread that runs for less than this between two interrupts did nothing: one pause delayed both interrupts. In virtual
/// machines the second interrupt follows 5 to 10 us after the first, at the same instruction.
pub(super) const UPON_ANOTHER_NS: u64 = 20_000;
/// The same limit if the second interrupt came just when a function enabled interrupts. Then the first interrupt came at the
/// same place: otherwise the thread would have reached such a function twice within this time. On a busy host the second
/// interrupt follows 25 us after the first.
pub(super) const UPON_MASKED_NS: u64 = 50_000;

/// A window has at most this many stretches besides the ended ones: the time before the kept history, and two open ones.
const MORE: usize = 3;

/// A thread that has the CPU for less than this, before an interrupt with this verdict, did nothing.
pub(super) fn upon_ns(verdict: Option<Verdict>) -> u64 {
    if matches!(verdict, Some(Verdict::Masked { .. })) { UPON_MASKED_NS } else { UPON_ANOTHER_NS }
}

impl Processor {
    /// Whether the thread that left the CPU at this instant left because of a page fault.
    pub fn left_in_fault(&self, at_ns: u64) -> bool {
        let ended = self.pieces.last().filter(|piece| piece.to_ns == at_ns);
        ended.is_some_and(|piece| piece.fault != Fault::None && self.told(*piece).ends_in_fault())
    }

    /// The stay on the CPU at this time; `None` if unknown.
    pub fn stay_at(&self, at_ns: u64) -> Option<Stay> {
        let piece = self.pieces.since_first_not(|piece| piece.to_ns <= at_ns).next();
        match piece {
            Some(piece) if piece.from_ns <= at_ns => stay_of(piece.stay),
            None if self.since_ns <= at_ns => stay_of(self.known_stay()),
            _ => None,
        }
    }

    /// Whether the interrupt that ran at `at_ns` ended with a reschedule request; `None` without such an interrupt or its end.
    pub fn asked_after(&self, at_ns: u64) -> Option<bool> {
        let since = self.pieces.since_first_not(|piece| piece.to_ns <= at_ns).copied();
        let mut since = since.chain([self.current(u64::MAX)]).peekable();
        let stay = since.peek().filter(|piece| piece.from_ns <= at_ns)?.stay;
        let interrupts = |piece: &Piece| matches!(piece.section, Some(Section::Interrupt(_))) && piece.stay == stay;
        let last = std::iter::from_fn(|| since.next_if(interrupts)).last()?;
        since.next().filter(|behind| behind.stay == stay && stay != NOBODY).map(|_| last.asked)
    }

    /// The time up to which the holder is known, if the last event was at `at_ns`.
    pub fn known_until(&self, at_ns: u64) -> u64 {
        let last = self.pieces.last().filter(|piece| piece.stay == NOBODY && piece.to_ns == at_ns);
        last.map_or(at_ns, |piece| piece.from_ns)
    }

    /// The stretches of a window up to the last event, cut to the window. The time before the kept history is one stretch with an
    /// unknown holder, so the stretches fill the window. Takes time in proportion to their number.
    pub fn window(&self, from_ns: u64, to_ns: u64) -> Vec<Stretch> {
        let current = self.current(u64::MAX);
        let known_from = self.pieces.get(self.pieces.numbers().start).unwrap_or(&current).from_ns;
        let unknown = Piece { from_ns: 0, to_ns: known_from, stay: NOBODY, ..Piece::default() };
        let ended = self.pieces.since_first_not(|piece| piece.to_ns <= from_ns).copied();
        let ended = ended.take_while(|piece| piece.from_ns < to_ns);
        let cut = |piece: Piece| Piece { from_ns: piece.from_ns.max(from_ns), to_ns: piece.to_ns.min(to_ns), ..piece };
        let pieces = std::iter::once(unknown).chain(ended).map(cut).filter(|piece| piece.from_ns < piece.to_ns);
        let mut stretches = Vec::with_capacity(self.stretches_in(from_ns, to_ns) as usize + MORE);
        stretches.extend(pieces.map(|piece| self.seen(piece)));
        let ended = stretches.len();
        let open = self.with_fault(current).map(cut).filter(|piece| piece.from_ns < piece.to_ns);
        stretches.extend(open.map(|piece| self.seen(piece)));
        self.tell_behind(&mut stretches, ended);
        stretches
    }

    #[inline(always)]
    pub(super) fn seen(&self, piece: Piece) -> Stretch {
        let mut stretch = self.told(piece);
        stretch.timer = self.timer_in(&piece);
        stretch.work = self.works.within(&stretch);
        let ended = |(at, _): &(u64, _)| *at == stretch.to_ns && stretch.section.is_none();
        stretch.unpreempted = self.unpreempted.filter(ended).map(|(_, what)| what);
        if self.changes.is_any() { self.changes.within(stretch) } else { stretch }
    }

    /// Number of stretches that [`Processor::window`] would examine: the cost of an explanation.
    pub fn stretches_in(&self, from_ns: u64, to_ns: u64) -> u64 {
        let Range { start, end } = self.pieces.numbers();
        let first = self.pieces.first_not(|piece| piece.to_ns <= from_ns);
        let behind = self.pieces.first_not(|piece| piece.from_ns < to_ns);
        behind.clamp(start, end).saturating_sub(first) + 1
    }

    /// Gives each stretch the verdict of the interrupt at its end, if that interrupt's stack was recorded and is still stored.
    /// A stretch without such a stack gets the verdict of the next stretch, if one pause delayed both interrupts. The first
    /// `ended` stretches have ended. Goes backwards, so that each stretch looks only at the next one.
    fn tell_behind(&self, stretches: &mut [Stretch], ended: usize) {
        if self.stacks.is_empty() {
            return;
        }
        // Stay and verdict of the thread's next stretch, if the thread did nothing in that stretch.
        let mut next: Option<(Option<Stay>, Option<Verdict>)> = None;
        let last_ns = stretches.last().map_or(0, |stretch| stretch.to_ns);
        let mut begun = self.stacks.partition_point(|(at, _)| *at <= last_ns);
        for (place, stretch) in stretches.iter_mut().enumerate().rev() {
            if stretch.section.is_some() {
                next = next.filter(|(stay, _)| *stay == stretch.stay);
                continue;
            }
            while begun > 0 && self.stacks[begun - 1].0 > stretch.to_ns {
                begun -= 1;
            }
            let stack = begun.checked_sub(1).map(|place| self.stacks[place]);
            let verdict = stack.filter(|(at, _)| *at == stretch.to_ns).map(|(_, verdict)| verdict);
            let upon = || next.filter(|(stay, _)| *stay == stretch.stay).and_then(|(_, verdict)| verdict);
            stretch.behind = verdict.or_else(upon);
            let nothing = place < ended && stretch.to_ns - stretch.from_ns < upon_ns(stretch.behind);
            next = nothing.then_some((stretch.stay, stretch.behind));
        }
    }

    fn timer_in(&self, piece: &Piece) -> Option<Function> {
        if !piece.named {
            return None;
        }
        let begun = self.timed.partition_point(|(whole, _)| whole.start <= piece.from_ns);
        let (whole, function) = self.timed.get(begun.checked_sub(1)?)?;
        (piece.to_ns <= whole.end).then_some(*function)
    }

    /// The next ended stretch after `mark`, which starts at 0. Skips forgotten stretches.
    pub fn next_ended(&self, mark: &mut u64) -> Option<Stretch> {
        let next = (*mark).max(self.pieces.numbers().start);
        let piece = self.pieces.get(next)?;
        *mark = next + 1;
        Some(self.told(*piece))
    }

    /// The open stretch, up to `to_ns`.
    pub fn open_until(&self, to_ns: u64) -> Option<Stretch> {
        (self.since_ns > 0 && self.since_ns < to_ns).then(|| self.told(self.current(to_ns)))
    }

    #[inline(always)]
    fn told(&self, Piece { from_ns, to_ns, stay, section, asked, fault, timers, .. }: Piece) -> Stretch {
        let known = self.stays.get(stay);
        let (thread, left) = (known.map(|stay| stay.thread), known.and_then(|stay| stay.left));
        let lent = self.lent.binary_search_by_key(&stay, |(of, _)| *of);
        let raise = lent.map_or(left.map(Raise::Left), |place| Some(Raise::Inherited(self.lent[place].1)));
        let stay = stay_of(stay);
        Stretch { from_ns, to_ns, section, thread, stay, raise, asked, fault, timers, ..Stretch::default() }
    }
}
