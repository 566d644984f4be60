// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the probe measured about itself: one row a name, one column a phase.
use crate::report::section::{Section, escape};
use crate::run::Run;
use crate::units::grouped;

const INTRO: &str = "Cost of reading the clock, processor time, memory and page faults of the probe. None of it is subtracted from a figure.";

/// The table; `None` where the probe said nothing of itself.
pub fn section(run: &Run) -> Option<Section> {
    let mut phases: Vec<&str> = run.values.keys().map(|name| parts(name).1).collect();
    phases.sort_unstable();
    phases.dedup();
    let mut names: Vec<&str> = run.values.keys().map(|name| parts(name).0).collect();
    names.sort_unstable();
    names.dedup();
    let heads: String = phases.iter().map(|phase| format!("<th class=\"r\">{}</th>", escape(title(phase)))).collect();
    let rows: String = names.iter().map(|name| row(run, name, &phases)).collect();
    let body = format!(
        "<div class=\"wide\"><table id=\"values-table\"><thead><tr><th>value</th>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    );
    (!names.is_empty()).then(|| Section::new("values", "The probe of itself", INTRO, body))
}

/// Name and phase: `overhead_min_cycles[load all, idle off]`; without brackets it is that of the first phase.
fn parts(name: &str) -> (&str, &str) {
    let split = name.strip_suffix(']').and_then(|name| name.split_once('['));
    split.unwrap_or((name, ""))
}

fn title(phase: &str) -> &str {
    if phase.is_empty() { "first phase" } else { phase }
}

fn row(run: &Run, name: &str, phases: &[&str]) -> String {
    let value = |phase: &&str| {
        let found = run.values.iter().find(|(full, _)| parts(full) == (name, phase));
        found.map_or("-".to_string(), |(_, value)| grouped(*value))
    };
    let cells: String = phases.iter().map(|phase| format!("<td class=\"r\">{}</td>", value(phase))).collect();
    format!("<tr><th scope=\"row\"><code>{}</code></th>{cells}</tr>\n", escape(name))
}
