// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a run: one file without script, without network, for screen and paper.
use super::section::{Section, escape};
use super::{figure, part, phrase};
use crate::run::Run;

/// Name of the page in a run's folder.
pub const FILE: &str = "report.html";

/// Nothing may be loaded and nothing may run, whatever a name from outside holds.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The whole page; `pictures` are sections of other parts of the tool, shown before the figures.
pub fn page(run: &Run, pictures: &[Section]) -> String {
    let mut sections: Vec<Section> = Vec::new();
    sections.extend(part::requirements::section(run));
    sections.extend(part::figures::section(run));
    sections.extend(pictures.iter().cloned());
    sections.extend(figure::sections(run));
    sections.extend(part::environment::section(run));
    sections.push(part::conditions::section(run));
    sections.extend(part::values::section(run));
    sections.push(part::reading::section(run));
    let body: String = sections.iter().map(Section::html).collect();
    format!("{}<body>\n<main>\n{}{body}</main>\n</body>\n</html>\n", head(run), part::head::html(run))
}

fn head(run: &Run) -> String {
    let title = escape(&format!("backwall: {} on {}", phrase::system(run), phrase::processor(run)));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{}</style>\n</head>\n",
        include_str!("page.css")
    )
}
