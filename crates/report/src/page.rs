// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a run: one file for screen and paper. It needs no network and is complete without its script.
use super::printable::printable_lines;
use super::section::Section;
use super::{bench, figure, interference, osbench, paper, part, phrase, picture, tasks};
use backwall_model::Run;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub const FILE: &str = "report.html";

/// A script of a page. The content policy admits it by the SHA-256 of its text: `openssl dgst -sha256 -binary page.js | base64`.
pub(super) struct Script {
    pub(super) text: &'static str,
    /// The hash of the text, in base 64.
    pub(super) hash: &'static str,
}

const SCRIPT: Script = Script { text: include_str!("page.js"), hash: "Qd2xFt5AOMiWhIeR8oHzuKCcztbFlTSAdmhn4oWilkA=" };

/// Content policy: the page loads nothing, and only its own script runs, whatever the names contain.
fn policy(script: &Script) -> String {
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        script.hash
    )
}

pub fn page(run: &Run) -> String {
    let sections = sections(run);
    let main = html! {
        (part::head::markup(run))
        (part::contents::markup(run, &sections))
        @for section in &sections { (section) }
    };
    document(&title(run), &main)
}

/// The title of the page: plan, system and time, so that browser tabs differ.
fn title(run: &Run) -> String {
    format!("{}, {}, {}", part::head::title(run), phrase::system(run), run.started)
}

pub(super) fn document(title: &str, main: &Markup) -> String {
    with_script(title, main, &SCRIPT)
}

pub(super) fn with_script(title: &str, main: &Markup, script: &Script) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, script))
            body {
                main { (main) }
                script { (PreEscaped(script.text)) }
            }
        }
    };
    printable_lines(&page.into_string())
}

fn sections(run: &Run) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    sections.extend(part::requirements::section(run));
    // The tables of such runs have names and units that the figures' own table lacks.
    let has_own = osbench::is_of(run) || interference::of(run).is_some() || paper::is_of_experiments(run);
    let latencies = part::phases::section(run).filter(|_| !has_own).into_iter().chain(figure::why::section(run));
    let answers = paper::event_sections(run).into_iter().chain(picture::sections(run));
    // Of jobs and events, the latencies are a detail.
    if tasks::of(run).is_some() || paper::is_of_events(run) {
        sections.extend(answers.chain(latencies));
    } else {
        sections.extend(latencies.chain(answers));
    }
    sections.extend(bench::rise(run));
    sections.extend(paper::latency_section(run));
    sections.extend(paper::completions(&[run]).map(|grid| grid.section("completions")));
    sections.extend(paper::by_mode(&[run]).map(|grid| grid.section("by-mode")));
    sections.extend(figure::sections(run));
    sections.extend(part::next::section(run));
    sections.extend(part::head::warnings(run));
    sections.extend(part::figures::section(run).filter(|_| !has_own));
    sections.extend(figure::folded(run));
    let rest = [part::stretches::section(run), part::environment::section(run), Some(part::conditions::section(run))];
    sections.extend(rest.into_iter().flatten().map(Section::folded));
    let rest = [part::found::section(run), part::values::section(run), Some(part::reading::section(run))];
    sections.extend(rest.into_iter().flatten().map(Section::folded));
    sections
}

fn head(title: &str, script: &Script) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy(script));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { "backwall: " (title) }
            link rel="icon" href="data:,";
            style { (PreEscaped(include_str!("page.css"))) }
        }
    }
}
