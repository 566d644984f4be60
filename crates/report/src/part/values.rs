// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe's own figures: a row per name, a column per phase.
use crate::section::Section;
use backwall_model::Run;
use backwall_model::units::grouped;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

const INTRO: &str = "The probe's own cost: one clock reading, CPU time, memory and page faults. backwall subtracts none of it from a figure.";

type Column<'a> = (&'a str, &'a BTreeMap<String, u64>);

pub fn section(run: &Run) -> Option<Section> {
    let first = (!run.values.is_empty()).then_some(("first phase", &run.values));
    let later = run.later_values.iter().map(|(phase, values)| (phase.as_str(), values));
    let columns: Vec<Column> = first.into_iter().chain(later).collect();
    let names: BTreeSet<&String> = columns.iter().flat_map(|(_, values)| values.keys()).collect();
    let table = html! {
        div class="wide" {
            table id="values-table" {
                thead { tr { th { "value" } @for (phase, _) in &columns { th class="r" { (phase) } } } }
                tbody { @for name in &names { (row(name, &columns)) } }
            }
        }
    };
    (!names.is_empty()).then(|| Section::new("values", "The probe's own cost", INTRO, table))
}

fn row(name: &str, columns: &[Column]) -> Markup {
    let value = |(_, values): &Column| values.get(name).map_or("-".to_string(), |value| grouped(*value));
    html! { tr { th scope="row" { code { (name) } } @for column in columns { td class="r" { (value(column)) } } } }
}
