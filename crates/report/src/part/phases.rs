// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row per phase: the figures of the first screen, with a bar for each maximum.
use crate::brief;
use crate::idle_cost;
use crate::phrase;
use crate::section::Section;
use crate::term::term;
use crate::verdict;
use backwall_model::units::Unit;
use backwall_model::{Run, Series};
use maud::{Markup, html};

pub fn section(run: &Run) -> Option<Section> {
    let first = run.series.first()?;
    let named = run.series.iter().any(|series| series.key.name != first.key.name);
    let largest = verdict::headline(run).map(|series| &series.key);
    let body = html! {
        div class="wide" {
            table id="phases-table" {
                thead { (head(first, named)) }
                tbody {
                    @for series in &run.series {
                        tr class=[(Some(&series.key) == largest).then_some("most")] { (row(run, series, named)) }
                    }
                }
            }
        }
        @if let Some(sentence) = idle_cost::sentence(run) { p class="finding" { (sentence) "." } }
    };
    Some(Section::new("phases", "Phases", "", body))
}

fn head(first: &Series, named: bool) -> Markup {
    html! {
        tr {
            @if named { th { "latency" } }
            th { "phase" }
            @for (name, _) in brief::phase_titles(first) { th class="r" { (term(name)) } }
            th { span class="unseen-text" { "maximum as a bar" } }
        }
    }
}

fn row(run: &Run, series: &Series, named: bool) -> Markup {
    let cells = brief::phase_cells(series);
    let (max, others) = cells.split_last().expect("a row has cells");
    let counts_faults = brief::phase_titles(series).map(|(_, counts_faults)| counts_faults);
    html! {
        @if named { th scope="row" { (series.key.name) small { (phrase::from_to(series)) } } }
        th scope="row" {
            (brief::phase_name(run, &series.key))
            @if run.no_evidence_of(&series.key).is_some() { " " span class="badge bad" { "no evidence" } }
        }
        @for (cell, counts_faults) in others.iter().zip(counts_faults) {
            td class="r" { @if counts_faults && cell != "0" && cell != "-" { span class="alarm" { (cell) } } @else { (cell) } }
        }
        td class="r" { b { (max) } }
        td class="bar" aria-hidden="true" { span style={ "width:" (format!("{:.0}", share(run, series))) "%" } {} }
    }
}

fn share(run: &Run, series: &Series) -> f64 {
    let of = |unit: Unit| run.series.iter().filter(|one| one.unit == unit).filter_map(|one| one.max).max().unwrap_or(0);
    100.0 * series.max.unwrap_or(0) as f64 / of(series.unit).max(1) as f64
}
