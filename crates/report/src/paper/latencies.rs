// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of Figure 11: maximum, minimum, jitter and mean of each line of each guest, and the paper's table in its own unit.
use super::published::{self, FIGURE_11, Latency};
use super::{ABSENT, FIGURE, WORDS, is_beside_systems, load, polygons};
use crate::grid::Grid;
use crate::section::Section;
use backwall_capture::connector::{self, PORTS, Port};
use backwall_model::units::grouped;
use backwall_model::{Phase, Picture, Run, Series};

/// The table as a section, if the run shows lab latencies. If the paper measured comparable systems, its table follows.
pub fn section(run: &Run) -> Option<Section> {
    let ours = shows(run).then(|| latencies(&[run]))?;
    Some(match is_beside_systems(&[run]) {
        true => ours.section_above(&published(), "figure-11"),
        false => ours.section("figure-11"),
    })
}

/// Whether a run is a lab run with responses to pulses, and neither a sweep nor a search.
pub fn shows(run: &Run) -> bool {
    let other = |picture: &Picture| matches!(picture, Picture::Arrivals(_) | Picture::Saturation(_));
    let pulsed = run.series.iter().any(|series| connector::is_stimulus(&series.from));
    run.device.kind.starts_with("lab:") && pulsed && !run.pictures.iter().any(other)
}

pub fn latencies(runs: &[&Run]) -> Grid {
    let mut columns = vec![("run", WORDS), ("load", WORDS), ("line", WORDS)];
    columns.extend(["due", "missed", "max", "min", "jitter", "mean", "phase met"].map(|name| (name, FIGURE)));
    let lines =
        |run: &'_ &Run| -> Vec<Vec<String>> { run.series.iter().filter_map(|series| row(run, series)).collect() };
    Grid {
        title: "Latency and jitter, loaded and unloaded, in executed instructions",
        intro: PHASE_NOTE.to_string(),
        columns,
        dispensable: vec!["phase met", "due", "mean", "min"],
        rows: runs.iter().flat_map(lines).collect(),
    }
}

/// Figure 11 of the paper, in microseconds.
pub fn published() -> Grid {
    let columns = [("system", WORDS), ("load", WORDS), ("line", WORDS)].into_iter();
    let line = |row: &Latency, name: &str, figures: [&str; 4]| {
        let words = [row.system.to_string(), polygons(row.loaded), name.to_string()];
        words.into_iter().chain(figures.map(String::from)).collect::<Vec<String>>()
    };
    let rows = FIGURE_11.iter().flat_map(|row| [line(row, "ISR", row.interrupt), line(row, "APP", row.app)]);
    Grid {
        title: "The paper's Figure 11, in microseconds",
        intro: format!("{}. {}", published::SOURCE, published::NOTE),
        columns: columns.chain(["max", "min", "jitter", "mean"].map(|name| (name, FIGURE))).collect(),
        dispensable: Vec::new(),
        rows: rows.collect(),
    }
}

const PHASE_NOTE: &str = "Phase met: backwall divides the guest's tick (or, if unknown, the generator's period) into \
    1,000 equal parts, and counts those in which it measured a pulse. No figure covers the other parts.";

/// Percentage, rounded down, so that 100 % means all.
fn share(phase: &Phase) -> String {
    format!("{} %", 100 * phase.met / phase.parts.max(1))
}

/// How many parts of the cycle the pulses met, one line per generator of a run; empty without pulses.
pub fn phase_text(run: &Run) -> String {
    let said = |port: &Port| {
        let Phase { circle, parts, met, widest_gap } = *run.results.phases.get(&port.letter)?;
        let [circle, parts, met, gap] = [circle, parts, met, widest_gap].map(grouped);
        Some(format!(
            "phase of {}: pulses met {met} of {parts} parts of a cycle of {circle} instructions; widest gap {gap}\n",
            port.stimulus
        ))
    };
    PORTS.iter().filter_map(said).collect()
}

fn row(run: &Run, series: &Series) -> Option<Vec<String>> {
    let (port, name) = line(series)?;
    let exact = |value: Option<u64>| value.map_or(ABSENT.to_string(), grouped);
    let mean = series.mean.map(|mean| mean.round() as u64);
    let mut cells = vec![super::name(run).to_string(), load(run).to_string(), name];
    cells.extend([series.due, series.missed, series.max, series.min, series.jitter, mean].map(exact));
    cells.push(run.results.phases.get(&port.letter).map_or(ABSENT.into(), share));
    Some(cells)
}

/// Port and line name of a series; lines of the second port are marked.
pub(super) fn line(series: &Series) -> Option<(&'static Port, String)> {
    let name = series.key.name.as_str();
    let port = PORTS.iter().find(|port| port.lines.contains(&name))?;
    let shown = connector::shown(name);
    Some((port, if port.letter == 'a' { shown.to_string() } else { format!("{shown} ({})", port.stimulus_shown) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::tests::{run_of, series};

    #[test]
    fn figure_11_has_a_row_for_each_line_and_the_paper_a_table_of_its_own() {
        let mut linux = run_of("linux:stock", "none");
        linux.series = vec![series("ist", &[4_058, 4_288, 42_159]), series("app", &[9_000, 11_000])];
        linux.results.phases.insert('a', Phase { circle: 4_000_000, parts: 1_000, met: 999, widest_gap: 8_000 });
        let mut bare = run_of("bare:answer", "polygons");
        bare.series = vec![series("b_isr", &[5, 5])];
        bare.results.phases.insert('b', Phase { circle: 10, parts: 10, met: 5, widest_gap: 2 });
        let grid = latencies(&[&linux, &bare]);
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows[0], "x none IST 4 1 42,159 4,058 38,101 16,835 99 %");
        assert_eq!(rows[1], "x none APP 3 1 11,000 9,000 2,000 10,000 99 %");
        assert_eq!(rows[2], "x polygons ISR (stimulus B) 3 1 5 5 0 5 50 %");
        let expected = "phase of stimulus_a: pulses met 999 of 1,000 parts of a cycle of 4,000,000 instructions; widest \
            gap 8,000\n";
        assert_eq!(phase_text(&linux), expected);
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
        let paper = published();
        assert_eq!(paper.rows.len(), 12);
        assert_eq!(paper.rows[5].join(" "), "Windows CE 3.0 none APP 17.6 14.4 3.2 21");
        assert!(paper.rows.iter().all(|row| row.len() == paper.columns.len()));
    }

    #[test]
    fn the_tables_fit_a_terminal() {
        let mut linux = run_of("linux:rt", "polygons-memory@40");
        linux.plan.measures = vec!["lab detent-cenet-polygons".into()];
        linux.series = vec![series("ist", &[4_058, 4_288, 1_042_159])];
        for text in [latencies(&[&linux]).text(80), published().text(80)] {
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(!text.contains('…'), "{text}");
        }
    }

    #[test]
    fn names_from_outside_are_escaped_on_the_page() {
        let mut run = run_of("linux", "&");
        run.plan.measures = vec!["lab <b>".into()];
        run.series = vec![series("isr", &[5])];
        let html = section(&run).unwrap().body.into_string();
        assert!(html.contains("&lt;b&gt;") && html.contains("&amp;") && !html.contains("<b>"));
    }
}
