// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was read of the machine: one row a setting, with what it means and how to change it.
use crate::report::phrase;
use crate::report::section::{Section, escape};
use crate::run::{Check, CheckVerdict, Run};

/// The table of checks, steal and throttling above it.
pub fn section(run: &Run) -> Option<Section> {
    let environment = &run.environment;
    if environment.checks.is_empty() && environment.more.is_empty() && run.device.kind != "linux" {
        return None;
    }
    let rows: String = environment.checks.iter().map(row).collect();
    let table = format!(
        "<div class=\"wide\"><table id=\"checks-table\"><thead><tr><th>setting</th><th></th><th>found</th><th>why it matters, and what to do</th></tr></thead>\n\
         <tbody>{rows}</tbody></table></div>\n"
    );
    let more: String = environment
        .more
        .iter()
        .map(|(name, value)| {
            format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(&crate::report::part::conditions::plain(value)))
        })
        .collect();
    let body = if environment.checks.is_empty() { String::new() } else { table }
        + &if more.is_empty() { more } else { format!("<dl>\n{more}</dl>\n") };
    Some(Section::new("environment", "The machine", &intro(run), body))
}

fn intro(run: &Run) -> String {
    if run.device.kind != "linux" {
        return String::new();
    }
    let throttled = if run.environment.throttled {
        " Real-time throttling or a fair server may take the processor from a thread that does not sleep."
    } else {
        ""
    };
    let steal = phrase::steal(run.environment.steal_ticks);
    format!("During the run: {steal}.{throttled}")
}

fn row(check: &Check) -> String {
    let fix = if check.fix.is_empty() { String::new() } else { format!("<small>{}</small>", escape(&check.fix)) };
    format!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td><code>{}</code></td><td>{}{fix}</td></tr>\n",
        escape(&check.name),
        badge(check.verdict),
        escape(&check.found),
        escape(&check.why)
    )
}

fn badge(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Good => "<span class=\"badge good\">good</span>",
        CheckVerdict::Note => "<span class=\"badge note\">note</span>",
        CheckVerdict::Bad => "<span class=\"badge bad\">bad</span>",
        CheckVerdict::Unknown => "<span class=\"badge\">unknown</span>",
    }
}
