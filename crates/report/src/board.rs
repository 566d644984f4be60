// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lab runs next to captures of a board with the same lines: instructions and time in separate columns.
use super::grid::Grid;
use super::picture::rise;
use super::run_entry::RunEntry;
use super::section::Section;
use super::table::Align;
use super::{paper, phrase};
use backwall_capture::connector;
use backwall_model::units::{Unit, grouped};
use backwall_model::{Run, Series};
use maud::{Markup, html};

const TITLE: &str = "The same lines in the lab and on a board";
const INTRO: &str = "The lab counts executed instructions, a capture measures time. Neither converts to the other, so \
    each has its own columns, and only the ratio of largest to smallest compares directly. Make sure that the capture \
    had the same scenario and load. On a board an instruction takes a fraction of a cycle or, after a cache miss, \
    hundreds of cycles.";

const DISPENSABLE: [&str; 4] = ["max / min there", "max / min here", "on the board", "in the lab"];

fn is_of_board(run: &Run) -> bool {
    run.device.kind == "capture" && answers(run).any(|series| series.unit == Unit::Ns)
}

fn answers(run: &Run) -> impl Iterator<Item = &Series> {
    run.series.iter().filter(|series| connector::response(&series.key.name).is_some() && series.max.is_some())
}

fn parted<'a>(runs: &'a [RunEntry<'a>]) -> Option<(Vec<&'a RunEntry<'a>>, Vec<&'a RunEntry<'a>>)> {
    let lab: Vec<&RunEntry> = runs.iter().filter(|told| paper::shows_latencies(told.run)).collect();
    let board: Vec<&RunEntry> = runs.iter().filter(|told| is_of_board(told.run)).collect();
    (!lab.is_empty() && !board.is_empty()).then_some((lab, board))
}

/// Pairs every lab run with every capture: one row for each line that both have.
pub fn grid(runs: &[RunEntry]) -> Option<Grid> {
    let (lab, board) = parted(runs)?;
    let words = [("line", Align::Left), ("in the lab", Align::Left)].into_iter();
    let figure = |name| (name, Align::Right);
    let ours = ["min, instructions", "max, instructions", "max / min there"].map(figure);
    let theirs = ["min, us", "max, us", "max / min here"].map(figure);
    let columns = words.chain(ours).chain([("on the board", Align::Left)]).chain(theirs).collect();
    let pairs = lab.iter().flat_map(|one| board.iter().map(move |other| (one, other)));
    let rows: Vec<Vec<String>> = pairs.flat_map(|(one, other)| beside(one, other)).collect();
    let grid = Grid { title: TITLE, intro: INTRO.to_string(), columns, dispensable: DISPENSABLE.to_vec(), rows };
    (!grid.rows.is_empty()).then_some(grid)
}

fn beside(lab: &RunEntry, board: &RunEntry) -> Vec<Vec<String>> {
    let both = |ours: &Series| {
        let theirs = answers(board.run).find(|series| series.key.name == ours.key.name)?;
        let words = [connector::shown(&ours.key.name).to_string(), paper::name(lab.run).to_string()].into_iter();
        Some(words.chain(figures(ours)).chain([board.name.clone()]).chain(figures(theirs)).collect())
    };
    answers(lab.run).filter_map(both).collect()
}

/// Minimum and maximum in the series' own unit, and their ratio, which has no unit.
fn figures(series: &Series) -> [String; 3] {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, series.unit));
    let spread = series.max.zip(series.min).filter(|(_, min)| *min > 0);
    let spread = spread.map_or("-".to_string(), |(max, min)| format!("{:.2}", max as f64 / min as f64));
    [exact(series.min), exact(series.max), spread]
}

/// The table, followed by the pictures of how the answers rise. Each unit has its own axis.
pub fn section(runs: &[RunEntry]) -> Option<Section> {
    let (grid, (lab, board)) = grid(runs).zip(parted(runs))?;
    let body = html! {
        (grid.table())
        h3 class="below" { "Share of answers over time in the lab, in executed instructions" }
        figure { (rises(&lab, "rise-lab")) }
        h3 class="below" { "Cumulative share of answers by latency, on the board" }
        figure { (rises(&board, "rise-board")) }
    };
    Some(Section::new("board", grid.title, grid.intro.clone(), body))
}

fn rises(runs: &[&RunEntry], id: &str) -> Markup {
    let mut rows = Vec::new();
    for (colour, told) in runs.iter().enumerate() {
        for series in answers(told.run) {
            let note = format!("{}, {} answers", connector::shown(&series.key.name), grouped(series.counted()));
            rows.push(rise::Row { name: [told.name.clone(), note], series, completion: None, colour });
        }
    }
    rise::draw(&rows, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::{Key, Origin, Plan, Span};
    use backwall_stats::SeriesBuilder;
    use maud::Render;

    fn run(kind: &str, unit: Unit, lines: &[(&str, u64)]) -> Run {
        let plan = Plan { measures: vec!["lab detent".into()], ..Plan::default() };
        let mut run = Run::begin(Origin::Measured, plan, Vec::new(), jiff::Timestamp::UNIX_EPOCH);
        run.device.kind = kind.into();
        for (line, least) in lines {
            let mut builder =
                SeriesBuilder::new(Key::new(*line, "none", "as-is"), Span::new("stimulus_a", *line, unit));
            (0..20).for_each(|seq| builder.sample(seq, seq * 100, least + least * seq / 20, false));
            run.series.push(builder.build());
        }
        run
    }

    fn told<'a>(name: &str, run: &'a Run) -> RunEntry<'a> {
        RunEntry { name: name.into(), page: String::new(), run }
    }

    #[test]
    fn lines_that_both_have_stand_beside_each_other_each_unit_in_columns_of_its_own() {
        let lab = run("lab:detent", Unit::Instructions, &[("isr", 100), ("ist", 200), ("app", 300)]);
        let board = run("capture", Unit::Ns, &[("isr", 5_000), ("app", 40_000), ("d3", 1)]);
        let both = [told("lab", &lab), told("board", &board)];
        let grid = grid(&both).unwrap();
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows[0], "ISR detent 100 195 1.95 board 5.0 9.8 1.95");
        assert_eq!((rows.len(), rows[1].split(' ').next()), (2, Some("APP")));
        for (place, (name, _)) in grid.columns.iter().enumerate().filter(|(_, (name, _))| name.contains(',')) {
            let of_time = |row: &Vec<String>| row[place].contains('.');
            assert!(grid.rows.iter().all(|row| of_time(row) == name.ends_with("us")), "{name}: {rows:?}");
        }
        assert!(grid.text(80).lines().all(|line| line.chars().count() <= 80), "{}", grid.text(80));
        let page = section(&both).unwrap().render().into_string();
        assert!(page.contains("rise-lab") && page.contains("rise-board"), "{page}");
    }

    #[test]
    fn without_a_run_of_each_kind_there_is_nothing_to_lay_side_by_side() {
        let lab = run("lab:detent", Unit::Instructions, &[("isr", 100)]);
        let board = run("capture", Unit::Ns, &[("app", 5_000)]);
        assert!(grid(&[told("a", &lab), told("b", &lab)]).is_none() && grid(&[told("c", &board)]).is_none());
        assert!(grid(&[told("a", &lab), told("c", &board)]).is_none(), "they have no line in common");
        let virtual_time = run("capture", Unit::Instructions, &[("isr", 100)]);
        assert!(grid(&[told("a", &lab), told("b", &virtual_time)]).is_none(), "a capture of the lab is no board");
    }
}
