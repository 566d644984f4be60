// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one explanation of a response: its window, divided among those who used the time.
use super::accuse::accuse;
use super::blame::{Blame, Cause, Culprit};
use super::division::Division;
use super::let_through::let_through;
use super::processor::{Processor, Stretch};
use super::window::Window;

/// Causes from the stimulus to a response, at or after its thread's CPU; the shares sum to that time.
pub fn explain(window: &Window, processor: &Processor, until_ns: u64) -> Blame {
    let mut blame = Blame::default();
    divide(&mut blame, window, processor.window(window.from_ns, until_ns));
    let known: u64 = blame.total();
    blame.add(Cause::Unexplained, None, until_ns.saturating_sub(window.from_ns).saturating_sub(known));
    blame.sort();
    blame
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) cause: Cause,
    pub(super) culprit: Option<Culprit>,
}

impl Part {
    pub(super) fn within(self, from_ns: u64, to_ns: u64) -> Option<Self> {
        let part = Self { from_ns: self.from_ns.max(from_ns), to_ns: self.to_ns.min(to_ns), ..self };
        (part.from_ns < part.to_ns).then_some(part)
    }

    pub(super) fn ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

/// Adds these stretches, split where the response progressed, as the cause may change there.
pub(super) fn divide(blame: &mut Blame, window: &Window, stretches: impl IntoIterator<Item = Stretch>) {
    let mut division = Division::default();
    divide_each(window, stretches, |part| division.add(part.cause, part.culprit, part.ns()));
    division.join(blame);
}

pub(super) fn divide_each(window: &Window, stretches: impl IntoIterator<Item = Stretch>, mut give: impl FnMut(Part)) {
    let borders = window.borders();
    for stretch in let_through(window, stretches.into_iter().collect()) {
        divide_one(window, &borders, &stretch, &mut give);
    }
}

pub(super) fn divide_one(window: &Window, borders: &[u64], stretch: &Stretch, mut give: impl FnMut(Part)) {
    let mut from = stretch.from_ns;
    let borders = borders.iter().copied().filter(|border| (stretch.from_ns + 1..stretch.to_ns).contains(border));
    for to in borders.chain([stretch.to_ns]) {
        let (cause, culprit) = accuse(window, from, stretch);
        give(Part { from_ns: from, to_ns: to, cause, culprit: culprit.filter(|_| cause.has_culprit()) });
        from = to;
    }
}
