// SPDX-License-Identifier: MIT OR Apache-2.0
//! Merges a run with its continuation. Counts, sums, extremes, histograms and worst responses are as exact as without a gap;
//! every continued series records the gap.
use crate::conditions::clocks::BOOT;
use backwall_model::units::{Unit, grouped};
use backwall_model::{LoadProgress, Run, Series, Session, Slice, Warning};
use std::collections::BTreeMap;

/// Merges the earlier sessions and the later one into one run. A series that cannot be merged becomes a variant.
pub(crate) fn joined(before: Run, later: Run) -> Run {
    let number = before.sessions.len() + 1;
    let gap_seconds = later.sessions.first().and_then(|stretch| stretch.gap_seconds);
    let changed = changed(&before.sessions, &later.sessions);
    let mut run = Run { interrupted: later.interrupted, requirements: Vec::new(), ..before };
    run.seconds += later.seconds;
    run.valid &= later.valid;
    run.invalid.extend(later.invalid);
    run.origin = if run.series.is_empty() { later.origin } else { run.origin };
    if run.device.kind.is_empty() {
        run.device = later.device;
    }
    let steal_ticks = run.environment.steal_ticks.saturating_add(later.environment.steal_ticks);
    if later.environment.was_read() {
        run.environment = later.environment;
    }
    run.environment.steal_ticks = steal_ticks;
    let mut warnings = vec![told(number, gap_seconds)];
    for (name, sentence) in changed {
        if name == BOOT { warnings.push(Warning::new("booted", sentence)) } else { run.spoil(sentence) }
    }
    later.series.into_iter().for_each(|series| warnings.extend(take_series(&mut run, series, gap_seconds, number)));
    later.loads.into_iter().for_each(|load| take_load(&mut run.loads, load));
    for stages in later.stages {
        if run.stages.iter().all(|known| known.key != stages.key) {
            run.stages.push(stages);
        }
    }
    run.self_check = run.self_check.or(later.self_check);
    take_values(&mut run, later.values, later.later_values, number);
    run.results.take(later.results);
    run.sessions.extend(later.sessions);
    for warning in warnings.into_iter().chain(later.warnings) {
        if !run.warnings.contains(&warning) {
            run.warnings.push(warning);
        }
    }
    run
}

type Values = BTreeMap<String, u64>;

fn take_values(run: &mut Run, values: Values, of_phases: BTreeMap<String, Values>, number: usize) {
    for (name, value) in values {
        let again = run.values.contains_key(&name);
        let values =
            if again { run.later_values.entry(format!("session {number}")).or_default() } else { &mut run.values };
        values.insert(name, value);
    }
    for (phase, values) in of_phases {
        let again = run.later_values.contains_key(&phase);
        let phase = if again { format!("{phase}, session {number}") } else { phase };
        run.later_values.insert(phase, values);
    }
}

fn told(number: usize, gap_seconds: Option<f64>) -> Warning {
    let gap =
        gap_seconds.map_or("for an unknown time".to_string(), |gap| format!("for {} s", grouped(gap.round() as u64)));
    Warning::new("resumed", format!("resumed: nothing was measured for {gap} before session {number}"))
}

/// What changed since the previous session. After a reboot changes are expected; without a reboot they mean that the figures
/// mix two systems.
fn changed(before: &[Session], later: &[Session]) -> Vec<(&'static str, String)> {
    let (Some(last), Some(next)) = (before.last(), later.first()) else { return Vec::new() };
    let names = [
        (BOOT, "the machine was rebooted"),
        ("kernel", "the kernel"),
        ("cmdline", "the kernel command line"),
        ("version", "backwall"),
    ];
    let differs = |(name, _): &(&str, &str)| last.conditions.get(*name) != next.conditions.get(*name);
    let shown = |stretch: &Session, name: &str| stretch.conditions.get(name).cloned().unwrap_or_default();
    let sentence = |(name, what): (&'static str, &str)| match name {
        BOOT => (name, format!("resumed: {what} between two sessions")),
        _ => (
            name,
            format!("{what} changed when the run was resumed: {} before, {} now", shown(last, name), shown(next, name)),
        ),
    };
    names.into_iter().filter(differs).map(sentence).collect()
}

/// Merges a series with the series of the same key, or adds it. Returns a warning if they cannot be merged.
fn take_series(run: &mut Run, later: Series, gap_seconds: Option<f64>, number: usize) -> Option<Warning> {
    let Some(at) = run.series.iter().position(|series| series.key == later.key) else {
        run.series.push(later);
        return None;
    };
    let (merged, later) = stretched(&run.series[at], later, gap_seconds);
    match merged {
        Ok(series) => {
            run.series[at] = series;
            None
        }
        Err(error) => {
            let mut beside = later;
            beside.key.variant.insert("stretch".to_string(), number.to_string());
            run.series.push(beside);
            let said = format!("cannot merge a session with the others: {error}");
            Some(Warning::new("not-merged", said))
        }
    }
}

type Merged = Result<Series, backwall_model::merge::Unmergeable>;

/// Moves the later series in time: its stimuli continue the numbering of the earlier series, and its times begin after the gap.
fn stretched(first: &Series, later: Series, gap_seconds: Option<f64>) -> (Merged, Series) {
    let end = end_of(first);
    let gap = if first.unit == Unit::Ns { (gap_seconds.unwrap_or(0.0) * 1e9) as u64 } else { 0 };
    let shift = end.saturating_add(gap.max(1));
    let mut moved = later.clone();
    for worst in &mut moved.worst {
        worst.seq = worst.seq.saturating_add(first.due.unwrap_or(first.done));
        worst.at = worst.at.map(|at| at.saturating_add(shift));
    }
    moved.over_time.iter_mut().for_each(|slice| slice.at = slice.at.saturating_add(shift));
    let nothing = Slice { at: end, done: 0, missed: 0, min: 0, mean: 0.0, max: 0 };
    let over_time = backwall_stats::bounded([&first.over_time[..], &[nothing], &moved.over_time].concat());
    let merged = backwall_stats::merged(first.clone(), moved).map(|merged| Series { over_time, ..merged });
    (merged, later)
}

/// The end of the last time slice.
fn end_of(series: &Series) -> u64 {
    let slices = &series.over_time;
    let Some(last) = slices.last() else { return 0 };
    let width = slices.windows(2).map(|pair| pair[1].at.saturating_sub(pair[0].at)).min().unwrap_or(1);
    last.at.saturating_add(width)
}

fn take_load(loads: &mut Vec<LoadProgress>, later: LoadProgress) {
    match loads.iter_mut().find(|load| (&load.name, &load.phase) == (&later.name, &later.phase)) {
        Some(load) => load.append(later),
        None => loads.push(later),
    }
}
