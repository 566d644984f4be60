// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results other than series: one row each, in the unit of its name.
use crate::section::Section;
use backwall_model::results::{Periods, Results, Sweep, Units};
use backwall_model::units::grouped;
use backwall_model::{Divided, Division, EventLimit, Phase, Run};
use maud::html;

const INTRO: &str = "Figures without a distribution, as in run.json.";

type Row = (String, u64);

pub fn section(run: &Run) -> Option<Section> {
    let rows = rows(&run.results);
    let table = html! {
        div class="wide" {
            table id="found-table" {
                thead { tr { th { "figure" } th class="r" { "value" } } }
                tbody { @for (name, value) in &rows { tr { th scope="row" { (name) } td class="r" { (grouped(*value)) } } } }
            }
        }
    };
    (!rows.is_empty()).then(|| Section::new("found", "Other figures", INTRO, table))
}

fn rows(found: &Results) -> Vec<Row> {
    let mut rows: Vec<Row> = found.divided.iter().flat_map(|(line, divided)| divided_rows(line, divided)).collect();
    rows.extend(found.phases.iter().flat_map(|(letter, phase)| phase_rows(*letter, phase)));
    rows.extend(found.periods.iter().flat_map(|(line, periods)| period_rows(line, periods)));
    rows.extend(found.limit.iter().flat_map(limit_rows));
    rows.extend(found.sweep.iter().flat_map(sweep_rows));
    rows.extend(found.units.iter().flat_map(unit_rows));
    let once = [
        ("instructions over which the load's progress was counted", found.load_instructions),
        ("kernel events recorded during the tasks", found.trace_events),
    ];
    rows.extend(known(once));
    rows
}

fn known<const N: usize>(rows: [(&str, Option<u64>); N]) -> impl Iterator<Item = Row> {
    rows.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?)))
}

fn divided_rows(line: &str, Divided { all, worst }: &Divided) -> Vec<Row> {
    let of = |which: &str, Division { user, kernel, waited }: &Division| {
        [("in user mode", *user), ("in kernel mode", *kernel), ("waited", *waited)]
            .map(|(mode, count)| (format!("{line}, {which}: instructions {mode}"), count))
    };
    [of("all responses", all), of("the largest", worst)].concat()
}

fn phase_rows(letter: char, Phase { circle, parts, met, widest_gap }: &Phase) -> Vec<Row> {
    let rows = [
        ("cycle in which the stimuli fall, instructions", *circle),
        ("parts of that cycle", *parts),
        ("parts in which a stimulus fell", *met),
        ("widest gap between stimuli in the cycle, instructions", *widest_gap),
    ];
    rows.map(|(name, value)| (format!("generator {letter}: {name}"), value)).to_vec()
}

fn period_rows(line: &str, Periods { unit, answered, fails_at }: &Periods) -> Vec<Row> {
    let unit = unit.name();
    let rows = [
        ("shortest period at which all pulses are answered", *answered),
        ("longest period at which a pulse is missed", *fails_at),
    ];
    known(rows).map(|(name, value)| (format!("{line}: {name}, {unit}"), value)).collect()
}

fn limit_rows(limit: &EventLimit) -> Vec<Row> {
    let unit = limit.unit.name();
    let times = known([
        ("period of the limit", Some(limit.period)),
        ("mean time to switch to an event's thread", Some(limit.switch)),
        ("computing time of an event", limit.computation),
    ]);
    let spread = limit.spread;
    let counts = known([
        ("calculated events", Some(limit.calculated)),
        ("most events that met the limit", Some(limit.events)),
        ("fewest events that missed the limit", limit.fails_at),
        ("searches", spread.map(|spread| spread.searches)),
        ("fewest events that a search found", spread.map(|spread| spread.least)),
        ("most events that a search found", spread.map(|spread| spread.most)),
    ]);
    times.map(|(name, value)| (format!("{name}, {unit}"), value)).chain(counts).collect()
}

fn sweep_rows(sweep: &Sweep) -> Vec<Row> {
    let rows = [
        ("arrivals that were answered", Some(sweep.arrivals)),
        ("arrivals that were missed", Some(sweep.missed)),
        ("arrival instants not tried", Some(sweep.untried)),
        ("instant of the first answered arrival", sweep.first),
        ("instant of the last answered arrival", sweep.last),
        ("smallest latency, instructions", sweep.floor),
        ("largest latency, instructions", sweep.worst),
        ("arrival instant of the largest latency", sweep.worst_at),
        ("largest minus smallest latency, instructions", sweep.spread),
    ];
    known(rows).collect()
}

fn unit_rows(Units { planned, done, different }: &Units) -> Vec<Row> {
    let rows = [("units planned", *planned), ("units done", *done), ("results that differ", *different)];
    known(rows.map(|(name, value)| (name, Some(value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::units::Unit;
    use std::collections::BTreeMap;

    #[test]
    fn every_figure_that_was_found_has_a_row_and_what_was_not_looked_for_has_none() {
        let division = Division { user: 1, kernel: 2, waited: 3 };
        let limit = EventLimit {
            unit: Unit::Instructions,
            period: 14,
            switch: 15,
            computation: None,
            calculated: 16,
            events: 17,
            fails_at: None,
            spread: None,
        };
        let sweep = Sweep {
            arrivals: 18,
            missed: 19,
            untried: 20,
            first: Some(21),
            last: None,
            floor: None,
            worst: None,
            worst_at: None,
            spread: None,
        };
        let found = Results {
            divided: BTreeMap::from([("app".into(), Divided { all: division, worst: division })]),
            phases: BTreeMap::from([('a', Phase { circle: 8, parts: 9, met: 10, widest_gap: 11 })]),
            periods: BTreeMap::from([(
                "isr".into(),
                Periods { unit: Unit::Ns, answered: Some(12), fails_at: Some(13) },
            )]),
            limit: Some(limit),
            sweep: Some(sweep),
            units: Some(Units { planned: 22, done: 23, different: 24 }),
            load_instructions: Some(25),
            trace_events: Some(26),
        };
        let values: Vec<u64> = rows(&found).into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [1, 2, 3, 1, 2, 3].into_iter().chain(8..=26).collect::<Vec<u64>>());
        assert!(rows(&Results::default()).is_empty());
    }
}
