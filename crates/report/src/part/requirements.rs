// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requirements and their outcomes.
use crate::section::Section;
use crate::text;
use backwall_model::{Outcome, Requirement, Run};
use maud::{Markup, html};

pub fn section(run: &Run) -> Option<Section> {
    let table = html! {
        div class="wide" {
            table id="requirements-table" {
                thead { tr { th { "requirement" } th { "outcome" } th { "because" } } }
                tbody { @for requirement in &run.requirements { (row(requirement)) } }
            }
        }
    };
    (!run.requirements.is_empty()).then(|| Section::new("requirements", "Requirements", "", table))
}

fn row(requirement: &Requirement) -> Markup {
    let kind = match requirement.outcome {
        Outcome::Pass => "good",
        Outcome::Fail => "bad",
        Outcome::Undecided => "note",
    };
    html! {
        tr {
            th scope="row" { code { (requirement.text) } }
            td { span class={ "badge " (kind) } { (text::outcome(requirement.outcome)) } }
            td { (requirement.because) small { "confidence " (requirement.confidence * 100.0) " %" } }
        }
    }
}
