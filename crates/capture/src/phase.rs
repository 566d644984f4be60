// SPDX-License-Identifier: MIT OR Apache-2.0
//! How evenly the stimuli were spread over the phases of something that repeats, such as a guest's tick.
//!
//! If a generator's period divides the tick, or is a multiple of it, its pulses meet only a few phases, however many it sends.
//! No figure then covers the other phases.
use super::tick::Tick;
use backwall_model::Phase;

/// Number of parts into which the period is divided, unless there are fewer stimuli, or fewer ticks in the period.
pub const PARTS: u64 = 1_000;

/// The phases of `stimuli` in a period of `circle`; `None` without stimuli, or for a period of 0.
pub fn phase(stimuli: &[Tick], circle: Tick) -> Option<Phase> {
    let mut phases: Vec<u64> = stimuli.iter().map(|at| at.0.checked_rem(circle.0)).collect::<Option<_>>()?;
    phases.sort_unstable();
    phases.dedup();
    let around = circle.0 - phases.last()? + phases.first()?;
    let widest = phases.windows(2).map(|pair| pair[1] - pair[0]).fold(around, u64::max);
    let parts = PARTS.min(stimuli.len() as u64).min(circle.0);
    let mut met: Vec<u64> =
        phases.iter().map(|at| (u128::from(*at) * u128::from(parts) / u128::from(circle.0)) as u64).collect();
    met.dedup();
    Some(Phase { circle: circle.0, parts, met: met.len() as u64, widest_gap: widest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn train(period: u64, count: u64) -> Vec<Tick> {
        (1..=count).map(|n| Tick(n * period)).collect()
    }

    fn of(period: u64, count: u64, circle: u64) -> (u64, u64, u64) {
        let found = phase(&train(period, count), Tick(circle)).unwrap();
        (found.parts, found.met, found.widest_gap)
    }

    #[test]
    fn a_period_that_divides_the_tick_meets_the_same_few_phases_for_ever() {
        assert_eq!(of(200_000, 2_000, 1_000_000), (1_000, 5, 200_000));
        assert_eq!(of(200_000, 2_000, 200_000), (1_000, 1, 200_000));
    }

    #[test]
    fn a_walking_one_meets_every_part_once_around() {
        let (parts, met, gap) = of(200_000 + 101, 2_000, 4_000_000);
        assert_eq!((parts, met), (1_000, 1_000));
        assert!(gap <= 20 * 101 * 2, "{gap}");
        assert_eq!(of(7, 10, 10), (10, 10, 1));
    }

    #[test]
    fn nothing_is_met_of_nothing() {
        assert_eq!(phase(&[], Tick(5)), None);
        assert_eq!(phase(&[Tick(3)], Tick(0)), None);
    }

    proptest! {
        #[test]
        fn parts_met_and_gap_agree(stimuli in prop::collection::vec(0u64..1 << 40, 1..300), circle in 1u64..1 << 40) {
            let ticks: Vec<Tick> = stimuli.iter().copied().map(Tick).collect();
            let found = phase(&ticks, Tick(circle)).unwrap();
            prop_assert!(found.met >= 1 && found.met <= found.parts && found.parts <= stimuli.len() as u64);
            // A gap wider than two parts contains a part without a stimulus. Without such a gap every part has one.
            prop_assert!(found.widest_gap <= 2 * circle.div_ceil(found.parts) || found.met < found.parts);
            prop_assert!(u128::from(found.widest_gap) * stimuli.len() as u128 >= u128::from(circle));
        }
    }
}
