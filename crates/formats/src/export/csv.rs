// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes one CSV row (RFC 4180) per series: its counts, exact minimum and maximum, and quantiles with their 95 % limits.
//!
//! Values are whole numbers in the unit of the row. A cell is empty if the run lacks the figure. If a name came from outside and
//! a spreadsheet would run it as a formula, it gets an apostrophe in front. Control characters become `?`.
use super::said;
use backwall_model::column::{Column, Figure, View};
use backwall_model::printable::printable;
use backwall_model::{Quantile, Run, Series};

const NAMES: [&str; 8] = ["name", "load", "idle", "cpu", "variant", "from", "to", "unit"];
const ORIGIN: [&str; 2] = ["figures", "valid"];

pub fn csv(run: &Run) -> String {
    let quantiles = quantiles(run);
    let of = |q: &f64| ["", "_low", "_high"].map(|side| format!("q{q}{side}"));
    let names = NAMES.into_iter().chain(figures().map(|column| column.title)).chain(ORIGIN);
    let head = names.map(String::from).chain(quantiles.iter().flat_map(of));
    let rows = run.series.iter().map(|series| row(run, series, &quantiles));
    [head.collect()].into_iter().chain(rows).map(|cells: Vec<String>| line(&cells)).collect()
}

fn figures() -> impl Iterator<Item = &'static Column> {
    Column::of(View::Csv).filter(|column| !matches!(column.figure, Figure::Quantiles))
}

fn quantiles(run: &Run) -> Vec<f64> {
    let mut all: Vec<f64> = run.series.iter().flat_map(|series| &series.quantiles).map(|quantile| quantile.q).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

fn row(run: &Run, series: &Series, quantiles: &[f64]) -> Vec<String> {
    let key = &series.key;
    let variant: Vec<String> = key.variant.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut cells = vec![key.name.clone(), key.load.clone(), key.idle.clone(), shown(key.cpu), variant.join(" ")];
    cells.extend([series.from.clone(), series.to.clone(), series.unit.name().to_string()]);
    cells.extend(figures().map(|column| figure(column.figure, series)));
    cells.push(run.origin.name().to_string());
    cells.push(if said::doubtful(series, run) { "no" } else { "yes" }.to_string());
    for q in quantiles {
        let found = series.quantiles.iter().find(|quantile| quantile.q == *q);
        let side = |of: fn(&Quantile) -> Option<u64>| shown(found.and_then(of));
        cells.extend([side(|found| found.value), side(|found| found.low), side(|found| found.high)]);
    }
    cells
}

fn figure(figure: Figure, series: &Series) -> String {
    match figure {
        Figure::Count(count) | Figure::Fault(count) => shown(count(series)),
        Figure::Min => shown(series.min),
        Figure::Mean => shown(series.mean),
        Figure::Max => shown(series.max),
        Figure::Jitter => shown(series.jitter),
        Figure::Quantile(q) => shown(series.quantile(q).and_then(|found| found.value)),
        Figure::Quantiles => String::new(),
    }
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Quotes a cell that contains a comma, a quote or a line break, and doubles quotes inside it. No number of a run is negative, so
/// none looks like a formula.
fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| {
        let shown = cell.split('\n').map(printable).collect::<Vec<_>>().join("\n");
        let formula = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        match shown.contains([',', '"', '\n']) {
            true => format!("\"{formula}{}\"", shown.replace('"', "\"\"")),
            false => format!("{formula}{shown}"),
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_would_break_the_row_is_quoted() {
        let cells = ["plain", "a,b", "say \"x\"", "two\nlines"].map(String::from);
        assert_eq!(line(&cells), "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\r\n");
        let cells = ["=HYPERLINK(\"x\")", "@x", "a=b", "-1"].map(String::from);
        assert_eq!(line(&cells), "\"'=HYPERLINK(\"\"x\"\")\",'@x,a=b,'-1\r\n");
        let cells = ["a\u{1b}[2J", "\u{202e}b", "\u{9b}\r"].map(String::from);
        assert_eq!(line(&cells), "a?[2J,?b,??\r\n");
    }
}
