// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times in a capture: whole ticks, and the length of a tick.
use backwall_model::units::{ClockRate, DisplayedValue, Unit};

/// A time or duration in ticks of its capture, at most [`Tick::MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub u64);

impl Tick {
    /// Latest time in a capture, because one bit stores the level of an edge.
    pub const MAX: Tick = Tick(u64::MAX >> 1);

    /// Time from `earlier` to here; 0 if `earlier` is later.
    pub fn since(self, earlier: Tick) -> Tick {
        Tick(self.0.saturating_sub(earlier.0))
    }
}

/// Length of a tick: an exact ratio, never floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TickRate {
    /// One executed instruction of an emulated CPU. It is never shown as time.
    Instructions,
    /// A clock with this many ticks per second.
    Clock(ClockRate),
}

impl TickRate {
    /// The unit of [`TickRate::value_of`].
    pub fn unit(self) -> Unit {
        match self {
            TickRate::Instructions => Unit::Instructions,
            TickRate::Clock(_) => Unit::Ns,
        }
    }

    /// A duration in [`TickRate::unit`], rounded to the nearest integer; saturates at `u64::MAX`.
    pub fn value_of(self, distance: Tick) -> u64 {
        match self {
            TickRate::Instructions => distance.0,
            TickRate::Clock(rate) => rate.ns_of(distance.0),
        }
    }

    /// A duration with its unit, for display.
    pub fn shown(self, distance: Tick) -> String {
        let value = DisplayedValue(self.value_of(distance), self.unit());
        match self {
            TickRate::Instructions if distance == Tick(1) => "1 instruction".into(),
            TickRate::Instructions => format!("{value} instructions"),
            TickRate::Clock(_) => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_24_mhz_become_nanoseconds_rounded_to_the_nearest() {
        let rate = TickRate::Clock(ClockRate::new(24_000_000).unwrap());
        assert_eq!([1, 3, 24_000_000].map(|ticks| rate.value_of(Tick(ticks))), [42, 125, 1_000_000_000]);
        assert_eq!(rate.unit(), Unit::Ns);
    }

    #[test]
    fn instructions_stay_instructions() {
        assert_eq!(TickRate::Instructions.value_of(Tick(42_159)), 42_159);
        assert_eq!(TickRate::Instructions.unit(), Unit::Instructions);
        assert_eq!(
            [1, 42_159].map(|n| TickRate::Instructions.shown(Tick(n))),
            ["1 instruction", "42,159 instructions"]
        );
    }
}
