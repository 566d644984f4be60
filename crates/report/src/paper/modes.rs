// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modes in which answers ran: user, kernel, or none while the CPU was waiting.
use super::latencies::line;
use super::{FIGURE, WORDS, load};
use crate::grid::Grid;
use backwall_model::units::{grouped, tenths};
use backwall_model::{Divided, Run, Series};

pub fn by_mode(runs: &[&Run]) -> Option<Grid> {
    let mut columns = vec![("run", WORDS), ("load", WORDS), ("line", WORDS)];
    let figures = ["user", "kernel", "waited", "worst user", "worst kernel", "worst waited"];
    columns.extend(figures.map(|name| (name, FIGURE)));
    let lines =
        |run: &'_ &Run| -> Vec<Vec<String>> { run.series.iter().filter_map(|series| row(run, series)).collect() };
    let grid = Grid {
        title: "Latencies by mode, in executed instructions",
        intro:
            "The parts of the mean and of the largest latency: instructions in user mode, instructions in all other \
            modes, and the time for which the CPU waited. The parts sum to the latency."
                .to_string(),
        columns,
        dispensable: vec!["waited", "worst waited", "load"],
        rows: runs.iter().flat_map(lines).collect(),
    };
    (!grid.rows.is_empty()).then_some(grid)
}

fn row(run: &Run, series: &Series) -> Option<Vec<String>> {
    let (_, name) = line(series)?;
    let Divided { all, worst } = *run.results.divided.get(&series.key.name)?;
    let answers = series.counted().max(1) as f64;
    let mut cells = vec![super::name(run).to_string(), load(run).to_string(), name];
    cells.extend([all.user, all.kernel, all.waited].map(|sum| tenths(sum as f64 / answers)));
    cells.extend([worst.user, worst.kernel, worst.waited].map(grouped));
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};
    use backwall_model::Division;

    #[test]
    fn a_line_has_a_row_where_its_latencies_were_divided() {
        let mut run = run_of("linux:rt", "polygons-memory@40");
        run.series = vec![series("isr", &[5]), series("app", &[300, 601])];
        let all = Division { user: 101, kernel: 700, waited: 100 };
        let worst = Division { user: 1, kernel: 500, waited: 100 };
        run.results.divided.insert("app".into(), Divided { all, worst });
        let grid = by_mode(&[&run]).unwrap();
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["x polygons-memory@40 APP 50.5 350.0 50.0 1 500 100"]);
        assert!(grid.text(80).lines().all(|line| line.chars().count() <= 80), "{}", grid.text(80));
        run.results.divided.clear();
        assert_eq!(by_mode(&[&run]), None);
    }
}
