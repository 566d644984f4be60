// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time axis of a screen: ten divisions of 1, 2 or 5 times a power of ten ticks, the trigger on the first line.
use super::tick::Tick;

/// Divisions from left to right, as on the papers' oscilloscope.
pub const DIVISIONS: u64 = 10;

/// Where a screen begins and how much it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    /// Ticks a division.
    pub per_division: Tick,
}

impl Timebase {
    /// The shortest in which `longest` after the trigger is still on the screen, with a tenth to spare.
    pub fn showing(longest: Tick) -> Timebase {
        let after_trigger = DIVISIONS - 1;
        let needed = longest.0.saturating_add(longest.0 / 10).div_ceil(after_trigger).clamp(1, Tick::MAX.0 / 20);
        Timebase { per_division: Tick(step_of_at_least(needed)) }
    }

    /// Ticks on the whole screen.
    pub fn span(self) -> u64 {
        DIVISIONS * self.per_division.0
    }

    /// Ticks from the left edge of the screen to `at`, when the screen is triggered by `trigger`; negative before it.
    pub fn from_left(self, at: Tick, trigger: Tick) -> i64 {
        at.0 as i64 - trigger.0 as i64 + self.per_division.0 as i64
    }
}

/// The smallest 1, 2 or 5 times a power of ten that is at least `needed`, which is at most half of the largest number.
pub fn step_of_at_least(needed: u64) -> u64 {
    let mut decade = 1;
    loop {
        if let Some(step) = [1, 2, 5].map(|n| n * decade).into_iter().find(|step| *step >= needed) {
            return step;
        }
        decade *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_division_is_one_two_or_five_times_a_power_of_ten() {
        let shown = [0, 1, 8, 9, 16, 17, 42_159, 130].map(|longest| Timebase::showing(Tick(longest)).per_division.0);
        assert_eq!(shown, [1, 1, 1, 1, 2, 2, 10_000, 20]);
    }

    #[test]
    fn the_longest_distance_there_is_has_a_screen() {
        let base = Timebase::showing(Tick::MAX);
        assert!(base.span() < Tick::MAX.0);
        assert_eq!(base.from_left(Tick(0), Tick(0)), base.per_division.0 as i64);
    }

    #[test]
    fn the_longest_latency_is_always_on_the_screen() {
        for longest in (0..2_000_000).step_by(997) {
            let base = Timebase::showing(Tick(longest));
            assert!(base.from_left(Tick(longest), Tick(0)) < base.span() as i64, "{longest}");
        }
    }
}
