// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interrupt timing analysis after Table 1 of the third paper: the time from the pulse to ISR and IST while an idle-priority
//! thread runs. The paper's three processors keep their own unit.
use super::latencies::line;
use super::operations::{NOTE, PROCESSORS, SOURCE, TABLE_1};
use super::{ABSENT, FIGURE, WORDS, load};
use crate::grid::Grid;
use backwall_capture::connector::{self, ISR, IST};
use backwall_model::units::grouped;
use backwall_model::{Run, Series};

const IDLE: &str = "idle";

const COLUMNS: [&str; 6] = ["ISR min", "ISR max", "ISR mean", "IST min", "IST max", "IST mean"];

pub fn timing(runs: &[&Run]) -> Option<Grid> {
    let grid = Grid {
        title: "Interrupt timing analysis, in executed instructions",
        intro:
            "Latencies from the pulse to the ISR, and from the pulse to the IST. The paper counts its IST latency from \
            the end of the ISR. Linux answers only from threads, so its ISR is not visible from outside."
                .to_string(),
        columns: columns("run"),
        dispensable: vec!["ISR mean", "IST mean"],
        rows: runs.iter().filter(|run| load(run).starts_with(IDLE)).map(|run| row(run)).collect(),
    };
    (!grid.rows.is_empty()).then_some(grid)
}

fn columns(first: &'static str) -> Vec<(&'static str, crate::table::Align)> {
    [(first, WORDS)].into_iter().chain(COLUMNS.map(|name| (name, FIGURE))).collect()
}

fn row(run: &Run) -> Vec<String> {
    let figures = [ISR, IST].map(|wanted| {
        let series = run.series.iter().find(|series| connector::response(&series.key.name) == Some(wanted));
        series.filter(|series| line(series).is_some()).map_or([ABSENT; 3].map(String::from), of)
    });
    [super::name(run).to_string()].into_iter().chain(figures.into_iter().flatten()).collect()
}

fn of(series: &Series) -> [String; 3] {
    let mean = series.mean.map(|mean| mean.round() as u64);
    [series.min, series.max, mean].map(|value| value.map_or(ABSENT.to_string(), grouped))
}

/// Table 1 of the paper, in microseconds.
pub fn published() -> Grid {
    let row = |(processor, figures): (&str, &[&str; 6])| {
        [processor].into_iter().chain(figures.iter().copied()).map(String::from).collect::<Vec<String>>()
    };
    Grid {
        title: "The paper's Table 1, in microseconds",
        intro: format!("{SOURCE}. {NOTE}"),
        columns: columns("CPU"),
        dispensable: Vec::new(),
        rows: PROCESSORS.into_iter().zip(&TABLE_1).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};

    #[test]
    fn a_run_beside_an_idle_thread_has_a_row_and_the_paper_a_table_of_its_own() {
        let (mut detent, mut linux) = (run_of("detent", "idle1"), run_of("linux:rt", "idle1+idle5"));
        detent.series = vec![series("isr", &[5, 7]), series("ist", &[90, 110])];
        linux.series = vec![series("ist", &[7_000, 7_501])];
        let other = run_of("detent", "polygons");
        let grid = timing(&[&detent, &linux, &other]).unwrap();
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["x 5 7 6 90 110 100", "x - - - 7,000 7,501 7,251"]);
        assert_eq!(timing(&[&other]), None);
        let paper = published();
        assert_eq!(paper.rows[1].join(" "), "Pentium, 166 MHz 3.3 6.7 4.2 19.2 105.6 62.1");
        for grid in [grid, paper] {
            assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
            assert!(grid.text(80).lines().all(|line| line.chars().count() <= 80), "{}", grid.text(80));
        }
    }
}
