// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of Figure 8: the shortest answered period of each guest, the paper's table in its unit, and one search in words.
use super::published::{self, FIGURE_8, Frequency};
use super::{ABSENT, FIGURE, WORDS, load, polygons};
use crate::grid::Grid;
use crate::table::{Align, Table};
use backwall_capture::connector::{self, APP, ISR, IST};
use backwall_model::Run;
use backwall_model::picture::{Band, Saturation, Sought};
use backwall_model::units::grouped;

/// The paper's columns and the response line of each; the last column is about the background load.
const GOALS: [(&str, Option<usize>); 4] =
    [("MF-ISR", Some(ISR)), ("MF-IST", Some(IST)), ("MF-APP", Some(APP)), (Sought::SF, None)];

/// One row per search, in instructions per pulse.
pub fn frequencies(searches: &[(&Run, &Saturation)]) -> Grid {
    let marked = searches.iter().flat_map(|(_, found)| &found.goals).any(|goal| !goal.also_fails_at.is_empty());
    let warning = if marked {
        " * A longer period failed although a shorter one passed, so the result depends on more than the frequency."
    } else {
        ""
    };
    let rule = searches.first().map_or("", |(_, found)| &found.rule);
    Grid {
        title: "Maximum and saturation frequency: the shortest period, in instructions per pulse",
        intro: format!("Shorter periods are higher frequencies. {rule}{warning}"),
        columns: columns("run"),
        dispensable: Vec::new(),
        rows: searches.iter().map(|(run, found)| row(run, found)).collect(),
    }
}

/// Figure 8 of the paper, in pulses a second.
pub fn published() -> Grid {
    let given = |text: &str| if text.is_empty() { ABSENT } else { text }.to_string();
    let row = |row: &Frequency| {
        let figures = [row.mf_interrupt, "", row.mf_app, row.sf].map(given);
        [row.system.to_string(), polygons(row.loaded)].into_iter().chain(figures).collect::<Vec<String>>()
    };
    Grid {
        title: "The paper's Figure 8: the highest frequency, in pulses per second",
        intro: format!("{}. {}", published::SOURCE, published::NOTE),
        columns: columns("system"),
        dispensable: Vec::new(),
        rows: FIGURE_8.iter().map(row).collect(),
    }
}

fn columns(first: &'static str) -> Vec<(&'static str, Align)> {
    [(first, WORDS), ("load", WORDS)].into_iter().chain(GOALS.map(|(name, _)| (name, FIGURE))).collect()
}

fn row(run: &Run, found: &Saturation) -> Vec<String> {
    let mut cells = vec![super::name(run).to_string(), load(run).to_string()];
    cells.extend(GOALS.map(|(_, line)| {
        let about = |goal: &Sought| goal.line().and_then(|name| connector::response(&name));
        let goal = found.goals.iter().find(|goal| about(goal) == line && (line.is_some() || goal.name == Sought::SF));
        goal.map_or(ABSENT.to_string(), period)
    }));
    cells
}

fn period(goal: &Sought) -> String {
    let mark = if goal.also_fails_at.is_empty() { "" } else { "*" };
    match (goal.period_instructions, goal.fails_at_instructions) {
        (Some(period), Some(_)) => format!("{}{mark}", grouped(period)),
        (Some(shortest), None) => format!("≤ {}{mark}", grouped(shortest)),
        (None, Some(longest)) => format!("> {}{mark}", grouped(longest)),
        (None, None) => format!("not found{mark}"),
    }
}

/// A search in words: the result for each goal, and the method.
pub fn text(run: &Run, found: &Saturation) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("shortest period", Align::Right),
        ("pulses per million", Align::Right),
        ("fails at", Align::Right),
        ("", Align::Left),
    ]);
    found.goals.iter().for_each(|goal| table.row(goal_row(goal)));
    let undisturbed = found.undisturbed_progress_instructions.map_or(String::new(), |edge| {
        format!("Undisturbed, the load toggles its line every {} instructions.\n", grouped(edge))
    });
    format!(
        "{}: {}, load {}; emulated: figures are executed instructions, not time\n\n{}\n{} trials. {}\n{undisturbed}",
        super::name(run),
        run.device.kernel,
        load(run),
        table.text(),
        found.tried.len(),
        found.rule
    )
}

fn goal_row(goal: &Sought) -> Vec<String> {
    let [period, frequency, fails_at] = match (goal.period_instructions, goal.fails_at_instructions) {
        (Some(period), Some(fails_at)) => [grouped(period), per_million(period), grouped(fails_at)],
        (Some(period), None) => [grouped(period), per_million(period), "none tried".to_string()],
        (None, Some(longest)) => ["none".to_string(), "-".to_string(), grouped(longest)],
        (None, None) => ["not settled".to_string(), "-".to_string(), "-".to_string()],
    };
    vec![goal.name.clone(), period, frequency, fails_at, remark(goal)]
}

fn remark(goal: &Sought) -> String {
    if goal.bands.len() > 2 {
        return goal.bands.iter().map(band).collect::<Vec<_>>().join(", ");
    }
    let also: Vec<String> = goal.also_fails_at.iter().map(|period| grouped(*period)).collect();
    if also.is_empty() { String::new() } else { format!("also fails at {}", also.join(", ")) }
}

fn band(band: &Band) -> String {
    let word = if band.holds { "passes" } else { "fails" };
    let [from, to] = [band.from_instructions, band.to_instructions].map(grouped);
    if from == to { format!("{word} at {from}") } else { format!("{word} from {from} to {to}") }
}

fn per_million(period: u64) -> String {
    format!("{:.3}", 1e6 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::run_of;

    fn sought(name: &str, period: Option<u64>, fails_at: Option<u64>, also: &[u64]) -> Sought {
        Sought {
            name: name.into(),
            period_instructions: period,
            fails_at_instructions: fails_at,
            also_fails_at: also.to_vec(),
            bands: Vec::new(),
        }
    }

    #[test]
    fn an_answer_that_comes_and_goes_is_told_in_bands() {
        let bands = [(4_000, 4_000, false), (4_687, 7_500, true), (7_812, 7_812, false), (8_000, 80_000, true)];
        let bands =
            bands.map(|(from_instructions, to_instructions, holds)| Band { from_instructions, to_instructions, holds });
        let goal = Sought { bands: bands.into(), ..sought("SF", Some(8_000), Some(7_812), &[7_812]) };
        let expected = "fails at 4,000, passes from 4,687 to 7,500, fails at 7,812, passes from 8,000 to 80,000";
        assert_eq!(goal_row(&goal)[4], expected);
    }

    fn found() -> Saturation {
        let goals = vec![
            sought("MF-IST", Some(9_025), Some(9_000), &[11_000]),
            sought("MF-APP", None, Some(10_000_000), &[]),
            sought("SF", Some(50), None, &[]),
        ];
        Saturation { rule: "The rule.".into(), goals, ..Saturation::default() }
    }

    #[test]
    fn figure_8_shows_periods_and_what_was_not_found() {
        let run = run_of("linux:rt", "polygons");
        let grid = frequencies(&[(&run, &found())]);
        let expected = "x polygons - 9,025* > 10,000,000 ≤ 50";
        assert_eq!(grid.rows[0].join(" "), expected);
        assert!(grid.intro.contains("The rule.") && grid.intro.contains("* A longer period failed"));
        assert!(published().rows[3].contains(&"85 kHz".to_string()));
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
    }

    #[test]
    fn a_search_in_words_has_a_row_for_each_goal() {
        let text = text(&run_of("linux:rt", "polygons"), &found());
        let rows: Vec<String> = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(rows[0], "x: linux:rt, load polygons; emulated: figures are executed instructions, not time");
        assert_eq!(
            rows[3..6],
            [
                "MF-IST 9,025 110.803 9,000 also fails at 11,000",
                "MF-APP none - 10,000,000",
                "SF 50 20000.000 none tried",
            ]
        );
    }
}
