// SPDX-License-Identifier: MIT OR Apache-2.0
use super::RunRequest;
use super::setup;
use crate::session::lengths::share;
use backwall_model::units::Nanoseconds;
use backwall_os::refusal::{Refusal, Result, usage};
use std::ops::RangeInclusive;

const FOR: Nanoseconds = Nanoseconds(15_000_000_000);
const FOR_QUICK: Nanoseconds = Nanoseconds(1_500_000_000);
const FOR_MAX: Nanoseconds = Nanoseconds(8_760 * 3_600_000_000_000);
const PERIODS: RangeInclusive<Nanoseconds> = Nanoseconds(1_000)..=Nanoseconds(3_600_000_000_000);
/// Length of an untraced phase. `untraced` and `traced`: the number of such phases per measure.
pub(super) fn untraced(asked: &RunRequest, untraced: u64, traced: u64) -> Result<Nanoseconds> {
    check_times(asked)?;
    let length = match (asked.duration, asked.loops) {
        (Some(whole), _) => share(whole, untraced, traced, setup::measures(asked).len() as u64),
        (None, Some(loops)) => Nanoseconds(loops.saturating_mul(asked.schedule.period.0)),
        (None, None) => asked.length.unwrap_or(if asked.quick { FOR_QUICK } else { FOR }),
    };
    let option = if asked.loops.is_some() { "--loops" } else { "--for" };
    if length > FOR_MAX {
        return Err(usage(format!("{option} must be at most 8760h (one year)")));
    }
    if length < asked.schedule.period {
        return Err(too_short(asked));
    }
    Ok(length)
}

fn too_short(asked: &RunRequest) -> Refusal {
    match asked.duration {
        Some(_) => usage("--duration is too short: each phase must have at least one --period"),
        None => usage("--for must be at least one --period"),
    }
}

fn check_times(asked: &RunRequest) -> Result<()> {
    if !PERIODS.contains(&asked.schedule.period) {
        return Err(usage("--period must be 1us to 1h"));
    }
    if asked.schedule.deadline.is_some_and(|deadline| deadline.0 == 0 || deadline > FOR_MAX) {
        return Err(usage("--deadline must be 1ns to 8760h; without it, the deadline is one period"));
    }
    let limits = [("--stop-above", asked.stop_above), ("--snapshot-above", asked.snapshot_above)];
    if let Some((option, _)) = limits.iter().find(|(_, limit)| *limit == Some(Nanoseconds(0))) {
        return Err(usage(format!("{option} must be at least 1ns")));
    }
    if asked.duration.is_some_and(|whole| whole > FOR_MAX) {
        return Err(usage("--duration must be at most 8760h (one year)"));
    }
    Ok(())
}
