// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion and run time of each line of the bench, with the maxima of start and completion. The 2002 paper reads both from its
//! screens as the widths of pulses.
use super::latencies::line;
use super::{ABSENT, FIGURE, WORDS, load};
use crate::grid::Grid;
use backwall_model::units::grouped;
use backwall_model::{Run, Series};

/// One row for each line with measured pulse ends, in instructions; `None` if there is no such line.
pub fn completions(runs: &[&Run]) -> Option<Grid> {
    let mut columns = vec![("run", WORDS), ("load", WORDS), ("line", WORDS)];
    let figures = ["due", "done", "start wall", "completion wall", "run min", "run mean", "run max"];
    columns.extend(figures.map(|name| (name, FIGURE)));
    let lines =
        |run: &'_ &Run| -> Vec<Vec<String>> { run.series.iter().filter_map(|series| row(run, series)).collect() };
    let grid = Grid {
        title: "Completion and run time, in executed instructions",
        intro: "The thick strokes are the largest time from the pulse to the start of an answer, and the largest time from \
            the pulse to its end. The run time of an answer is from its start to its end, including other threads that ran \
            meanwhile."
            .to_string(),
        columns,
        dispensable: vec!["due", "run mean", "done", "load"],
        rows: runs.iter().flat_map(lines).collect(),
    };
    (!grid.rows.is_empty()).then_some(grid)
}

fn row(run: &Run, series: &Series) -> Option<Vec<String>> {
    let (_, name) = line(series)?;
    let [completion, run_time] = run.completed(series)?;
    let exact = |value: Option<u64>| value.map_or(ABSENT.to_string(), grouped);
    let mean = run_time.mean.map(|mean| mean.round() as u64);
    let mut cells = vec![super::name(run).to_string(), load(run).to_string(), name];
    let figures = [completion.due, Some(completion.done), series.max, completion.max, run_time.min, mean, run_time.max];
    cells.extend(figures.map(exact));
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};
    use backwall_model::completion_of;

    #[test]
    fn a_line_has_a_row_where_its_ends_were_looked_at() {
        let mut run = run_of("linux:rt", "none");
        let mut completion = series("app", &[400, 900]);
        (completion.key.name, completion.to) = ("app_completion".into(), completion_of("app"));
        let mut run_time = series("app", &[100, 300]);
        (run_time.key.name, run_time.from, run_time.to) = ("app_run_time".into(), "app".into(), completion_of("app"));
        run.series = vec![series("ist", &[7]), series("app", &[300, 600]), completion, run_time];
        let grid = completions(&[&run]).unwrap();
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["x none APP 3 2 600 900 100 200 300"]);
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
        assert!(grid.text(80).lines().all(|line| line.chars().count() <= 80), "{}", grid.text(80));
        run.series.truncate(2);
        assert_eq!(completions(&[&run]), None);
    }
}
