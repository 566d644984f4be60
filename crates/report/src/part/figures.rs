// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all figures: every series with its accounting and its quantiles.
use crate::phrase;
use crate::section::Section;
use backwall_model::column::{Column, Figure, View};
use backwall_model::units::grouped;
use backwall_model::{Quantile, Run, Series};
use maud::{Markup, html};

pub fn section(run: &Run) -> Option<Section> {
    let quantiles = quantiles(run);
    let body = html! {
        div class="wide" {
            table id="figures-table" class="dense" {
                thead { (head(&quantiles)) }
                tbody { @for series in &run.series { (row(run, series, &quantiles)) } }
            }
        }
        p class="aside" { (foot(run)) }
    };
    (!run.series.is_empty()).then(|| Section::new("figures", "All figures", "", body).folded())
}

fn head(quantiles: &[f64]) -> Markup {
    html! {
        tr {
            th { "latency" } th { "phase" }
            @for column in Column::of(View::Page) { (title(column, quantiles)) }
            th { "unit" }
        }
    }
}

fn title(column: &Column, quantiles: &[f64]) -> Markup {
    html! {
        @match column.figure {
            Figure::Quantiles => { @for q in quantiles { th class="r" { (phrase::quantile_name(*q)) } } }
            _ => { th class="r" { (column.title) } }
        }
    }
}

fn quantiles(run: &Run) -> Vec<f64> {
    every_quantile(run, |quantile| quantile.value.is_some())
}

/// Every quantile that some series lists, but that no series has enough samples for.
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

fn row(run: &Run, series: &Series, quantiles: &[f64]) -> Markup {
    html! {
        tr {
            th scope="row" { (series.key.name) small { (phrase::from_to(series)) } }
            td {
                (phrase::phase(series))
                (phrase::doubtful(run, &series.key))
            }
            @for column in Column::of(View::Page) { (figure(column, series, quantiles)) }
            td { (phrase::column_unit(series.unit)) }
        }
    }
}

fn figure(column: &Column, series: &Series, quantiles: &[f64]) -> Markup {
    let exact = |value: Option<u64>| value.map_or("-".to_string(), |value| phrase::figure(value, series.unit));
    html! {
        @match column.figure {
            Figure::Count(count) => { td class="r" { (phrase::count(count(series))) } }
            // A wakeup whose end the recording does not show was not missed.
            Figure::Fault(count) if column.title == "missed" && phrase::is_attached(series) => {
                td class="r" { (phrase::count(count(series))) }
            }
            Figure::Fault(count) => { td class="r" { (alarmed(count(series))) } }
            Figure::Min => { td class="r" { (phrase::min_figure(series)) } }
            Figure::Mean => {
                td class="r" { (series.mean.map_or("-".to_string(), |mean| phrase::mean_figure(mean, series.unit))) }
            }
            Figure::Quantile(q) => { td class="r" { (cell(series.quantile(q), series)) } }
            Figure::Quantiles => { @for q in quantiles { td class="r" { (cell(series.quantile(*q), series)) } } }
            Figure::Max => { td class="r" { b { (phrase::max_figure(series)) } } }
            Figure::Jitter => { td class="r" { (exact(series.jitter)) } }
        }
    }
}

fn alarmed(count: Option<u64>) -> Markup {
    html! { @if count == Some(0) { "0" } @else { span class="alarm" { (phrase::count(count)) } } }
}

fn cell(quantile: Option<&Quantile>, series: &Series) -> Markup {
    let side = |limit: Option<u64>| limit.map_or("?".to_string(), |limit| phrase::figure(limit, series.unit));
    html! {
        @match quantile.map(|found| (found, found.value)) {
            None => { "-" }
            Some((_, None)) => { i { (phrase::TOO_FEW) } }
            Some((found, Some(value))) => {
                (phrase::quantile_figure(value, series))
                small { (side(found.low)) " to " (side(found.high)) }
            }
        }
    }
}

fn marked(series: &Series) -> bool {
    let values = series.quantiles.iter().filter_map(|quantile| quantile.value);
    series.edges || values.into_iter().any(|value| series.is_edge(value))
}

fn foot(run: &Run) -> String {
    let mut text =
        "due = done + missed + unseen. Figures in small print are 95 % confidence limits; “?” means that the samples do \
            not bound them. jitter = max − min. min and max are exact, never bounds of a bucket."
            .to_string();
    if run.series.iter().any(marked) {
        text.push_str(" But ≤ and ≥ mark the bound of a histogram bucket of the imported tool: the sample lies within that bucket.");
    }
    let beyond: Vec<String> = beyond(run).into_iter().map(phrase::quantile_name).collect();
    if !beyond.is_empty() {
        text.push_str(&format!(" Not enough samples for {}.", beyond.join(", ")));
    }
    text.push_str(&row_by_row(run, "Samples excluded as warm-up", |series| series.warmup));
    text.push_str(&row_by_row(run, "Samples beyond the last bucket of the histogram", |series| series.overflow));
    text
}

/// Lists the counter of every row, unless all of them are zero.
fn row_by_row(run: &Run, what: &str, count: fn(&Series) -> u64) -> String {
    if run.series.iter().all(|series| count(series) == 0) {
        return String::new();
    }
    let counts: Vec<String> = run.series.iter().map(|series| grouped(count(series))).collect();
    format!(" {what}, row by row: {}.", counts.join("; "))
}
