// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of a text, limited in length, without prefixes of mails or the kernel's log.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::error::ReadError;
use backwall_model::log_time::after_log_time;
use memchr::{memchr, memrchr};
use std::fs::File;
use std::io::{ErrorKind, Read, Take};

pub(super) const ROW_BYTES_MAX: usize = 64 << 10;
/// Bytes of a file that are read at once; they fit into the CPU's cache.
const BLOCK_BYTES: usize = 2 * ROW_BYTES_MAX;
/// A mail program does not break a shorter row.
const WRAPPED_FROM: usize = 60;
/// A row that a mail program broke is not longer than this.
const WRAPPED_AT: usize = 100;
const PIECES_MAX: usize = 8;
const LOG_BYTES_MAX: usize = 96;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paste {
    None,
    /// The text was pasted from a mail or the kernel's log, so each row may begin with `> ` or a time of the log.
    Quoted,
    Wrapped,
}

/// Whether a line begins a row of its own and does not continue the row before.
pub(super) type Begins = fn(&str) -> bool;

/// A piece of a file in memory. Its rows are not copied.
pub(super) struct Block<'a> {
    input: Take<&'a File>,
    bytes: Box<[u8]>,
    from: usize,
    to: usize,
}

impl<'a> Block<'a> {
    pub(super) fn of(file: &'a File, within: u64) -> Self {
        Self { input: file.take(within), bytes: vec![0; BLOCK_BYTES].into_boxed_slice(), from: 0, to: 0 }
    }

    /// Reads more bytes after the unread ones. Returns 0 at the end of the file, or if the unread ones fill the block.
    #[cold]
    fn fill(&mut self) -> std::io::Result<usize> {
        self.bytes.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        loop {
            match self.input.read(&mut self.bytes[self.to..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    self.to += read.as_ref().unwrap_or(&0);
                    return read;
                }
            }
        }
    }

    /// The next row with its line end, if it has one and is not too long.
    #[inline]
    fn row(&mut self) -> std::io::Result<&[u8]> {
        let (mut seen, mut end) = (0, memchr(b'\n', &self.bytes[self.from..self.to]));
        while end.is_none() {
            seen = self.to - self.from;
            if self.fill()? == 0 {
                break;
            }
            end = memchr(b'\n', &self.bytes[seen..self.to]).map(|end| seen + end);
        }
        let begin = self.from;
        self.from += end.map_or(seen, |end| end + 1).min(ROW_BYTES_MAX);
        Ok(&self.bytes[begin..self.from])
    }

    /// All whole rows that are in memory; at the end of the file also the rest.
    pub(super) fn rows(&mut self) -> std::io::Result<&[u8]> {
        let at_end = self.fill()? == 0;
        let whole = memrchr(b'\n', &self.bytes[..self.to]).map_or(0, |end| end + 1);
        self.from = if at_end || whole == 0 { self.to } else { whole };
        Ok(&self.bytes[..self.from])
    }
}

pub(super) struct Rows<'a> {
    block: Block<'a>,
    /// A row that was not valid UTF-8, with the invalid bytes replaced.
    lossy: String,
    line: u64,
    unfinished: bool,
    paste: Paste,
    begins: Begins,
    /// A row that is joined from several, and the row after it with its length in the file.
    joined: String,
    next: Option<(usize, String)>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(file: &'a File, within: u64) -> Self {
        Self::pasted(file, within, Paste::None, |_| true)
    }

    pub(super) fn pasted(file: &'a File, within: u64, paste: Paste, begins: Begins) -> Self {
        Self {
            block: Block::of(file, within),
            lossy: String::new(),
            line: 0,
            unfinished: false,
            paste,
            begins,
            joined: String::new(),
            next: None,
        }
    }

    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the last row has no line end, as in a truncated file.
    pub(super) fn is_unfinished(&self) -> bool {
        self.unfinished
    }

    #[inline]
    pub(super) fn next_whole(&mut self) -> Result<Option<(&str, bool)>, ReadError> {
        if self.paste == Paste::Wrapped {
            return Ok(self.whole()?.map(|row| (row, false)));
        }
        let quoted = self.paste == Paste::Quoted;
        let Some((row, unfinished)) = self.raw_whole()? else { return Ok(None) };
        Ok(Some((if quoted { unquoted(row) } else { row }, unfinished)))
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<&str>, ReadError> {
        match self.paste {
            Paste::None => self.raw(),
            Paste::Quoted => Ok(self.raw()?.map(unquoted)),
            Paste::Wrapped => self.whole(),
        }
    }

    #[inline]
    fn raw(&mut self) -> Result<Option<&str>, ReadError> {
        Ok(self.raw_whole()?.map(|(row, _)| row))
    }

    fn raw_whole(&mut self) -> Result<Option<(&str, bool)>, ReadError> {
        self.line += 1;
        let bytes = self.block.row()?;
        self.unfinished = !bytes.is_empty() && bytes.last() != Some(&b'\n');
        if bytes.len() == ROW_BYTES_MAX && self.unfinished {
            return Err(ReadError::BadLine { line: self.line, what: "longer than any row of a trace".to_string() });
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let bytes = bytes.trim_ascii_end();
        // Old pages of Android's systrace hold the rows in a string of JavaScript.
        let bytes = bytes.strip_suffix(b"\\n\\").unwrap_or(bytes);
        let row = match std::str::from_utf8(bytes) {
            Ok(row) => row,
            Err(_) => {
                self.lossy = String::from_utf8_lossy(bytes).into_owned();
                &self.lossy
            }
        };
        Ok(Some((row, self.unfinished)))
    }

    fn whole(&mut self) -> Result<Option<&str>, ReadError> {
        let first = match self.next.take() {
            Some(row) => row,
            None => match self.raw()? {
                Some(row) => (row.len(), unquoted(row).to_string()),
                None => return Ok(None),
            },
        };
        let mut length = first.0;
        self.joined = first.1;
        for _ in 1..PIECES_MAX {
            let Some((whole, row)) = self.raw()?.map(|row| (row.len(), unquoted(row).to_string())) else { break };
            if !goes_on(length, &row, self.begins) {
                self.next = Some((whole, row));
                break;
            }
            length = whole;
            self.joined.push(' ');
            self.joined.push_str(row.trim_ascii_start());
        }
        Ok(Some(&self.joined))
    }
}

/// Whether a row continues the one before it, whose `length` bytes left no room for the next word.
fn goes_on(length: usize, row: &str, begins: Begins) -> bool {
    let word = row.split_ascii_whitespace().next().map_or(0, str::len);
    word > 0 && length <= WRAPPED_AT && length + 1 + word > WRAPPED_FROM && !begins(row)
}

pub(super) fn pasted(rows: &[String], paste: Paste, begins: Begins) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let (mut length, mut pieces) = (0, 1);
    for whole_row in rows {
        let row = if paste == Paste::None { whole_row } else { unquoted(whole_row) };
        match whole
            .last_mut()
            .filter(|_| paste == Paste::Wrapped && pieces < PIECES_MAX && goes_on(length, row, begins))
        {
            Some(last) => {
                last.push(' ');
                last.push_str(row.trim_ascii_start());
                pieces += 1;
            }
            None => {
                whole.push(row.to_string());
                pieces = 1;
            }
        }
        length = whole_row.len();
    }
    whole
}

/// A row without the quote marks of a mail and the times of the kernel's log.
fn unquoted(row: &str) -> &str {
    let mut row = row.trim_ascii_start();
    while let Some(rest) = row.strip_prefix(['>', '|']) {
        row = rest.trim_ascii_start();
    }
    while let Some(rest) = after_log_time(row) {
        row = rest;
    }
    let within = row.char_indices().map(|(at, _)| at).take_while(|at| *at <= LOG_BYTES_MAX).last().unwrap_or(0);
    if let Some(at) = row[..within].find(" kernel: ") {
        row = row[at + 9..].trim_ascii_start();
    }
    if let Some((level, rest)) = row.strip_prefix('<').and_then(|rest| rest.split_once('>'))
        && !level.is_empty()
        && level.bytes().all(|byte| byte.is_ascii_digit())
    {
        row = rest.trim_ascii_start();
    }
    while let Some((time, rest)) = row.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let time = time.trim_ascii();
        let of_log = |byte: u8| byte.is_ascii_digit() || b".TC@".contains(&byte);
        if time.is_empty() || !time.bytes().all(of_log) || !rest.starts_with(' ') && !rest.starts_with('[') {
            break;
        }
        row = rest.trim_ascii_start();
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_times_of_the_log_are_no_part_of_a_row() {
        for (row, bare) in [
            ("> > bash-1 [000] 1.0: a: b", "bash-1 [000] 1.0: a: b"),
            ("   | bash-1 [000] 1.0: a: b", "bash-1 [000] 1.0: a: b"),
            ("[   12.345678] bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("<4>[   12.345678][  T210] <idle>-0  0d..2. 12us : a: b", "<idle>-0  0d..2. 12us : a: b"),
            ("Nov 27 10:00:00 host kernel: [   12.345678] => schedule", "=> schedule"),
            (" => schedule", "=> schedule"),
            ("2024-05-01T10:00:00,401199+00:00 bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("[2024-05-01 10:00:00.123] [  123.401200] bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("2024-05-01 10:00:00.123 [  123.401200] bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("[Wed May  1 10:00:00 2024] bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("4,1234,123401199,-;bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("10:00:00.123456 [  123.401200] bash-1  0d..2. 12us : a: b", "bash-1  0d..2. 12us : a: b"),
            ("kern  :warn  : [  123.401200][ T2123@C1] bash-1  0d..2. 12us : a", "bash-1  0d..2. 12us : a"),
            ("kworker/-1  0d..2. 12us : a: b", "kworker/-1  0d..2. 12us : a: b"),
            ("0:1-7  0d..2. 12us : a: b", "0:1-7  0d..2. 12us : a: b"),
        ] {
            assert_eq!(unquoted(row), bare, "{row}");
        }
    }

    #[test]
    fn a_row_that_was_broken_is_whole_again() {
        let begins: Begins = |row| row.starts_with("a-");
        let long = format!("a-1 {}", "x".repeat(60));
        let rows: Vec<String> = [&long, "  rest", "a-2 short", "prose", ""].map(String::from).to_vec();
        let expected = [format!("{long} rest"), "a-2 short".into(), "prose".into(), String::new()];
        assert_eq!(pasted(&rows, Paste::Wrapped, begins), expected);
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, rows.join("\r\n").as_bytes()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut read = Rows::pasted(&file, u64::MAX, Paste::Wrapped, begins);
        let mut found = Vec::new();
        while let Some(row) = read.next().unwrap() {
            found.push(row.to_string());
        }
        assert_eq!(found, expected[..3]);
    }
}
