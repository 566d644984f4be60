// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of Figures 11 and 8: guests side by side, the paper's rows below, each with its own unit.
use super::paper::{self, FIGURE_8, FIGURE_11};
use super::saturation::Found;
use crate::report::section::{Section, escape};
use crate::report::table::{Align, Table};
use crate::run::Series;
use crate::units::{Unit, grouped};

/// One guest under one load.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// The guest.
    pub guest: &'a str,
    /// Its load; `none` without.
    pub load: &'a str,
    /// All its series; `ist` (or else `isr`) and `app` are shown.
    pub series: &'a [Series],
}

/// What a search found for one guest under one load.
#[derive(Clone, Copy, Debug)]
pub struct Saturated<'a> {
    /// The guest.
    pub guest: &'a str,
    /// Its load; `none` without.
    pub load: &'a str,
    /// Each goal by name: `MF-ISR`, `MF-IST`, `MF-APP`, `SF`; with what was found, and whether a longer period failed.
    pub goals: &'a [(&'a str, Found, bool)],
}

/// A table with its heading, as text and as a section of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    id: &'static str,
    title: &'static str,
    intro: String,
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

const ABSENT: &str = "-";

impl Grid {
    /// As plain text, heading and notes included.
    pub fn text(&self) -> String {
        let mut table = Table::new(&self.columns);
        self.rows.iter().for_each(|row| table.row(row.clone()));
        format!("{}\n{}{}\n", self.title, table.text(), self.intro)
    }

    /// As a section of the page.
    pub fn section(&self) -> Section {
        let class = |align: Align| if align == Align::Right { " class=\"r\"" } else { "" };
        let head = self.columns.iter().map(|(name, align)| format!("<th{}>{}</th>", class(*align), escape(name)));
        let row = |cells: &Vec<String>| {
            let cell =
                |(text, column): (&String, &(&str, Align))| format!("<td{}>{}</td>", class(column.1), escape(text));
            format!("<tr>{}</tr>\n", cells.iter().zip(&self.columns).map(cell).collect::<String>())
        };
        let body = format!(
            "<div class=\"wide\"><table><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table></div>\n",
            head.collect::<String>(),
            self.rows.iter().map(row).collect::<String>()
        );
        Section::new(self.id, self.title, &self.intro, body)
    }
}

const WORDS: Align = Align::Left;
const FIGURE: Align = Align::Right;

/// Maximum, minimum, jitter and mean of each guest, as in Figure 11.
pub fn latencies(measured: &[Measured]) -> Grid {
    let mut columns = vec![("system", WORDS), ("load", WORDS), ("due", FIGURE), ("lost", FIGURE)];
    let figures = ["IST max", "min", "jitter", "mean", "APP max", "min", "jitter", "mean"];
    columns.extend(figures.map(|name| (name, FIGURE)));
    columns.extend([("unit", WORDS), ("from", WORDS)]);
    let mut rows: Vec<Vec<String>> = measured.iter().map(latency_row).collect();
    rows.extend(FIGURE_11.iter().map(|row| {
        let mut cells = vec![row.system.to_string(), polygons(row.loaded), ABSENT.into(), ABSENT.into()];
        cells.extend(row.interrupt.iter().chain(&row.app).map(|figure| figure.to_string()));
        cells.extend(["us".to_string(), format!("paper, Figure 11: {}", paper::SOURCE)]);
        cells
    }));
    Grid { id: "figure-11", title: "Latency and jitter, loaded and unloaded", intro: paper::NOTE.into(), columns, rows }
}

fn latency_row(measured: &Measured) -> Vec<String> {
    let named = |name: &str| measured.series.iter().find(|series| series.key.name.trim_start_matches("b_") == name);
    let (interrupt, app) = (named("ist").or_else(|| named("isr")), named("app"));
    let system = match interrupt {
        Some(series) if series.key.name.ends_with("isr") => format!("{} (ISR in place of IST)", measured.guest),
        _ => measured.guest.to_string(),
    };
    let shown = || [interrupt, app].into_iter().flatten();
    let most = |count: fn(&Series) -> u64| shown().map(count).max().map_or(ABSENT.into(), grouped);
    let mut cells = vec![system, measured.load.to_string(), most(|series| series.due), most(|series| series.lost)];
    cells.extend(figures(interrupt));
    cells.extend(figures(app));
    let unit = shown().map(|series| series.unit).next();
    cells.push(unit.map_or(ABSENT, unit_name).to_string());
    cells.push("this run".to_string());
    cells
}

fn figures(series: Option<&Series>) -> [String; 4] {
    let exact = |value: Option<u64>| value.map_or(ABSENT.to_string(), grouped);
    let Some(series) = series else { return [ABSENT; 4].map(String::from) };
    let mean = series.mean.map_or(ABSENT.to_string(), |mean| grouped(mean.round() as u64));
    [exact(series.max), exact(series.min), exact(series.jitter), mean]
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Instructions => "instructions",
        Unit::Ns => "ns",
    }
}

fn polygons(loaded: bool) -> String {
    if loaded { "polygons" } else { "none" }.to_string()
}

/// The shortest period each line bears, as in Figure 8; `rule` is the rule of the search.
pub fn frequencies(saturated: &[Saturated], rule: &str) -> Grid {
    let words = [("system", WORDS), ("load", WORDS)];
    let figures = ["MF-ISR", "MF-IST", "MF-APP", "SF"].map(|name| (name, FIGURE));
    let columns = [&words[..], &figures[..], &[("unit", WORDS), ("from", WORDS)]].concat();
    let mut rows: Vec<Vec<String>> = saturated.iter().map(|row| frequency_row(row, &figures)).collect();
    rows.extend(FIGURE_8.iter().map(|row| {
        let given = |text: &str| if text.is_empty() { ABSENT } else { text }.to_string();
        let figures = [row.mf_interrupt, "", row.mf_app, row.sf].map(given);
        let mut cells = vec![row.system.to_string(), polygons(row.loaded)];
        cells.extend(figures);
        cells.extend(["pulses a second".to_string(), format!("paper, Figure 8: {}", paper::SOURCE)]);
        cells
    }));
    let marked = saturated.iter().flat_map(|row| row.goals).any(|(_, _, out_of_order)| *out_of_order);
    let warning =
        if marked { " * A longer period failed although a shorter one held: more than frequency decides." } else { "" };
    let intro = format!("Shorter periods are higher frequencies. {rule} {}{warning}", paper::NOTE);
    Grid { id: "figure-8", title: "Maximum and saturation frequency", intro, columns, rows }
}

fn frequency_row(saturated: &Saturated, columns: &[(&str, Align)]) -> Vec<String> {
    let mut cells = vec![saturated.guest.to_string(), saturated.load.to_string()];
    cells.extend(columns.iter().map(|(name, _)| {
        let goal = saturated.goals.iter().find(|(goal, ..)| goal.replace("-B_", "-") == *name);
        goal.map_or(ABSENT.to_string(), |(_, found, out_of_order)| period_text(*found, *out_of_order))
    }));
    cells.extend(["instructions a pulse".to_string(), "this run".to_string()]);
    cells
}

fn period_text(found: Found, out_of_order: bool) -> String {
    let mark = if out_of_order { "*" } else { "" };
    match found {
        Found::At { period, .. } => format!("{}{mark}", grouped(period.0)),
        Found::Everywhere(shortest) => format!("≤ {}{mark}", grouped(shortest.0)),
        Found::Nowhere(longest) => format!("> {}{mark}", grouped(longest.0)),
        Found::Unfinished => format!("not found{mark}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Key, Span};
    use crate::scope::tick::Tick;
    use crate::stats::SeriesBuilder;

    fn series(name: &str, values: &[u64]) -> Series {
        let mut builder =
            SeriesBuilder::new(Key::new(name, "none", "as-is"), Span::new("stimulus_a", name, Unit::Instructions));
        values
            .iter()
            .enumerate()
            .for_each(|(seq, value)| builder.sample(seq as u64, seq as u64 * 1_000, *value, false));
        builder.lost(9_000, 1);
        builder.build()
    }

    #[test]
    fn figure_11_shows_our_figures_above_the_papers_each_with_its_unit() {
        let linux = [series("ist", &[4_058, 4_288, 42_159]), series("app", &[9_000, 11_000])];
        let bare = [series("isr", &[5, 5])];
        let rows = [
            Measured { guest: "linux:stock", load: "none", series: &linux },
            Measured { guest: "bare:answer", load: "polygons", series: &bare },
        ];
        let grid = latencies(&rows);
        let expected =
            "linux:stock none 4 1 42,159 4,058 38,101 16,835 11,000 9,000 2,000 10,000 instructions this run";
        assert_eq!(grid.rows[0].join(" "), expected);
        assert_eq!(grid.rows[1][0], "bare:answer (ISR in place of IST)");
        assert_eq!(grid.rows[1][8..12], ["-", "-", "-", "-"]);
        assert_eq!(grid.rows.len(), 8);
        assert!(grid.rows[2..].iter().all(|row| row[12] == "us" && row[13].starts_with("paper, Figure 11")));
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
        assert!(grid.text().contains("Windows CE .NET"));
    }

    #[test]
    fn figure_8_shows_periods_and_what_was_not_found() {
        let goals = [
            ("MF-IST", Found::At { period: Tick(9_025), fails_at: Tick(9_000) }, true),
            ("MF-APP", Found::Nowhere(Tick(10_000_000)), false),
            ("SF", Found::Everywhere(Tick(50)), false),
        ];
        let grid = frequencies(&[Saturated { guest: "linux:rt", load: "polygons", goals: &goals }], "The rule.");
        let expected = "linux:rt polygons - 9,025* > 10,000,000 ≤ 50 instructions a pulse this run";
        assert_eq!(grid.rows[0].join(" "), expected);
        assert!(grid.intro.contains("The rule.") && grid.intro.contains("* A longer period failed"));
        assert!(grid.rows[4].contains(&"85 kHz".to_string()));
        assert!(grid.rows.iter().all(|row| row.len() == grid.columns.len()));
    }

    #[test]
    fn names_from_outside_are_escaped_on_the_page() {
        let html = latencies(&[Measured { guest: "<b>", load: "&", series: &[] }]).section().body_html;
        assert!(html.contains("&lt;b&gt;") && html.contains("&amp;") && !html.contains("<b>"));
    }
}
