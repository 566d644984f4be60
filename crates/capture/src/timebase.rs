// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time axis of a screen: ten divisions, each of 1, 2 or 5 times a power of ten instructions or nanoseconds. The trigger is
//! at the first grid line.
use super::tick::{Tick, TickRate};
use backwall_model::units::ClockRate;
use backwall_model::units::step;

/// Number of divisions from left to right, as on the oscilloscope in the papers.
pub const DIVISIONS: u64 = 10;

/// Where a screen begins and how much time it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    /// Ticks per division.
    pub per_division: Tick,
}

impl Timebase {
    /// The shortest time base that shows `longest` after the trigger, with a margin of a tenth.
    pub fn showing(longest: Tick, rate: TickRate) -> Timebase {
        let after_trigger = DIVISIONS - 1;
        let needed = longest.0.saturating_add(longest.0 / 10 + 1).div_ceil(after_trigger).clamp(1, Tick::MAX.0 / 20);
        let round = match rate {
            TickRate::Instructions => None,
            TickRate::Clock(clock) => round_in_time(needed, clock),
        };
        Timebase { per_division: Tick(round.unwrap_or_else(|| step::at_least(needed))) }
    }

    /// Ticks on the whole screen.
    pub fn span(self) -> u64 {
        DIVISIONS * self.per_division.0
    }

    /// Ticks from the left edge of the screen to `at`, if the screen was triggered at `trigger`; negative left of it.
    pub fn from_left(self, at: Tick, trigger: Tick) -> i64 {
        at.0 as i64 - trigger.0 as i64 + self.per_division.0 as i64
    }
}

const NS_PER_SECOND: u128 = 1_000_000_000;
/// How many longer divisions to try until one is a whole number of ticks and a round time.
const ROUND_STEPS: usize = 12;

/// The smallest number of ticks, at least `needed`, whose time is 1, 2 or 5 times a power of ten nanoseconds. `None` if there is
/// no such number near `needed` at this rate.
fn round_in_time(needed: u64, clock: ClockRate) -> Option<u64> {
    let first = u64::try_from(needed as u128 * NS_PER_SECOND / clock.hz() as u128).ok()?;
    let longer = |ns: &u64| Some(step::at_least(ns + 1));
    let steps = std::iter::successors(Some(step::at_least(first.clamp(1, u64::MAX >> 10))), longer);
    let ticks_times_ns = steps.take(ROUND_STEPS).map(|ns| ns as u128 * clock.hz() as u128);
    let whole = ticks_times_ns.filter(|product| product % NS_PER_SECOND == 0).map(|product| product / NS_PER_SECOND);
    whole.filter_map(|ticks| u64::try_from(ticks).ok()).find(|ticks| (needed..=Tick::MAX.0 / 20).contains(ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_division_is_one_two_or_five_times_a_power_of_ten() {
        let shown = [0, 1, 8, 9, 15, 16, 42_159, 130]
            .map(|longest| Timebase::showing(Tick(longest), TickRate::Instructions).per_division.0);
        assert_eq!(shown, [1, 1, 1, 2, 2, 2, 10_000, 20]);
    }

    #[test]
    fn a_division_of_a_sampled_capture_is_round_in_time() {
        let shown = |hz, longest| {
            let rate = TickRate::Clock(ClockRate::new(hz).unwrap());
            Timebase::showing(Tick(longest), rate).per_division.0
        };
        assert_eq!(shown(12_000_000, 7_800), 1_200, "100 us");
        assert_eq!(shown(24_000_000, 30), 12, "500 ns: 200 ns are no whole number of ticks");
        assert_eq!(shown(1_000_000_000, 7_800), 1_000);
        assert_eq!(shown(3, 17), 3, "1 s");
        assert_eq!(shown(1_193_182, 100), 20, "no round time nearby is whole in ticks, so ticks are round");
        assert!(shown(u64::MAX, u64::MAX >> 1) <= Tick::MAX.0 / 20 * 5);
    }

    #[test]
    fn the_longest_distance_there_is_has_a_screen() {
        let base = Timebase::showing(Tick::MAX, TickRate::Instructions);
        assert!(base.span() < Tick::MAX.0);
        assert_eq!(base.from_left(Tick(0), Tick(0)), base.per_division.0 as i64);
    }

    #[test]
    fn the_longest_latency_is_always_on_the_screen() {
        for longest in (0..1_000).chain((1_000..2_000_000).step_by(997)) {
            let base = Timebase::showing(Tick(longest), TickRate::Instructions);
            assert!(base.from_left(Tick(longest), Tick(0)) < base.span() as i64, "{longest}");
        }
    }
}
