// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lengths of phases in a run with traced phases.
use backwall_model::units::Nanoseconds;

/// A traced phase lasts a third of an untraced one, within these limits in nanoseconds.
const TRACED: (u64, u64) = (1_000_000_000, 5_000_000_000);
/// Untraced phases of at least this length also measure the cost of tracing.
const COSTED: u64 = 3_000_000_000;

/// The longest phase length with which the run takes at most `whole`; 0 if even the shortest does not fit.
pub fn share(whole: Nanoseconds, untraced: u64, traced: u64, measures: u64) -> Nanoseconds {
    let lasts = |length: u64| {
        let steps = untraced.saturating_mul(length).saturating_add(traced.saturating_mul(self::traced(length).0));
        steps.saturating_mul(measures)
    };
    let (mut fits, mut beyond) = (0, whole.0.saturating_add(1));
    while beyond - fits > 1 {
        let middle = fits + (beyond - fits) / 2;
        if lasts(middle) <= whole.0 { fits = middle } else { beyond = middle }
    }
    Nanoseconds(fits)
}

/// Length of the traced phase for an untraced one, and whether it also measures the cost of tracing.
pub fn traced(untraced: u64) -> (u64, bool) {
    let steady = (untraced / 3).clamp(TRACED.0, TRACED.1).min(untraced);
    let toggled = steady >= COSTED;
    (steady + if toggled { backwall_ftrace::TOGGLED.as_nanos() as u64 } else { 0 }, toggled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_whole_run_lasts_what_was_asked(whole in 10_000_000u64..100_000_000_000_000, steps in 1u64..6, stages in 0u64..6, measures in 1u64..4) {
            let length = share(Nanoseconds(whole), steps, stages, measures).0;
            let lasts = |length| measures * (steps * length + stages * traced(length).0);
            prop_assert!(lasts(length) <= whole && lasts(length + 1) > whole);
        }
    }
}
