// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a text something stands, for whoever has to mend it.

/// The line, from 1, that a byte of a text stands in; of one beyond its end, the last.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
