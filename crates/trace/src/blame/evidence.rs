// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps the CPU's stretches of a wakeup until its response is known and its latency can be divided.
use crate::blame::explain::divide;
use crate::blame::{Blame, Cause};
use crate::processor::Stretch;
use crate::thread::wakeup::WakeUp;

/// What is kept of a wakeup until its response is known.
#[derive(Clone, Debug)]
pub struct Evidence {
    wake_up: WakeUp,
    /// The shares up to the switch to the thread.
    shares: Blame,
    /// The stretches up to an inferred switch, because the response may have come before that switch.
    before: Vec<Stretch>,
    /// The stretches after the switch, up to the event that completed the wakeup.
    tail: Vec<Stretch>,
}

impl Evidence {
    /// `window` returns the CPU's stretches between two timestamps.
    pub fn new(wake_up: WakeUp, window: impl Fn(u64, u64) -> Vec<Stretch>) -> Self {
        let end = wake_up.switch_in_at;
        let mut shares = Blame::default();
        let stretches = window(wake_up.expiry_at, end);
        let before = if wake_up.inferred { stretches.clone() } else { Vec::new() };
        divide(&mut shares, &wake_up.window(), stretches);
        Self { wake_up, shares, before, tail: window(end, wake_up.ended_at.max(end)) }
    }

    pub fn wake_up(&self) -> &WakeUp {
        &self.wake_up
    }

    /// Divides the latency up to `response_ns`. Only an inferred switch may be later than the response: the thread ran before
    /// the event that showed the switch.
    pub fn blame(&self, response_ns: u64) -> Blame {
        let end = self.wake_up.switch_in_at;
        if response_ns < end {
            return self.blame_before(response_ns);
        }
        let known_to = self.tail.last().map_or(end, |stretch| stretch.to_ns);
        let mut blame = self.shares.clone();
        divide(&mut blame, &self.wake_up.window(), up_to(&self.tail, response_ns));
        if let Some(beyond) = response_ns.checked_sub(known_to) {
            blame.add(Cause::Unexplained, None, beyond);
        }
        blame.sort();
        blame
    }

    fn blame_before(&self, response_ns: u64) -> Blame {
        let came = WakeUp { switch_in_at: response_ns, ..self.wake_up };
        let mut blame = Blame::default();
        divide(&mut blame, &came.window(), up_to(&self.before, response_ns));
        blame.sort();
        blame
    }
}

fn up_to(stretches: &[Stretch], end_ns: u64) -> impl Iterator<Item = Stretch> {
    let cut = move |stretch: &Stretch| Stretch { to_ns: stretch.to_ns.min(end_ns), ..*stretch };
    stretches.iter().map(cut).filter(|stretch| stretch.from_ns < stretch.to_ns)
}
