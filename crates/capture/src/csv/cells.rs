// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits a row into cells, and parses their numbers.
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Semicolon,
    Tab,
}

impl Separator {
    pub(super) fn of(line: &str) -> Self {
        match line {
            line if line.contains('\t') => Self::Tab,
            line if line.contains(';') => Self::Semicolon,
            _ => Self::Comma,
        }
    }

    fn letter(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Tab => '\t',
        }
    }

    /// The cells without surrounding blanks and quotes, and without empty ones at the end.
    pub(super) fn cells<'a>(self, line: &'a str) -> Vec<&'a str> {
        let plain = |cell: &'a str| cell.trim().trim_matches('"').trim();
        let mut cells: Vec<&str> = match line.contains('"') {
            false => line.split(self.letter()).map(plain).collect(),
            true => quoted(line, self.letter()).into_iter().map(plain).collect(),
        };
        while cells.len() > 1 && cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        cells
    }

    /// A number in which a decimal comma is replaced by a point.
    pub(super) fn number(self, cell: &str) -> Cow<'_, str> {
        match self != Self::Comma && cell.contains(',') {
            true => cell.replace(',', ".").into(),
            false => cell.into(),
        }
    }
}

fn quoted(line: &str, separator: char) -> Vec<&str> {
    let (mut cells, mut from, mut inside) = (Vec::new(), 0, false);
    for (at, letter) in line.char_indices() {
        inside ^= letter == '"';
        if letter == separator && !inside {
            cells.push(&line[from..at]);
            from = at + 1;
        }
    }
    cells.push(&line[from..]);
    cells
}

pub(super) fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix([';', '#', '%']).map(str::trim)
}

/// Whether a row consists of numbers and unrecorded levels, with at least one number.
pub(super) fn is_numbers(cells: &[&str]) -> bool {
    let good = |cell: &&str| cell.is_empty() || is_number(cell) || matches!(*cell, "X" | "x");
    cells.iter().all(good) && cells.iter().any(|cell| is_number(cell))
}

pub(super) fn is_number(cell: &str) -> bool {
    let digits = cell.bytes().any(|byte| byte.is_ascii_digit());
    let good = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b',' | b'e' | b'E');
    digits && cell.bytes().all(good) && !cell.starts_with(['e', 'E'])
}
