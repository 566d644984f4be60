// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirements and their outcomes.
use crate::report::section::{Section, escape};
use crate::report::text;
use crate::run::{Outcome, Requirement, Run};

/// One row a requirement; `None` without any.
pub fn section(run: &Run) -> Option<Section> {
    let rows: String = run.requirements.iter().map(row).collect();
    let body = format!(
        "<div class=\"wide\"><table id=\"requirements-table\"><thead><tr><th>requirement</th><th>outcome</th><th>because</th></tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    );
    (!rows.is_empty()).then(|| Section::new("requirements", "Requirements", "", body))
}

fn row(requirement: &Requirement) -> String {
    let kind = match requirement.outcome {
        Outcome::Pass => "good",
        Outcome::Fail => "bad",
        Outcome::Undecided => "note",
    };
    format!(
        "<tr><th scope=\"row\"><code>{}</code></th><td><span class=\"badge {kind}\">{}</span></td><td>{}<small>confidence {} %</small></td></tr>\n",
        escape(&requirement.text),
        text::outcome(requirement.outcome),
        escape(&requirement.because),
        requirement.confidence * 100.0
    )
}
