// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instants of a capture: whole ticks, and what one tick is.
use crate::units::Unit;

/// An instant or a distance, in ticks of its capture. At most [`Tick::MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

impl Tick {
    /// The last instant a capture can hold: one bit is kept for the level of an edge.
    pub const MAX: Tick = Tick(u64::MAX >> 1);

    /// From `earlier` to here; 0 when `earlier` is later.
    pub fn since(self, earlier: Tick) -> Tick {
        Tick(self.0.saturating_sub(earlier.0))
    }
}

/// What one tick is: an exact ratio, never a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickRate {
    /// One executed instruction of an emulated processor. Never shown as time.
    Instructions,
    /// `ticks` ticks in `seconds` seconds; neither is 0. At 24 MHz: 24,000,000 in 1.
    PerSecond {
        /// Ticks.
        ticks: u64,
        /// Seconds.
        seconds: u64,
    },
}

const NS_PER_SECOND: u128 = 1_000_000_000;

impl TickRate {
    /// The unit of [`TickRate::value_of`].
    pub fn unit(self) -> Unit {
        match self {
            TickRate::Instructions => Unit::Instructions,
            TickRate::PerSecond { .. } => Unit::Ns,
        }
    }

    /// A distance in [`TickRate::unit`], rounded to the nearest; saturates at `u64::MAX`.
    pub fn value_of(self, distance: Tick) -> u64 {
        let TickRate::PerSecond { ticks, seconds } = self else {
            return distance.0;
        };
        let per_tick = NS_PER_SECOND * seconds as u128;
        let scaled = (distance.0 as u128).saturating_mul(per_tick).saturating_add(ticks as u128 / 2) / ticks as u128;
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_24_mhz_become_nanoseconds_rounded_to_the_nearest() {
        let rate = TickRate::PerSecond { ticks: 24_000_000, seconds: 1 };
        assert_eq!(rate.value_of(Tick(1)), 42);
        assert_eq!(rate.value_of(Tick(24_000_000)), 1_000_000_000);
        assert_eq!(rate.value_of(Tick(3)), 125);
    }

    #[test]
    fn instructions_stay_instructions() {
        assert_eq!(TickRate::Instructions.value_of(Tick(42_159)), 42_159);
        assert_eq!(TickRate::Instructions.unit(), Unit::Instructions);
    }

    #[test]
    fn the_largest_distance_saturates_instead_of_wrapping() {
        let slow = TickRate::PerSecond { ticks: 1, seconds: u64::MAX };
        assert_eq!(slow.value_of(Tick::MAX), u64::MAX);
    }
}
