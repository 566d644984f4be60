// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the tables that logic analyzers and oscilloscopes export. The reader goes by the meaning of the columns, not by the
//! maker of the instrument.
//!
//! A table has comments and settings, a row of names, and rows of numbers. Its times are in a column, or follow from a rate or an
//! interval in the header. Values of 0 and 1 are logic levels; anything else is volts and needs a threshold.
mod cells;
mod head;
mod levels;
#[cfg(test)]
mod tests;
mod volts;

use super::analog::BadAnalog;
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::rows::BadRows;
use cells::Separator;
use head::{Head, Preamble, Time};
use std::io::{BufRead, Read, SeekFrom};

/// The format is recognised by a row of numbers near the beginning of the text.
pub const FORMAT: Format = Format { name: "CSV", begins, takes: Takes::BOTH, read };

const BEGINNING: usize = 4 << 10;
/// Maximum number of rows above the numbers; no instrument writes more.
const HEAD_ROWS_MAX: u64 = 400;
const ROW_BYTES_MAX: u64 = 1 << 16;

fn begins(start: &[u8]) -> bool {
    let start = &start[..start.len().min(BEGINNING)];
    let text = String::from_utf8_lossy(start);
    let plain = !start.iter().any(|byte| *byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n'));
    // A text that begins like this is JSON, XML or a VCD dump.
    let other = text.trim_start().starts_with(['{', '[', '<', '$']);
    let table = |line: &str| cells::comment(line).is_none() && cells::is_numbers(&Separator::of(line).cells(line));
    let names = text.lines().find(|line| !line.trim().is_empty() && cells::comment(line).is_none()).unwrap_or("");
    let names = Separator::of(names).cells(names);
    let named = head::is_decoded(&names) || names.len() > 1 && head::time_of(names[0]).is_some();
    plain && !other && (text.starts_with("; CSV") || named || text.lines().any(table))
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Rows(#[from] BadRows),
    #[error(transparent)]
    Analog(#[from] BadAnalog),
    #[error(transparent)]
    Needless(#[from] BadCapture),
}

fn read(source: &mut dyn Source, told: &CaptureHints) -> Result<Capture, BadCapture> {
    table(source, told).map_err(|refused| match refused {
        Refused::Rows(error) => BadCapture::of(error),
        Refused::Analog(error) => BadCapture::of(error),
        Refused::Needless(error) => error,
    })
}

fn table(source: &mut dyn Source, told: &CaptureHints) -> Result<Capture, Refused> {
    let mut lines = Lines::new(source);
    let head = head(&mut lines, told)?;
    if head.time.is_some_and(Time::is_complete) && told.samplerate.is_some() {
        let why = "which has its own timestamps";
        return Err(Refused::Needless(BadCapture::Needless { option: "--samplerate", format: FORMAT.name, why }));
    }
    if let Some(fault) = misleading_times(&mut lines, &head)? {
        return Err(Refused::Rows(BadRows::Head(fault)));
    }
    lines.restart(&head)?;
    if !head.volts
        && let Some(capture) = levels::read(&mut lines, &head, told)?
    {
        return Ok(capture);
    }
    lines.restart(&head)?;
    volts::read(&mut lines, &head, told)
}

const NO_UNIT: &str =
    "the times are whole numbers without a unit; name the unit in the column's title, for example time_us";

/// Number of rows to examine for the form of their times.
const LOOKED_AT: usize = 64;

/// Why the times of the first rows may not be what they look like: whole numbers that differ by more than one are microseconds
/// or ticks, hardly seconds; and `100,000` next to a bare `0` is a hundred thousand.
fn misleading_times(lines: &mut Lines, head: &Head) -> Result<Option<&'static str>, BadRows> {
    let Some(time) = head.time.filter(|time| time.is_complete()) else { return Ok(None) };
    let (mut largest, mut whole, mut grouped, mut rows) = (0, 0, 0, 0);
    for _ in 0..LOOKED_AT {
        if lines.next()?.is_none() {
            break;
        }
        let cells = head.separator.cells(lines.text());
        let Some(cell) = cells.get(time.column) else { continue };
        rows += 1;
        grouped += usize::from(cells::is_grouped(cell));
        if let Ok(at) = cell.parse::<i64>() {
            (whole, largest) = (whole + 1, largest.max(at.abs()));
        }
    }
    let no_unit = !time.stated && largest > 1 && whole == rows;
    let by_thousands = grouped > 0 && whole > 0 && whole + grouped == rows;
    Ok(if no_unit { Some(NO_UNIT) } else { by_thousands.then_some(GROUPED) })
}

const GROUPED: &str = "the times have a mark between groups of three digits; export plain numbers";

/// Reads up to the first row of numbers, without consuming it.
fn head(lines: &mut Lines, told: &CaptureHints) -> Result<Head, BadRows> {
    let mut preamble = Preamble::told(told.samplerate);
    while let Some(line) = lines.next()? {
        let text = lines.text();
        if let Some(comment) = cells::comment(text) {
            preamble.comment(comment);
            continue;
        }
        let separator = Separator::of(text);
        let row = separator.cells(text);
        if row.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        if preamble.names_again(&row) {
            continue;
        }
        if cells::is_numbers(&row) || preamble.holds_values(&row) {
            let head = preamble.head(separator, &row, line)?;
            lines.again = true;
            return Ok(head);
        }
        preamble.row(line, text, &row)?;
        if line > HEAD_ROWS_MAX {
            break;
        }
    }
    Err(preamble.without_rows())
}

struct Lines<'a> {
    source: &'a mut dyn Source,
    text: String,
    number: u64,
    again: bool,
}

impl<'a> Lines<'a> {
    fn new(source: &'a mut dyn Source) -> Self {
        Self { source, text: String::new(), number: 0, again: false }
    }

    fn next(&mut self) -> Result<Option<u64>, BadRows> {
        if std::mem::take(&mut self.again) {
            return Ok(Some(self.number));
        }
        self.number += 1;
        let io = |source| BadRows::Io { line: self.number, source };
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        (&mut *self.source).take(ROW_BYTES_MAX).read_until(b'\n', &mut bytes).map_err(io)?;
        if bytes.len() as u64 == ROW_BYTES_MAX {
            return Err(super::rows::wrong(
                self.number,
                &String::from_utf8_lossy(&bytes),
                "is too long for a row of a capture",
            ));
        }
        let any = !bytes.is_empty();
        self.text =
            String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(any.then_some(self.number))
    }

    fn text(&self) -> &str {
        self.text.trim_end().trim_start_matches('\u{feff}')
    }

    fn restart(&mut self, head: &Head) -> Result<(), BadRows> {
        self.source.seek(SeekFrom::Start(0)).map_err(|source| BadRows::Io { line: 1, source })?;
        (self.number, self.again) = (0, false);
        while self.number < head.first_row {
            self.next()?;
        }
        self.again = true;
        Ok(())
    }
}
