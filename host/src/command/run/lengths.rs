// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long each phase lasts.
use super::options::Args;
use super::setup;
use crate::exit::usage;
use crate::units::Nanoseconds;
use std::ops::RangeInclusive;

/// Length of a phase of the tour, and of the quick one.
const FOR: Nanoseconds = Nanoseconds(15_000_000_000);
const FOR_QUICK: Nanoseconds = Nanoseconds(1_500_000_000);
/// The longest phase the probe takes: a year.
const FOR_MAX: Nanoseconds = Nanoseconds(8_760 * 3_600_000_000_000);
/// What the probe takes as a period.
const PERIODS: RangeInclusive<Nanoseconds> = Nanoseconds(1_000)..=Nanoseconds(3_600_000_000_000);
/// A traced phase lasts a third of an untraced one, within these limits in nanoseconds.
const TRACED: (u64, u64) = (1_000_000_000, 5_000_000_000);
/// One at least so long goes on to measure what tracing costs.
const COSTED: u64 = 3_000_000_000;

/// Of an untraced phase; the run has `untraced` and `traced` ones for each measure.
pub(super) fn untraced(args: &Args, untraced: u64, traced: u64) -> anyhow::Result<Nanoseconds> {
    check_times(args)?;
    let length = match (args.duration, args.loops) {
        (Some(whole), _) => share(whole, untraced, traced, setup::measures(args).len() as u64),
        (None, Some(loops)) => Nanoseconds(loops.saturating_mul(args.period.0)),
        (None, None) => args.length.unwrap_or(if args.quick { FOR_QUICK } else { FOR }),
    };
    let option = if args.loops.is_some() { "--loops" } else { "--for" };
    if length > FOR_MAX {
        return Err(usage(format!("{option}: at most 8760h, which is a year")));
    }
    if length < args.period {
        return Err(too_short(args));
    }
    Ok(length)
}

/// Of an attached measurement, which has no phases.
pub(super) fn attached(args: &Args) -> anyhow::Result<Nanoseconds> {
    check_times(args)?;
    let length = args.duration.or(args.length).unwrap_or(FOR);
    if length.0 == 0 || length > FOR_MAX {
        return Err(usage("--for with --attach: from 1ns to 8760h"));
    }
    Ok(length)
}

fn too_short(args: &Args) -> anyhow::Error {
    match args.duration {
        Some(_) => usage("--duration leaves less than one --period for each phase: nothing would be measured"),
        None => usage("--for is shorter than one --period: nothing would be measured"),
    }
}

fn check_times(args: &Args) -> anyhow::Result<()> {
    if !PERIODS.contains(&args.period) {
        return Err(usage("--period: from 1us to 1h"));
    }
    if args.deadline.is_some_and(|deadline| deadline.0 == 0 || deadline > FOR_MAX) {
        return Err(usage("--deadline: from 1ns to 8760h; leave it out for one period"));
    }
    let limits = [("--stop-above", args.stop_above), ("--snapshot-above", args.snapshot_above)];
    if let Some((option, _)) = limits.iter().find(|(_, limit)| *limit == Some(Nanoseconds(0))) {
        return Err(usage(format!("{option} 0: every response takes longer; from 1ns")));
    }
    if args.duration.is_some_and(|whole| whole > FOR_MAX) {
        return Err(usage("--duration: at most 8760h, which is a year"));
    }
    Ok(())
}

/// The longest phase with which the whole run lasts at most `whole`; 0 where there is none.
fn share(whole: Nanoseconds, untraced: u64, traced: u64, measures: u64) -> Nanoseconds {
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

/// Of the traced phase that belongs to an untraced one, and whether it goes on to measure what tracing costs.
pub(super) fn traced(untraced: u64) -> (u64, bool) {
    let steady = (untraced / 3).clamp(TRACED.0, TRACED.1).min(untraced);
    let toggled = steady >= COSTED;
    (steady + if toggled { record::TOGGLED.as_nanos() as u64 } else { 0 }, toggled)
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
