// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened between a timer's expiry and its interrupt can prove that interrupts were enabled.
//!
//! A masked interrupt comes at the instant when interrupts are enabled again. A thread that leaves the CPU enables them at that
//! switch at the latest, and any other interrupt came because they were enabled. So if a switch or another interrupt lies between
//! the expiry and the timer's interrupt, interrupts had been enabled until then, and the hypervisor or firmware had not delivered
//! the timer's interrupt. Only the time right before the last switch may belong to the moments when the scheduler itself masks
//! interrupts; there the stack in the interrupt decides.
use crate::blame::accuse::DELIVERED_NS;
use crate::blame::behind::{Untold, Verdict};
use crate::blame::window::Window;
use crate::processor::{Holder, Stretch};

/// Adds verdicts to earlier stretches of the window, derived from the verdict on the stretch that the timer's interrupt ended.
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
            // Another interrupt came between this stretch and the last one, so interrupts were enabled then, even if something
            // masked them later.
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

/// The verdict for the time before a switch, from the verdict of the stretch after it.
fn upon_switch(verdict: Verdict, last: &Stretch) -> Option<Verdict> {
    match verdict {
        Verdict::Below => Some(Verdict::Below),
        // The masking began after the switch, so it does not explain the time before. A stretch that is no longer than a
        // delivery proves nothing.
        Verdict::Masked { .. } => (last.to_ns - last.from_ns > DELIVERED_NS).then_some(Verdict::Below),
        Verdict::Untold(Untold::Moment(function)) => Some(Verdict::Untold(Untold::Moment(function))),
        Verdict::Untold(_) => None,
    }
}
