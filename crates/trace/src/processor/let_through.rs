// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened between a timer's expiry and its interrupt proves that interrupts were enabled before.
//!
//! A masked interrupt comes the instant at which interrupts are enabled again. A thread that goes to sleep or is taken off the
//! CPU enables them at that switch at the latest, and an interrupt of another kind came because they were enabled. So if a switch
//! or another interrupt lies between the expiry and the timer's interrupt, nothing had masked that one until then: the machine
//! below had not delivered it. Only the time right before the last switch may share the scheduler's own masked moments with what
//! follows; there the stack in the interrupt decides.
use crate::blame::accuse::DELIVERED_NS;
use crate::blame::behind::{Untold, Verdict};
use crate::blame::window::Window;
use crate::processor::{Holder, Stretch};

/// A window's stretches; those before the last one ended by the timer's interrupt get what this proves.
pub(crate) fn let_through(window: &Window, mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    let Some(last) =
        stretches.iter().rposition(|stretch| stretch.to_ns == window.interrupt_ns && is_of_thread(stretch))
    else {
        return stretches;
    };
    let Some(verdict) = stretches[last].behind else { return stretches };
    let (mut next, mut proof) = (last, upon_switch(verdict, &stretches[last]));
    for number in (0..last).rev() {
        let (stretch, follows) = (stretches[number], stretches[next]);
        if !is_of_thread(&stretch) {
            continue;
        }
        let upon_interrupt = stretch.stay == follows.stay;
        if stretch.behind.is_none() {
            // Right before the last one, upon an interrupt: whatever masked later, that one had got through.
            let through = next == last && upon_interrupt && !matches!(verdict, Verdict::Untold(Untold::Cut));
            stretches[number].behind = if through { Some(Verdict::Below) } else { proof };
        }
        (next, proof) = (number, Some(Verdict::Below));
    }
    stretches
}

fn is_of_thread(stretch: &Stretch) -> bool {
    matches!(stretch.holder(), Holder::Thread(_))
}

/// The verdict before a switch, for the stretch that the interrupt ended.
fn upon_switch(verdict: Verdict, last: &Stretch) -> Option<Verdict> {
    match verdict {
        Verdict::Below => Some(Verdict::Below),
        // It began to mask after the switch, unless all that it had was the way of a delivery.
        Verdict::Masked { .. } => (last.to_ns - last.from_ns > DELIVERED_NS).then_some(Verdict::Below),
        Verdict::Untold(Untold::Moment(function)) => Some(Verdict::Untold(Untold::Moment(function))),
        Verdict::Untold(_) => None,
    }
}
