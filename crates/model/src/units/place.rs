// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions in a text, for error messages.
use std::ops::Range;

/// The line number, from 1, of a byte in a text. Beyond the end it is the last line.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// A parser's error as line number and one sentence: the rest of the parser's message draws the place and is dropped.
pub fn mistake(text: &str, span: Option<Range<usize>>, said: &str) -> (usize, String) {
    let line = line_of(text, span.map_or(0, |span| span.start));
    (line, said.lines().next().unwrap_or_default().to_string())
}
