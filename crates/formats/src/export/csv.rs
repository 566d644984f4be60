// SPDX-License-Identifier: MIT OR Apache-2.0
//! A row a series with its account, its exact extremes and its quantiles with their 95 % limits, as in RFC 4180.
//!
//! Values are whole numbers in the unit of their row. A cell is empty where the run does not say. A name from outside that a spreadsheet
//! would carry out as a formula has an apostrophe before it, and what would command a terminal is `?`.
use super::said;
use backwall_model::printable::printable;
use backwall_model::{Quantile, Run, Series};

const HEAD: [&str; 21] = [
    "name", "load", "idle", "cpu", "variant", "from", "to", "unit", "due", "done", "missed", "unseen", "skipped",
    "late", "warmup", "overflow", "min", "mean", "max", "figures", "valid",
];

pub fn csv(run: &Run) -> String {
    let quantiles = quantiles(run);
    let of = |q: &f64| ["", "_low", "_high"].map(|side| format!("q{q}{side}"));
    let head = HEAD.iter().map(|name| name.to_string()).chain(quantiles.iter().flat_map(of));
    let rows = run.series.iter().map(|series| row(run, series, &quantiles));
    [head.collect()].into_iter().chain(rows).map(|cells: Vec<String>| line(&cells)).collect()
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
    let [unseen, skipped] = [series.unseen, series.skipped].map(|count| series.missed.map(|_| count));
    cells.extend([series.due, Some(series.done), series.missed, unseen].map(shown));
    cells.extend([skipped, series.late, Some(series.warmup), Some(series.overflow)].map(shown));
    cells.extend([shown(series.min), shown(series.mean), shown(series.max), run.origin.name().to_string()]);
    cells.push(if said::doubtful(series, run) { "no" } else { "yes" }.to_string());
    for q in quantiles {
        let found = series.quantiles.iter().find(|quantile| quantile.q == *q);
        let side = |of: fn(&Quantile) -> Option<u64>| shown(found.and_then(of));
        cells.extend([side(|found| found.value), side(|found| found.low), side(|found| found.high)]);
    }
    cells
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A cell with a comma, a quote or a line end is in quotes, and a quote in it twice. No number of a run is below zero, so none
/// begins like a formula.
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
