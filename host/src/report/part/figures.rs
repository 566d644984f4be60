// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all figures: every series with its accounting and its quantiles.
use crate::report::idle_cost;
use crate::report::phrase;
use crate::report::section::{Section, escape};
use crate::run::{Quantile, Run, Series};
use crate::units::grouped;

/// The table; `None` where nothing was measured.
pub fn section(run: &Run) -> Option<Section> {
    let quantiles = quantiles(run);
    let names: String =
        quantiles.iter().map(|q| format!("<th class=\"r\">{}</th>", phrase::quantile_name(*q))).collect();
    let rows: String = run.series.iter().map(|series| row(series, &quantiles)).collect();
    let body = format!(
        "<div class=\"wide\"><table id=\"figures-table\"><thead><tr><th>latency</th><th>phase</th><th class=\"r\">due</th>\
         <th class=\"r\">done</th><th class=\"r\">lost</th><th class=\"r\">late</th><th class=\"r\">min</th><th class=\"r\">mean</th>{names}\
         <th class=\"r\">max</th><th class=\"r\">jitter</th><th>unit</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n\
         {}<p class=\"aside\">{}</p>\n",
        idle(run),
        escape(&foot(run))
    );
    (!run.series.is_empty()).then(|| Section::new("figures", "Figures", "", body))
}

/// Every quantile that some series reaches.
fn quantiles(run: &Run) -> Vec<f64> {
    every_quantile(run, |quantile| quantile.value.is_some())
}

/// Every quantile that some series lists and none reaches.
fn beyond(run: &Run) -> Vec<f64> {
    let reached = quantiles(run);
    let listed = every_quantile(run, |_| true);
    listed.into_iter().filter(|q| !reached.iter().any(|other| (other - q).abs() < 1e-12)).collect()
}

fn every_quantile(run: &Run, wanted: fn(&Quantile) -> bool) -> Vec<f64> {
    let all = run.series.iter().flat_map(|series| &series.quantiles).filter(|quantile| wanted(quantile));
    let mut all: Vec<f64> = all.map(|quantile| quantile.q).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    all
}

fn row(series: &Series, quantiles: &[f64]) -> String {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, series.unit));
    let mut cells: Vec<String> = vec![grouped(series.due), grouped(series.done)];
    cells.extend([series.lost, series.late].map(alarmed));
    cells.push(exact(series.min));
    cells.push(series.mean.map_or("-".to_string(), |mean| phrase::mean_figure(mean, series.unit)));
    cells
        .extend(quantiles.iter().map(|q| phrase::quantile(series, *q).map_or("-".into(), |found| cell(found, series))));
    cells.push(format!("<b>{}</b>", exact(series.max)));
    cells.push(exact(series.jitter));
    let cells: String = cells.iter().map(|cell| format!("<td class=\"r\">{cell}</td>")).collect();
    format!(
        "<tr><th scope=\"row\">{}<small>{}</small></th><td>{}</td>{cells}<td>{}</td></tr>\n",
        escape(&series.key.name),
        escape(&phrase::from_to(series)),
        escape(&phrase::phase(series)),
        phrase::column_unit(series.unit)
    )
}

fn alarmed(count: u64) -> String {
    if count == 0 { "0".to_string() } else { format!("<span class=\"alarm\">{}</span>", grouped(count)) }
}

/// A quantile with its limits below it.
fn cell(quantile: &Quantile, series: &Series) -> String {
    let Some(value) = quantile.value else { return format!("<i>{}</i>", phrase::TOO_FEW) };
    let side = |limit: Option<u64>| limit.map_or("?".to_string(), |limit| phrase::figure(limit, series.unit));
    format!("{}<small>{} to {}</small>", phrase::figure(value, series.unit), side(quantile.low), side(quantile.high))
}

fn idle(run: &Run) -> String {
    idle_cost::sentence(run)
        .map(|sentence| format!("<p class=\"finding\">{}.</p>\n", escape(&sentence)))
        .unwrap_or_default()
}

fn foot(run: &Run) -> String {
    let mut text =
        "due = done + lost. Small figures are 95 % confidence limits, “?” where the samples do not bound them. \
                    jitter = max − min. min and max are exact, never bounds of a class."
            .to_string();
    let beyond: Vec<String> = beyond(run).into_iter().map(phrase::quantile_name).collect();
    if !beyond.is_empty() {
        text.push_str(&format!(" Not enough samples for {}.", beyond.join(", ")));
    }
    text.push_str(&row_by_row(run, "Samples kept out as warm-up", |series| series.warmup));
    text.push_str(&row_by_row(run, "Samples beyond the last class of the histogram", |series| series.overflow));
    text
}

/// A counter of every row, where it is not zero in all.
fn row_by_row(run: &Run, what: &str, count: fn(&Series) -> u64) -> String {
    if run.series.iter().all(|series| count(series) == 0) {
        return String::new();
    }
    let counts: Vec<String> = run.series.iter().map(|series| grouped(count(series))).collect();
    format!(" {what}, row by row: {}.", counts.join("; "))
}
