// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where something is in a text, for its reader.
use std::ops::Range;

/// The line, from 1, that a byte of a text is in; of one beyond its end, the last.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// What a parser says of a text, as the line that has to be mended and one sentence; below its first line parsers draw the place.
pub fn mistake(text: &str, span: Option<Range<usize>>, said: &str) -> (usize, String) {
    let line = line_of(text, span.map_or(0, |span| span.start));
    (line, said.lines().next().unwrap_or_default().to_string())
}
