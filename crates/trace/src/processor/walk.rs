// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walks a window piece by piece. A window of seconds has thousands of pieces. Of most pieces only the holder matters; only the
//! other pieces become full stretches.
use super::Processor;
use super::past::UPON_MASKED_NS;
use super::piece::{NOBODY, Piece};
use crate::event::{Section, Thread};
use crate::processor::stretch::{Fault, Stay, Stretch};
use crate::processor::timers_run::MANY_TIMERS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) section: Option<Section>,
    pub(crate) faulted: bool,
}

/// Receives each piece, in order of time.
pub(crate) trait Walker {
    /// The following plain pieces belong to this stay of `thread` on the CPU. The thread kept its own priority all the time.
    fn stay(&mut self, stay: Stay, thread: Thread);
    /// A piece of which only two things matter: its holder, and whether it had a page fault. Returns `false` if the walker
    /// needs more: then `stretch` is called for the same piece.
    fn plain(&mut self, piece: Plain) -> bool;
    fn stretch(&mut self, stretch: Stretch);
}

impl Processor {
    /// Where the window can be split: the end of the first long piece outside interrupts and softirqs between `until_ns` and
    /// `to_ns`. No pause can have delayed both an interrupt before such a piece and one after it. So the stretches before that
    /// piece do not depend on stacks after it. `to_ns` if there is no such piece.
    pub(crate) fn parting(&self, until_ns: u64, to_ns: u64) -> u64 {
        let behind = self.pieces.since_first_not(|piece| piece.from_ns < until_ns);
        let long = |piece: &&Piece| piece.section.is_none() && piece.to_ns - piece.from_ns >= UPON_MASKED_NS;
        behind.take_while(|piece| piece.to_ns <= to_ns).find(long).map_or(to_ns, |piece| piece.to_ns)
    }

    /// The same pieces as [`Processor::window`]: those that overlap the window, cut to it.
    pub(crate) fn walk(&self, from_ns: u64, to_ns: u64, walker: &mut impl Walker) {
        let current = self.current(u64::MAX);
        let known_from = self.pieces.get(self.pieces.numbers().start).unwrap_or(&current).from_ns;
        let unknown = Piece { from_ns: 0, to_ns: known_from, stay: NOBODY, ..Piece::default() };
        let cut = |piece: Piece| Piece { from_ns: piece.from_ns.max(from_ns), to_ns: piece.to_ns.min(to_ns), ..piece };
        let is_some = |piece: &Piece| piece.from_ns < piece.to_ns;
        if let Some(piece) = Some(cut(unknown)).filter(is_some) {
            walker.stretch(self.seen(piece));
        }
        let (mut told, mut is_plain) = (NOBODY, false);
        let may_change = self.changes.is_any();
        let asked_at = self.unpreempted.map_or(u64::MAX, |(at, _)| at);
        for whole in self.pieces.since_first_not(|piece| piece.to_ns <= from_ns) {
            if whole.from_ns >= to_ns {
                break;
            }
            if whole.stay != told {
                let thread = if may_change { None } else { self.plain_thread(whole.stay) };
                (told, is_plain) = (whole.stay, thread.is_some());
                thread.into_iter().for_each(|thread| walker.stay(Stay(told), thread));
            }
            let (from_ns, to_ns) = (whole.from_ns.max(from_ns), whole.to_ns.min(to_ns));
            let is_plain = is_plain && !whole.named && whole.timers < MANY_TIMERS && whole.to_ns != asked_at;
            let faulted = whole.fault != Fault::None;
            if !is_plain || !walker.plain(Plain { from_ns, to_ns, section: whole.section, faulted }) {
                walker.stretch(self.seen(Piece { from_ns, to_ns, ..*whole }));
            }
        }
        let open = self.with_fault(current).map(cut).filter(is_some);
        open.for_each(|piece| walker.stretch(self.seen(piece)));
    }

    /// The thread of a stay on the CPU, if only the holder matters in the pieces of the stay.
    fn plain_thread(&self, stay: u64) -> Option<Thread> {
        let spell = self.stays.get(stay)?;
        let is_lent = !self.lent.is_empty() && self.lent.binary_search_by_key(&stay, |(of, _)| *of).is_ok();
        let is_plain = spell.left.is_none() && !is_lent && !self.works.may_be_of(spell.thread.id);
        is_plain.then_some(spell.thread)
    }
}
