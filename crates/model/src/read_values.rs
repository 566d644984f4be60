// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of runs of earlier versions into the members that hold their figures now: until then a figure without a distribution was a
//! value whose name told what it is of. A group that is not whole stays among the values.
use super::{Divided, Division, EventLimit, Found, Periods, Phase, Run, Spread, Sweep, found};
use crate::units::Unit;
use std::collections::BTreeMap;

/// Moves what has a member of its own out of the values of the run.
pub(super) fn convert(run: &mut Run) {
    let Run { values, later_values, found, .. } = run;
    let all = std::mem::take(values);
    for (name, value) in all {
        match place(&name) {
            Some((name, place)) => {
                later_values.entry(place.to_string()).or_default().insert(name.to_string(), value);
            }
            None => {
                values.insert(name, value);
            }
        }
    }
    divided(values, found);
    phases(values, found);
    periods(values, found);
    whole(values, found);
}

/// `overhead_min_cycles[load all, idle off]`: the name, and the phase or stretch. In brackets with a `=` stands a variant, which
/// belongs to the name.
fn place(name: &str) -> Option<(&str, &str)> {
    let (name, place) = name.strip_suffix(']')?.rsplit_once('[')?;
    (!place.contains('=')).then_some((name, place))
}

/// What each value's name says before one of these `ends`, with the values in their order, where all are there.
fn groups<const N: usize>(values: &mut BTreeMap<String, u64>, ends: [&str; N]) -> Vec<(String, [u64; N])> {
    let begins: Vec<String> = values.keys().filter_map(|name| name.strip_suffix(ends[0])).map(str::to_string).collect();
    let of = |begin: String| {
        let names = ends.map(|end| begin.clone() + end);
        let found = names.each_ref().map(|name| values.get(name).copied());
        if found.contains(&None) {
            return None;
        }
        for name in &names {
            values.remove(name);
        }
        Some((begin, found.map(Option::unwrap_or_default)))
    };
    begins.into_iter().filter_map(of).collect()
}

fn divided(values: &mut BTreeMap<String, u64>, found: &mut Found) {
    // The worst first: its names end as the others do.
    const ENDS: [&str; 6] = [
        "_worst_user_instructions",
        "_worst_kernel_instructions",
        "_worst_waited_instructions",
        "_user_instructions",
        "_kernel_instructions",
        "_waited_instructions",
    ];
    for (line, [worst_user, worst_kernel, worst_waited, user, kernel, waited]) in groups(values, ENDS) {
        let worst = Division { user: worst_user, kernel: worst_kernel, waited: worst_waited };
        found.divided.insert(line, Divided { all: Division { user, kernel, waited }, worst });
    }
}

fn phases(values: &mut BTreeMap<String, u64>, found: &mut Found) {
    const ENDS: [&str; 4] =
        ["phase_circle_instructions", "phase_parts", "phase_parts_met", "phase_widest_gap_instructions"];
    for (prefix, [circle, parts, met, widest_gap]) in groups(values, ENDS) {
        // The first generator had no prefix, the second `b_`.
        let letter = prefix.chars().next().unwrap_or('a');
        found.phases.insert(letter, Phase { circle, parts, met, widest_gap });
    }
}

fn periods(values: &mut BTreeMap<String, u64>, found: &mut Found) {
    values.retain(|name, value| {
        let read = || {
            let name = name.strip_prefix("mf_")?;
            let (name, unit) = match name.strip_suffix("_ns") {
                Some(name) => (name, Unit::Ns),
                None => (name.strip_suffix("_instructions")?, Unit::Instructions),
            };
            let fails = name.strip_suffix("_fails_at_period");
            Some((fails.or_else(|| name.strip_suffix("_period"))?, fails.is_some(), unit))
        };
        let Some((line, fails, unit)) = read() else { return true };
        let periods = found.periods.entry(line.to_string()).or_insert(Periods { unit, answered: None, fails_at: None });
        *(if fails { &mut periods.fails_at } else { &mut periods.answered }) = Some(*value);
        false
    });
}

/// What a run has once.
fn whole(values: &mut BTreeMap<String, u64>, found: &mut Found) {
    found.limit = found.limit.take().or_else(|| limit(values));
    found.sweep = found.sweep.take().or_else(|| sweep(values));
    let of_campaign = |[planned, done, different]: [u64; 3]| found::Units { planned, done, different };
    let units = ["campaign_units_planned", "campaign_units_done", "campaign_units_different"];
    found.units = found.units.take().or_else(|| groups(values, units).pop().map(|(_, counts)| of_campaign(counts)));
    found.load_instructions = found.load_instructions.or_else(|| values.remove("load_instructions"));
    found.trace_events = found.trace_events.or_else(|| values.remove("trace_events"));
}

fn limit(values: &mut BTreeMap<String, u64>) -> Option<EventLimit> {
    const OF_TIME: [&str; 5] =
        ["limit_events", "limit_calculated_events", "limit_switch_mean_ns", "limit_period_ns", "limit_computation_ns"];
    const OF_INSTRUCTIONS: [&str; 5] = [
        "limit_events",
        "limit_calculated_events",
        "limit_switch_mean_instructions",
        "limit_period_instructions",
        "limit_computation_instructions",
    ];
    let of_time = values.contains_key(OF_TIME[3]);
    let [events, calculated, switch, period, computation] = if of_time { OF_TIME } else { OF_INSTRUCTIONS };
    let unit = if of_time { Unit::Ns } else { Unit::Instructions };
    let [(_, [events, calculated, switch, period])] = groups(values, [events, calculated, switch, period])[..] else {
        return None;
    };
    let mut taken = |name: &str| values.remove(name);
    let (computation, fails_at) = (taken(computation), taken("limit_fails_events"));
    let spread = [taken("limit_searches"), taken("limit_least_events"), taken("limit_most_events")];
    let spread = match spread {
        [Some(searches), Some(least), Some(most)] => Some(Spread { searches, least, most }),
        _ => None,
    };
    Some(EventLimit { unit, period, switch, computation, calculated, events, fails_at, spread })
}

fn sweep(values: &mut BTreeMap<String, u64>) -> Option<Sweep> {
    let [(_, [arrivals, lost, untried])] = groups(values, ["sweep_arrivals", "sweep_lost", "sweep_untried"])[..] else {
        return None;
    };
    let mut taken = |name: &str| values.remove(name);
    Some(Sweep {
        arrivals,
        lost,
        untried,
        floor: taken("sweep_floor_instructions"),
        worst: taken("sweep_worst_instructions"),
        first: None,
        last: None,
        worst_at: taken("sweep_worst_at_instructions"),
        spread: taken("sweep_spread_instructions"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Plan};

    fn read(values: &[(&str, u64)]) -> Run {
        let mut run = Run::begin(Origin::Emulated, Plan::default(), Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.values.extend(values.iter().map(|(name, value)| (name.to_string(), *value)));
        convert(&mut run);
        run
    }

    #[test]
    fn divided_latencies_and_phases_are_read_by_line_and_generator() {
        let run = read(&[
            ("b_app_user_instructions", 4_000),
            ("b_app_kernel_instructions", 20),
            ("b_app_waited_instructions", 1),
            ("b_app_worst_user_instructions", 40),
            ("b_app_worst_kernel_instructions", 20),
            ("b_app_worst_waited_instructions", 0),
            ("phase_circle_instructions", 10),
            ("phase_parts", 10),
            ("phase_parts_met", 5),
            ("phase_widest_gap_instructions", 2),
        ]);
        let (all, worst) =
            (Division { user: 4_000, kernel: 20, waited: 1 }, Division { user: 40, kernel: 20, waited: 0 });
        assert_eq!(run.found.divided, [("b_app".to_string(), Divided { all, worst })].into());
        assert_eq!(run.found.phases[&'a'], Phase { circle: 10, parts: 10, met: 5, widest_gap: 2 });
        assert_eq!(run.values, BTreeMap::new());
    }

    #[test]
    fn a_group_that_is_not_whole_stays() {
        let run = read(&[("app_worst_user_instructions", 4), ("campaign_units_done", 3), ("limit_events", 7)]);
        assert!(run.found.is_empty());
        assert_eq!(run.values.len(), 3);
    }

    #[test]
    fn limits_of_both_units_sweeps_campaigns_and_periods_are_read() {
        let run = read(&[
            ("limit_events", 1_250),
            ("limit_calculated_events", 1_000),
            ("limit_switch_mean_ns", 5_000),
            ("limit_period_ns", 10_000_000),
            ("mf_app_period_ns", 900),
            ("mf_app_fails_at_period_ns", 850),
            ("sweep_arrivals", 9),
            ("sweep_lost", 1),
            ("sweep_untried", 0),
            ("sweep_worst_instructions", 77),
            ("campaign_units_planned", 4),
            ("campaign_units_done", 3),
            ("campaign_units_different", 2),
            ("load_instructions", 2_000),
        ]);
        let limit = run.found.limit.unwrap();
        assert_eq!((limit.unit, limit.events, limit.computation), (Unit::Ns, 1_250, None));
        let periods = Periods { unit: Unit::Ns, answered: Some(900), fails_at: Some(850) };
        assert_eq!(run.found.periods, [("app".to_string(), periods)].into());
        let sweep = run.found.sweep.unwrap();
        assert_eq!((sweep.arrivals, sweep.lost, sweep.worst, sweep.floor), (9, 1, Some(77), None));
        assert_eq!(run.found.units, Some(found::Units { planned: 4, done: 3, different: 2 }));
        assert_eq!((run.found.load_instructions, run.values.len()), (Some(2_000), 0));
    }

    #[test]
    fn a_value_of_a_later_phase_stands_with_its_phase_and_a_variant_stays_in_the_name() {
        let run = read(&[
            ("cpu_ns", 1),
            ("cpu_ns[load all, idle off]", 2),
            ("cpu_ns[series=copy,cpu=3]", 3),
            ("cpu_ns[series=copy,cpu=3][stretch 2]", 4),
        ]);
        assert_eq!(run.values.into_values().collect::<Vec<_>>(), [1, 3]);
        assert_eq!(run.later_values["load all, idle off"]["cpu_ns"], 2);
        assert_eq!(run.later_values["stretch 2"]["cpu_ns[series=copy,cpu=3]"], 4);
    }
}
