// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the probe measured about itself: one row a name, one column a phase.
use crate::section::Section;
use maud::{Markup, html};
use run::Run;
use units::grouped;

const INTRO: &str = "Cost of reading the clock, processor time, memory and page faults of the probe. None of it is subtracted from a figure.";

/// The table; `None` where the probe said nothing of itself.
pub fn section(run: &Run) -> Option<Section> {
    let names = distinct(run, |(name, _)| name);
    let phases = distinct(run, |(_, phase)| phase);
    let table = html! {
        div class="wide" {
            table id="values-table" {
                thead { tr { th { "value" } @for phase in &phases { th class="r" { (title(phase)) } } } }
                tbody { @for name in &names { (row(run, name, &phases)) } }
            }
        }
    };
    (!names.is_empty()).then(|| Section::new("values", "The probe of itself", INTRO, table))
}

fn distinct<'a>(run: &'a Run, part: fn((&'a str, &'a str)) -> &'a str) -> Vec<&'a str> {
    let mut found: Vec<&str> = run.values.keys().map(|name| part(parts(name))).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Name and phase: `overhead_min_cycles[load all, idle off]`; without brackets it is that of the first phase.
fn parts(name: &str) -> (&str, &str) {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    split.unwrap_or((name, ""))
}

fn title(phase: &str) -> &str {
    if phase.is_empty() { "first phase" } else { phase }
}

fn row(run: &Run, name: &str, phases: &[&str]) -> Markup {
    let value = |phase: &&str| {
        let found = run.values.iter().find(|(full, _)| parts(full) == (name, phase));
        found.map_or("-".to_string(), |(_, value)| grouped(*value))
    };
    html! { tr { th scope="row" { code { (name) } } @for phase in phases { td class="r" { (value(phase)) } } } }
}
