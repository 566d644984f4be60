// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a text line by line, numbers the lines, and limits their length.
use super::format::BadImport;
use std::io::{BufRead, Read};

/// No tool writes a longer line: a row of a histogram has eight characters per CPU.
const LONGEST: u64 = 1 << 20;
// The error for a last line without a line end.
pub(super) const CUT: &str = "the last line has no end; the file may be truncated";
/// Size limit of files that must be read as a whole.
const LARGEST: u64 = 256 << 20;

pub(super) struct Lines<'a> {
    source: &'a mut dyn BufRead,
    number: u64,
    has_end: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn of(source: &'a mut dyn BufRead) -> Self {
        Self { source, number: 0, has_end: true }
    }

    /// Whether the last line that was read had a line end. If the file was truncated, its last line has none.
    pub(super) fn has_end(&self) -> bool {
        self.has_end
    }

    // Whether a line that no reader understood may be the beginning of a longer line, because the file ends within it.
    pub(super) fn is_cut(&self, line: &str) -> bool {
        !self.has_end && !line.is_empty()
    }

    /// The next line with its number (from 1), without the line end; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<(u64, String)>, BadImport> {
        let mut bytes = Vec::new();
        (&mut *self.source).take(LONGEST).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.has_end = bytes.ends_with(b"\n");
        let text = plain(&String::from_utf8_lossy(&bytes));
        if bytes.len() as u64 == LONGEST {
            return Err(BadImport::line(self.number, &text, "line too long"));
        }
        if self.number > 1 && (text.starts_with('{') || text.starts_with("<?xml")) {
            return Err(BadImport::line(self.number, &text, "another file begins here; put each into its own file"));
        }
        Ok(Some((self.number, text)))
    }
}

/// A line as the tool wrote it: removes quotation marks of an e-mail and escape sequences of a terminal.
pub(super) fn plain(line: &str) -> String {
    if !line.contains(ESCAPE) {
        return unquoted(line).to_string();
    }
    let mut parts = line.split(ESCAPE);
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let of_sequence = |letter: char| !letter.is_ascii_alphabetic();
        let rest = match part.strip_prefix('[') {
            Some(sequence) => sequence.trim_start_matches(of_sequence).get(1..),
            None => part.get(1..),
        };
        text.push_str(rest.unwrap_or_default());
    }
    unquoted(&text).to_string()
}

const ESCAPE: char = '\u{1b}';

fn unquoted(line: &str) -> &str {
    line.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '>').trim_end()
}

pub(super) fn whole(source: &mut dyn BufRead) -> Result<String, BadImport> {
    let mut bytes = Vec::new();
    source.take(LARGEST).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == LARGEST {
        return Err(BadImport::whole(format!("larger than the limit of {} MB", LARGEST >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|error| BadImport::whole(format!("no text: {error}")))?;
    let quoted = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('>'));
    Ok(if quoted { text.lines().map(|line| unquoted(line).to_string() + "\n").collect() } else { text })
}

#[test]
fn what_moves_a_cursor_is_no_text() {
    assert_eq!(plain("\u{1b}[2;37;40m  Timer Latency \u{1b}[0;0;0m\r\n"), "Timer Latency");
    assert_eq!(plain("\u{1b}c> \u{1b}[2AT: 0"), "T: 0");
    for cut in ["\u{1b}", "\u{1b}[", "\u{1b}[2;", "\u{1b}[\u{e4}"] {
        assert!(plain(cut).len() <= 2, "{cut:?}");
    }
}
