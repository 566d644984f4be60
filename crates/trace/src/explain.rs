// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one explanation of a response: its window, divided among those who used the time.
use super::accuse::accuse;
use super::blame::{Blame, Cause};
use super::division::Division;
use super::let_through::let_through;
use super::processor::{Processor, Stretch};
use super::window::Window;

/// Who used the time from the stimulus to a response, which is not before its thread came; the shares sum to that time.
pub fn explain(window: &Window, processor: &Processor, until_ns: u64) -> Blame {
    let mut blame = Blame::default();
    divide(&mut blame, window, processor.window(window.from_ns, until_ns));
    let known: u64 = blame.total();
    blame.add(Cause::Unexplained, None, until_ns.saturating_sub(window.from_ns).saturating_sub(known));
    blame.sort();
    blame
}

/// Adds these stretches, cut where the response came further: at each cut the cause may change.
pub(super) fn divide(blame: &mut Blame, window: &Window, stretches: impl IntoIterator<Item = Stretch>) {
    let (marks, mut division) = (window.borders(), Division::default());
    for stretch in &let_through(window, stretches.into_iter().collect()) {
        let mut from = stretch.from_ns;
        let borders = marks.iter().copied().filter(|mark| (stretch.from_ns + 1..stretch.to_ns).contains(mark));
        for to in borders.chain([stretch.to_ns]) {
            let (cause, culprit) = accuse(window, from, stretch);
            division.add(cause, culprit.filter(|_| cause.has_culprit()), to - from);
            from = to;
        }
    }
    division.join(blame);
}
