// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contents of the page, and files next to it.
use crate::section::Section;
use backwall_model::Run;
use maud::{Markup, html};

pub fn markup(run: &Run, sections: &[Section]) -> Markup {
    html! {
        nav id="contents" aria-label="Contents" {
            @for section in sections { a href={ "#" (section.id) } { (short(&section.title)) } " " }
            span class="data" {
                "data: " a href="run.json" { "run.json" }
                @if run.plan.keep_samples == Some(true) { " " a href="samples.parquet" { "samples.parquet" } }
            }
        }
    }
}

fn short(title: &str) -> &str {
    title.split(':').next().unwrap_or(title)
}
