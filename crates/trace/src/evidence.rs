// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps of a wake-up what divides its window, until the response is known that ends it.
use super::blame::{Blame, Cause};
use super::explain::divide;
use super::processor::Stretch;
use super::wakeup::WakeUp;

/// What is kept of a wake-up until its response is known.
#[derive(Clone, Debug)]
pub struct Evidence {
    wake_up: WakeUp,
    /// Up to the switch to the thread.
    shares: Blame,
    /// After it, up to the event that completed the wake-up.
    tail: Vec<Stretch>,
}

impl Evidence {
    /// `window` gives the stretches of the wake-up's processor between two instants.
    pub fn new(wake_up: WakeUp, window: impl Fn(u64, u64) -> Vec<Stretch>) -> Self {
        let end = wake_up.switch_in_at;
        let mut shares = Blame::default();
        divide(&mut shares, &wake_up.window(), window(wake_up.expiry_at, end));
        Self { wake_up, shares, tail: window(end, wake_up.ended_at.max(end)) }
    }

    /// The wake-up.
    pub fn wake_up(&self) -> &WakeUp {
        &self.wake_up
    }

    /// Divides the window up to `response_ns`, which is not before the switch to the thread.
    pub fn blame(&self, response_ns: u64) -> Blame {
        let end = self.wake_up.switch_in_at;
        let known_to = self.tail.last().map_or(end, |stretch| stretch.to_ns);
        let mut blame = self.shares.clone();
        let cut = |stretch: &Stretch| Stretch { to_ns: stretch.to_ns.min(response_ns), ..*stretch };
        let tail = self.tail.iter().map(cut).filter(|stretch| stretch.from_ns < stretch.to_ns);
        divide(&mut blame, &self.wake_up.window(), tail);
        if let Some(beyond) = response_ns.checked_sub(known_to) {
            blame.add(Cause::Unexplained, None, beyond);
        }
        blame.sort();
        blame
    }
}
