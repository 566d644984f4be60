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
}

/// A number in which a decimal comma is replaced by a point. Between commas, such a cell was quoted.
pub(super) fn number(cell: &str) -> Cow<'_, str> {
    match cell.contains(',') {
        true => cell.replace(',', ".").into(),
        false => cell.into(),
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

/// A level; `Some(None)` if it was not recorded, `None` if the cell does not contain a level.
pub(super) fn level(cell: &str) -> Option<Option<bool>> {
    match cell {
        "0" => return Some(Some(false)),
        "1" => return Some(Some(true)),
        "X" | "x" => return Some(None),
        _ => {}
    }
    let is = |words: [&str; 3]| words.iter().any(|word| cell.eq_ignore_ascii_case(word));
    match (is(["low", "l", "false"]), is(["high", "h", "true"])) {
        (true, _) => Some(Some(false)),
        (_, true) => Some(Some(true)),
        _ => None,
    }
}

/// Whether a row consists of numbers, times with a unit and levels, with at least one number.
pub(super) fn is_numbers(cells: &[&str]) -> bool {
    let good = |cell: &&str| cell.is_empty() || is_figure(cell) || level(cell).is_some();
    cells.iter().all(good) && cells.iter().any(|cell| is_figure(cell))
}

/// Whether a cell is a number, perhaps with marks between its digits and with a unit of time.
fn is_figure(cell: &str) -> bool {
    let (number, unit) = split_unit(cell);
    is_number(&number.replace(is_group_mark, "")) && (unit.is_empty() || super::head::unit_of_cell(unit).is_some())
}

/// Splits `4.860 530 ms` into the number and the unit.
pub(super) fn split_unit(cell: &str) -> (&str, &str) {
    let end = cell.rfind(|letter: char| letter.is_ascii_digit() || letter == '.').map_or(0, |at| at + 1);
    (cell[..end].trim_end(), cell[end..].trim_start())
}

/// Marks between groups of digits that no locale uses as the decimal mark.
pub(super) fn is_group_mark(letter: char) -> bool {
    matches!(letter, ' ' | '\'' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

pub(super) fn is_number(cell: &str) -> bool {
    let digits = cell.bytes().any(|byte| byte.is_ascii_digit());
    let good = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b',' | b'e' | b'E');
    digits && cell.bytes().all(good) && !cell.starts_with(['e', 'E'])
}

/// Whether a cell may have marks between groups of three digits: `100,000`, `1.500.000`.
pub(super) fn is_grouped(cell: &str) -> bool {
    let mut groups = cell.trim_start_matches(['-', '+']).split([',', '.']);
    let first = groups.next().unwrap_or_default();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut rest = groups.peekable();
    (1..=3).contains(&first.len())
        && digits(first)
        && !first.starts_with('0')
        && rest.peek().is_some()
        && rest.all(|group| group.len() == 3 && digits(group))
}
