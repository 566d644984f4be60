// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a text line by line, numbers the lines, and limits their length.
use super::format::BadImport;
use backwall_model::log_time::after_log_time;
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
    unlogged(line.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '>').trim_end())
}

/// A line without what dmesg, journalctl or a serial console put before it.
fn unlogged(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = after_uptime(line).or_else(|| after_log_time(line)).or_else(|| after_journal(line)) {
        line = rest.trim_start();
    }
    line
}

/// What follows `[   12.345678] `. A row `[1]` of bpftrace has no point.
fn after_uptime(line: &str) -> Option<&str> {
    let (time, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (whole, fraction) = time.trim().split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(whole) && digits(fraction)).then_some(rest)
}

/// What follows `May 01 10:00:00 host cyclictest[123]: `, or the time alone.
fn after_journal(line: &str) -> Option<&str> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = line.get(..3).filter(|month| MONTHS.contains(month))?;
    let (day, rest) = line[month.len()..].trim_start().split_once(' ')?;
    let (time, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    day.parse::<u8>().ok().filter(|_| time.matches(':').count() == 2)?;
    let said_by = |rest: &'_ str| rest.split_once("]: ").map(|(who, _)| who.len() + 3);
    let is_name = |who: &str| who.matches(' ').count() == 1 && who.contains('[');
    let who = said_by(rest).filter(|end| is_name(&rest[..end - 3])).unwrap_or(0);
    Some(&rest[who..])
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

#[test]
fn what_a_log_puts_before_a_line_is_no_part_of_it() {
    for (line, bare) in [
        ("[   12.345700] 000000 000005", "000000 000005"),
        ("May 01 10:00:00 host cyclictest[123]: T: 0 ( 2345) P:80", "T: 0 ( 2345) P:80"),
        ("May  1 10:00:00 T: 0 ( 2345) P:80", "T: 0 ( 2345) P:80"),
        ("2024-05-01T10:00:00.123 # Histogram", "# Histogram"),
        ("[1]                   47 |@@@ |", "[1]                   47 |@@@ |"),
        ("[1K, 2K)              47 |@@@ |", "[1K, 2K)              47 |@@@ |"),
        ("Max Latency: 48us", "Max Latency: 48us"),
    ] {
        assert_eq!(plain(line), bare);
    }
}
