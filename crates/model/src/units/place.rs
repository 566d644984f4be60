// SPDX-License-Identifier: MIT OR Apache-2.0
//! A position in a text, for its reader.
use std::ops::Range;

/// The line, from 1, of a byte in a text; beyond its end, the last.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// A parser's error as line number and one sentence; after the first line parsers draw the place.
pub fn mistake(text: &str, span: Option<Range<usize>>, said: &str) -> (usize, String) {
    let line = line_of(text, span.map_or(0, |span| span.start));
    (line, said.lines().next().unwrap_or_default().to_string())
}
