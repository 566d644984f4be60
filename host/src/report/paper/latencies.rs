// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of Figure 11: maximum, minimum, jitter and mean of each guest, the paper's rows below.
use super::published::{self, FIGURE_11};
use super::{ABSENT, FIGURE, WORDS, load, polygons};
use crate::connector::{self, APP, ISR, IST, PORTS, Port};
use crate::report::grid::Grid;
use crate::report::phrase;
use crate::report::section::Section;
use crate::run::{Phase, Picture, Run, Series};
use crate::units::grouped;

/// The table as a section, where the run shows latencies of the lab.
pub fn section(run: &Run) -> Option<Section> {
    shows(run).then(|| latencies(&[run]).section("figure-11"))
}

/// Whether a run is one of the lab with responses to its pulses, and neither a sweep nor a search.
pub fn shows(run: &Run) -> bool {
    let other = |picture: &Picture| matches!(picture, Picture::Arrivals(_) | Picture::Saturation(_));
    let pulsed = run.series.iter().any(|series| connector::is_stimulus(&series.from));
    run.device.kind.starts_with("lab:") && pulsed && !run.pictures.iter().any(other)
}

/// One row a run: its interrupt thread (or else its interrupt routine) and its application.
pub fn latencies(runs: &[&Run]) -> Grid {
    let mut columns =
        vec![("system", WORDS), ("load", WORDS), ("due", FIGURE), ("lost", FIGURE), ("phase met", FIGURE)];
    let figures = ["IST max", "min", "jitter", "mean", "APP max", "min", "jitter", "mean"];
    columns.extend(figures.map(|name| (name, FIGURE)));
    columns.extend([("unit", WORDS), ("from", WORDS)]);
    let mut rows: Vec<Vec<String>> = runs.iter().map(|run| row(run)).collect();
    rows.extend(FIGURE_11.iter().map(|row| {
        let mut cells = vec![row.system.to_string(), polygons(row.loaded)];
        cells.extend([ABSENT; 3].map(String::from));
        cells.extend(row.interrupt.iter().chain(&row.app).map(|figure| figure.to_string()));
        cells.extend(["us".to_string(), format!("paper, Figure 11: {}", published::SOURCE)]);
        cells
    }));
    let intro = format!("{PHASE_NOTE} {}", published::NOTE);
    Grid { title: "Latency and jitter, loaded and unloaded", intro, columns, dispensable: Vec::new(), rows }
}

/// What the column says.
const PHASE_NOTE: &str = "Phase met: of the circle of the guest's tick, or of the generator's period where the tick is not known, how many of \
     1,000 equal parts a measured pulse fell into. What happens in a part that none met is in no figure.";

/// In percent, rounded down: all is all.
fn share(phase: &Phase) -> String {
    format!("{} %", 100 * phase.met / phase.parts.max(1))
}

/// What the pulses met of the circle, in a line for each generator of a run; nothing where none gave pulses.
pub fn phase_text(run: &Run) -> String {
    let said = |port: &Port| {
        let Phase { circle, parts, met, widest_gap } = Phase::of(run, port.prefix)?;
        let [circle, parts, met, gap] = [circle, parts, met, widest_gap].map(grouped);
        Some(format!(
            "phase of {}: {met} of {parts} parts of {circle} instructions met; widest gap {gap}\n",
            port.stimulus
        ))
    };
    PORTS.iter().filter_map(said).collect()
}

fn row(run: &Run) -> Vec<String> {
    let of = |line: usize| run.series.iter().find(|series| connector::response(&series.key.name) == Some(line));
    let (interrupt, app) = (of(IST).or_else(|| of(ISR)), of(APP));
    let in_place = if of(IST).is_none() && of(ISR).is_some() { " (ISR in place of IST)" } else { "" };
    let system = format!("{}{in_place}", run.device.kernel);
    let shown = || [interrupt, app].into_iter().flatten();
    let most = |count: fn(&Series) -> Option<u64>| shown().filter_map(count).max().map_or(ABSENT.into(), grouped);
    let mut cells = vec![system, load(run).to_string(), most(|series| series.due), most(|series| series.lost)];
    cells.push(Phase::of(run, "").map_or(ABSENT.into(), |phase| share(&phase)));
    cells.extend(figures(interrupt));
    cells.extend(figures(app));
    let unit = shown().map(|series| series.unit).next();
    cells.push(unit.map_or(ABSENT, phrase::unit_name).to_string());
    cells.push("this run".to_string());
    cells
}

fn figures(series: Option<&Series>) -> [String; 4] {
    let exact = |value: Option<u64>| value.map_or(ABSENT.to_string(), grouped);
    let Some(series) = series else { return [ABSENT; 4].map(String::from) };
    let mean = series.mean.map_or(ABSENT.to_string(), |mean| grouped(mean.round() as u64));
    [exact(series.max), exact(series.min), exact(series.jitter), mean]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::paper::tests::run_of;
    use crate::run::{Key, Span};
    use crate::stats::SeriesBuilder;
    use crate::units::Unit;

    fn series(name: &str, values: &[u64]) -> Series {
        let span = Span::new("stimulus_a", name, Unit::Instructions);
        let mut builder = SeriesBuilder::new(Key::new(name, "none", "as-is"), span);
        for (seq, value) in values.iter().enumerate() {
            builder.sample(seq as u64, seq as u64 * 1_000, *value, false);
        }
        builder.lost(9_000, 1);
        builder.build()
    }

    #[test]
    fn figure_11_shows_our_figures_above_the_papers_each_with_its_unit() {
        let mut linux = run_of("linux:stock", "none");
        linux.series = vec![series("ist", &[4_058, 4_288, 42_159]), series("app", &[9_000, 11_000])];
        linux.values.extend(Phase { circle: 4_000_000, parts: 1_000, met: 999, widest_gap: 8_000 }.values(""));
        let mut bare = run_of("bare:answer", "polygons");
        bare.series = vec![series("isr", &[5, 5])];
        let grid = latencies(&[&linux, &bare]);
        let expected =
            "linux:stock none 4 1 99 % 42,159 4,058 38,101 16,835 11,000 9,000 2,000 10,000 instructions this run";
        assert_eq!(grid.rows[0].join(" "), expected);
        assert_eq!(grid.rows[1][0], "bare:answer (ISR in place of IST)");
        assert_eq!((&grid.rows[1][4], &grid.rows[1][9..13]), (&"-".to_string(), &["-"; 4].map(String::from)[..]));
        let expected = "phase of stimulus_a: 999 of 1,000 parts of 4,000,000 instructions met; widest gap 8,000\n";
        assert_eq!((phase_text(&linux).as_str(), phase_text(&bare).as_str()), (expected, ""));
        assert_eq!(grid.rows.len(), 8);
        assert!(grid.rows[2..].iter().all(|row| row[13] == "us" && row[14].starts_with("paper, Figure 11")));
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
        assert!(grid.text(200).contains("Windows CE .NET"));
    }

    #[test]
    fn names_from_outside_are_escaped_on_the_page() {
        let mut run = run_of("<b>", "&");
        run.series = vec![series("isr", &[5])];
        let html = section(&run).unwrap().body.into_string();
        assert!(html.contains("&lt;b&gt;") && html.contains("&amp;") && !html.contains("<b>"));
    }
}
