// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains a response: divides its latency among the threads and interrupts that used the time.
use crate::blame::accuse::accuse;
use crate::blame::division::Division;
use crate::blame::window::Window;
use crate::blame::{Blame, Cause, Culprit};
use crate::processor::let_through::let_through;
use crate::processor::{Processor, Stretch};

/// Divides the time from the stimulus to `until_ns`, at which the thread had the CPU. The shares sum to that time.
pub fn explain(window: &Window, processor: &Processor, until_ns: u64) -> Blame {
    let mut blame = Blame::default();
    divide(&mut blame, window, processor.window(window.from_ns, until_ns));
    let known: u64 = blame.total();
    blame.add(Cause::Unexplained, None, until_ns.saturating_sub(window.from_ns).saturating_sub(known));
    blame.sort();
    blame
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) from_ns: u64,
    pub(crate) to_ns: u64,
    pub(crate) cause: Cause,
    pub(crate) culprit: Option<Culprit>,
}

impl Part {
    pub(crate) fn within(self, from_ns: u64, to_ns: u64) -> Option<Self> {
        let part = Self { from_ns: self.from_ns.max(from_ns), to_ns: self.to_ns.min(to_ns), ..self };
        (part.from_ns < part.to_ns).then_some(part)
    }

    pub(crate) fn ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

/// Divides these stretches. Each is split where the response progressed, because the cause may change there.
pub(crate) fn divide(blame: &mut Blame, window: &Window, stretches: impl IntoIterator<Item = Stretch>) {
    let mut division = Division::default();
    divide_each(window, stretches, |part| division.add(part.cause, part.culprit, part.ns()));
    division.join(blame);
}

pub(crate) fn divide_each(window: &Window, stretches: impl IntoIterator<Item = Stretch>, mut give: impl FnMut(Part)) {
    let borders = window.borders();
    for stretch in &let_through(window, stretches.into_iter().collect()) {
        divide_one(window, &borders, stretch, &mut give);
    }
}

pub(crate) fn divide_one(window: &Window, borders: &[u64], stretch: &Stretch, mut give: impl FnMut(Part)) {
    let mut from = stretch.from_ns;
    let borders = borders.iter().copied().filter(|border| (stretch.from_ns + 1..stretch.to_ns).contains(border));
    for to in borders.chain([stretch.to_ns]) {
        let (cause, culprit) = accuse(window, from, stretch);
        give(Part { from_ns: from, to_ns: to, cause, culprit: culprit.filter(|_| cause.has_culprit()) });
        from = to;
    }
}
