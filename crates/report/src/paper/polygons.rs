// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of Figure 3: how many polygons each system draws, and the paper's table in its own unit.
use super::published::{self, FIGURE_3, SYSTEMS};
use super::{ABSENT, FIGURE, WORDS, name};
use crate::grid::Grid;
use backwall_model::units::grouped;
use backwall_model::{LoadProgress, Run};

const POLYGONS: &str = "polygons";
const EACH: u128 = 1_000_000_000;

pub fn drawn(runs: &[&Run]) -> Option<Grid> {
    let all: Vec<(&Run, Vec<String>)> = runs.iter().filter_map(|run| Some((*run, row(run)?))).collect();
    // Two scenarios of the same kernel and load get their own names instead of the kernel's.
    let is_once = |row: &Vec<String>| all.iter().filter(|(_, other)| other[..2] == row[..2]).count() == 1;
    let named = |(run, row): &(&Run, Vec<String>)| match is_once(row) {
        true => row.clone(),
        false => [name(run).to_string()].into_iter().chain(row[1..].iter().cloned()).collect(),
    };
    let rows: Vec<Vec<String>> = all.iter().map(named).collect();
    let columns = [("system", WORDS), ("load", WORDS), ("polygons", FIGURE), ("instructions", FIGURE)];
    let grid = Grid {
        title: "Polygons in 1,000,000,000 executed instructions",
        intro: "Counted from the first pulse to the end, while the guest answered pulses.".to_string(),
        columns: columns.into_iter().chain([("in 1,000,000,000", FIGURE)]).collect(),
        dispensable: Vec::new(),
        rows,
    };
    (!grid.rows.is_empty()).then_some(grid)
}

/// Only runs with the load Polygons alone get a row: with several loads, backwall can't tell which one moves the line.
fn row(run: &Run) -> Option<Vec<String>> {
    let is_polygons = |load: &&LoadProgress| load.name.starts_with(POLYGONS) && !load.name.contains('+');
    let load = run.loads.iter().find(is_polygons)?;
    let span = run.results.load_instructions.filter(|span| *span > 0)?;
    let rate = u64::try_from(u128::from(load.done) * EACH / u128::from(span)).unwrap_or(u64::MAX);
    Some(vec![run.device.kernel.clone(), load.name.clone(), grouped(load.done), grouped(span), grouped(rate)])
}

/// Figure 3 of the paper, in polygons a second.
pub fn published() -> Grid {
    let given = |text: &str| if text.is_empty() { ABSENT } else { text }.to_string();
    let row = |(board, figures): &(&str, [&str; 3])| {
        [board.to_string()].into_iter().chain(figures.map(given)).collect::<Vec<String>>()
    };
    Grid {
        title: "The paper's Figure 3: polygons a second",
        intro: format!("{}. The boards draw different numbers of pixels.", published::SOURCE),
        columns: [("board", WORDS)].into_iter().chain(SYSTEMS.map(|name| (name, FIGURE))).collect(),
        dispensable: Vec::new(),
        rows: FIGURE_3.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::run_of;

    fn load(name: &str, done: u64) -> LoadProgress {
        let (unit, phase) = (String::new(), name.to_string());
        LoadProgress { name: name.into(), unit, phase, done, per_second: Vec::new(), each_s: 1 }
    }

    #[test]
    fn polygons_are_counted_in_the_instructions_in_which_they_were_drawn() {
        let [mut one, mut two, idle] = ["detent", "linux:rt", "linux:stock"].map(|guest| run_of(guest, "polygons"));
        one.loads = vec![load("polygons@40", 300)];
        one.results.load_instructions = Some(2_000_000_000);
        two.loads = vec![load("polygons+memory", 300)];
        two.results.load_instructions = Some(2_000_000_000);
        let grid = drawn(&[&one, &two, &idle]).unwrap();
        assert_eq!(grid.rows.len(), 1);
        assert_eq!(grid.rows[0].join(" "), "detent polygons@40 300 2,000,000,000 150");
        assert!(drawn(&[&idle]).is_none());
        let again = drawn(&[&one, &one]).unwrap();
        assert!(again.rows.iter().all(|row| row[0] == name(&one) && row[0] != grid.rows[0][0]), "{:?}", again.rows);
        assert_eq!(published().rows[0].join(" "), "Graphics Master (VGA) 170 751 537");
    }
}
