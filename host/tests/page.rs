// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page in a headless browser.
mod sample;
use backwall::report::html;

const SECTIONS: [&str; 12] = [
    "requirements",
    "figures",
    "tail",
    "histogram",
    "over-time",
    "persistence",
    "stages",
    "self-check",
    "loads",
    "environment",
    "conditions",
    "reading",
];

#[test]
fn the_page_holds_every_section_and_loads_nothing() {
    let page = html::page(&sample::tour(), &[]);
    for id in SECTIONS {
        assert_eq!(page.matches(&format!("<section id=\"{id}\"")).count(), 1, "{id}");
    }
    for loading in ["src=", "@import", "url(", "<script", "http:", "https:"] {
        assert!(!page.contains(loading), "{loading}");
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour.html");
    std::fs::write(&path, page).unwrap();
}
