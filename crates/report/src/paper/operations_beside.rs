// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each operation costs on several systems: one line per row of Table 2, one column per system, and the table's three
//! processors.
//!
//! Each column has one unit, given in its heading: executed instructions in the lab, microseconds on a machine or in the paper.
use super::operations::{PROCESSORS, SOURCE, row as published};
use super::{ABSENT, FIGURE, WORDS, name};
use crate::grid::Grid;
use crate::osbench::{fine, is_of, place, rows};
use crate::phrase;
use crate::run_entry::RunEntry;
use crate::table::Align;
use backwall_model::picture::Operation;
use backwall_model::units::Unit;
use backwall_model::{Origin, Series};

struct ShownFigure {
    title: &'static str,
    ours: fn(&Series) -> Option<u64>,
    paper: usize,
    of_paper: &'static str,
}

const SHOWN: [ShownFigure; 2] = [
    ShownFigure {
        title: "Each operation on each system: medians, and the paper's averages",
        ours: |series| series.quantile(0.5).and_then(|found| found.value),
        paper: 2,
        of_paper: "average",
    },
    ShownFigure {
        title: "Each operation on each system: largest, and the paper's maxima",
        ours: |series| series.max,
        paper: 1,
        of_paper: "maximum",
    },
];

/// The CPUs' short names, as in a single run's table.
const SHORT: [&str; 3] = ["K6-2", "P166", "PIII"];

pub fn operations_beside(runs: &[RunEntry]) -> Vec<Grid<String>> {
    let systems: Vec<System> = runs.iter().filter(|told| is_of(told.run)).map(System::of).collect();
    if systems.len() < 2 { Vec::new() } else { SHOWN.iter().map(|shown| grid(&systems, shown)).collect() }
}

struct System<'a> {
    head: String,
    rows: Vec<(&'a Operation, &'a Series)>,
}

impl<'a> System<'a> {
    fn of(told: &'a RunEntry<'a>) -> Self {
        let rows: Vec<_> = rows(told.run).collect();
        let unit = rows.first().map_or(Unit::Ns, |(_, series)| series.unit);
        Self { head: format!("{}\n{}", shown_name(told), phrase::column_unit(unit)), rows }
    }

    fn row(&self, test: &str) -> Option<(&'a Operation, &'a Series)> {
        self.rows.iter().find(|(row, _)| row.test == test).copied()
    }

    fn cell(&self, test: &str, ours: fn(&Series) -> Option<u64>) -> String {
        let found = self.row(test).and_then(|(row, series)| Some((row.each(ours(series)? as f64), series.unit)));
        found.map_or(ABSENT.to_string(), |(value, unit)| match unit {
            Unit::Ns => format!("{:.3}", value / 1e3),
            Unit::Instructions => fine(value),
        })
    }
}

fn shown_name<'a>(told: &'a RunEntry<'a>) -> &'a str {
    if told.run.origin == Origin::Emulated {
        name(told.run)
    } else {
        told.name.rsplit('/').next().unwrap_or(&told.name)
    }
}

fn grid(systems: &[System], shown: &ShownFigure) -> Grid<String> {
    let of_paper = SHORT.map(|processor| format!("{processor}\nus"));
    let words = [("row", FIGURE), ("operation", WORDS), ("where", WORDS)].map(|(name, side)| (name.to_string(), side));
    let heads = systems.iter().map(|system| system.head.clone()).chain(of_paper);
    let columns: Vec<(String, Align)> = words.into_iter().chain(heads.map(|head| (head, FIGURE))).collect();
    let mut operations: Vec<&Operation> = Vec::new();
    for (row, _) in systems.iter().flat_map(|system| &system.rows) {
        if !operations.iter().any(|known| known.test == row.test) {
            operations.push(row);
        }
    }
    // The paper's rows by number, then our own rows.
    operations.sort_by_key(|row| (row.paper_row.unwrap_or(u64::MAX), row.test.clone()));
    let rows = operations.iter().map(|row| line(row, systems, shown)).collect();
    Grid { title: shown.title, intro: intro(shown), columns, dispensable: Vec::new(), rows }
}

fn intro(shown: &ShownFigure) -> String {
    format!(
        "One line per row of the paper's Table 2; rows that it lacks are below. {ABSENT}: not measured there; the page of that run says why. Instructions measure the length of code, not time. The last three columns are the paper's {} of Windows CE .NET ({SOURCE}): {}.",
        shown.of_paper,
        PROCESSORS.join("; ")
    )
}

fn line(row: &Operation, systems: &[System], shown: &ShownFigure) -> Vec<String> {
    let number = row.paper_row.map_or(String::new(), |number| number.to_string());
    let ours = systems.iter().map(|system| system.cell(&row.test, shown.ours));
    let paper = row.paper_row.and_then(published);
    let theirs = (0..SHORT.len()).map(|processor| paper.map_or("", |row| row[processor][shown.paper]).to_string());
    [number, row.name.clone(), place(row)].into_iter().chain(ours).chain(theirs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};
    use backwall_model::picture::Operations;
    use backwall_model::{Picture, Run};

    fn row(test: &str, paper_row: Option<u64>, name: &str) -> Operation {
        let of_one = Operation { per_value: 2, real_time: true, ..Operation::default() };
        Operation { test: test.into(), paper_row, name: name.into(), ..of_one }
    }

    fn measured(scenario: &str, found: &[(Operation, [u64; 3])]) -> Run {
        let mut run = run_of(scenario, "none");
        run.plan.measures = vec![format!("lab {scenario}")];
        for (row, values) in found {
            let mut series = series(&row.name, values);
            series.key.variant.insert(Operation::TEST.into(), row.test.clone());
            run.series.push(series);
        }
        let rows = found.iter().map(|(row, _)| row.clone()).collect();
        run.pictures = vec![Picture::Operations(Operations { rows, peers: Vec::new() })];
        run
    }

    fn told(runs: &[Run]) -> Vec<RunEntry<'_>> {
        runs.iter().map(|run| RunEntry { name: "runs/x".into(), page: String::new(), run }).collect()
    }

    #[test]
    fn a_row_of_the_paper_is_a_line_a_system_a_column_and_the_paper_stands_beside() {
        let event = || row("1.00", Some(7), "event");
        let runs = [
            measured("linux", &[(row("8.00", None, "malloc"), [2, 4, 6]), (event(), [200, 400, 900])]),
            measured("detent", &[(event(), [20, 22, 24])]),
        ];
        let grids = operations_beside(&told(&runs));
        let [medians, largest] = grids.as_slice() else { panic!("two tables") };
        let heads: Vec<&str> = medians.columns.iter().map(|(head, _)| head.as_str()).collect();
        assert_eq!(heads[3..5], ["linux\ninstructions", "detent\ninstructions"]);
        assert_eq!(heads[5..], ["K6-2\nus", "P166\nus", "PIII\nus"]);
        let said = |grid: &Grid<String>| grid.rows.iter().map(|row| row.join("|")).collect::<Vec<_>>();
        assert_eq!(said(medians), ["7|event||200|11.0|7.339|21.486|5.604", "|malloc||2.0|-|||"]);
        assert_eq!(said(largest), ["7|event||450|12.0|15.086|25.143|7.543", "|malloc||3.0|-|||"]);
        assert!(operations_beside(&told(&runs[..1])).is_empty());
    }

    #[test]
    fn a_machine_s_column_is_in_microseconds_beside_the_lab_s_instructions() {
        let mut machine = measured("x", &[(row("1.00", Some(7), "event"), [2_000, 4_000, 9_000])]);
        machine.origin = Origin::Measured;
        machine.series.iter_mut().for_each(|series| series.unit = Unit::Ns);
        let runs = [machine, measured("detent", &[(row("1.00", Some(7), "event"), [20, 22, 24])])];
        let medians = &operations_beside(&told(&runs))[0];
        assert_eq!(medians.columns[3].0, "x\nus");
        assert_eq!(medians.rows[0][3..5], ["2.000", "11.0"]);
        let narrow = medians.text(80);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    }
}
