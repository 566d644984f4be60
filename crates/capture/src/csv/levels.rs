// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads rows of logic levels, one per change or one per sample.
use super::head::{Head, Kind, since};
use super::{FORMAT, Lines, Refused, cells};
use crate::format::{BadCapture, Capture, CaptureHints};
use crate::rows::{BadRows, Rows, wrong};
use crate::seconds;
use crate::tick::{Tick, TickRate};
use backwall_model::Origin;
use backwall_model::units::ClockRate;

/// A level. A number such as `1.0` is a level, too, unless the user gave a threshold for volts.
fn level(cell: &str, told: &CaptureHints) -> Option<Option<bool>> {
    cells::level(cell).or_else(|| {
        let value: f32 = cell.parse().ok().filter(|_| told.threshold.is_none() && cells::is_number(cell))?;
        [0.0, 1.0].contains(&value).then_some(Some(value == 1.0))
    })
}

/// The capture. `None` if the cells contain volts: the first cell that is not a level is another number.
pub(super) fn read(lines: &mut Lines, head: &Head, told: &CaptureHints) -> Result<Option<Capture>, Refused> {
    let (mut rows, mut first, mut last, mut sample) = (None, None, Tick(0), 0u64);
    while let Some(line) = lines.next()? {
        let text = lines.text();
        if text.is_empty() || cells::comment(text).is_some() {
            continue;
        }
        let row = head.separator.cells(text);
        let found = head.columns.iter().filter_map(|(column, _)| row.get(*column)).collect::<Vec<_>>();
        if row.len() != head.wanted || found.len() != head.columns.len() {
            let volts = rows.is_none() && found.iter().any(|cell| level(cell, told).is_none());
            if volts {
                return Ok(None);
            }
            return Err(BadRows::Columns { line, found: row.len(), wanted: head.wanted }.into());
        }
        if let Some(other) = found.iter().find(|cell| level(cell, told).is_none()) {
            if cells::is_number(other) && !other.bytes().all(|byte| byte.is_ascii_digit()) {
                return Ok(None);
            }
            let large = other.bytes().all(|byte| byte.is_ascii_digit()) && rows.is_none() && !other.is_empty();
            if large {
                return Ok(None);
            }
            return Err(wrong(line, other, "must be 0, 1 or X; export the digital channels separately").into());
        }
        let at = match head.time {
            Some(time) => {
                let cell = cells::number(row[time.column]);
                let at = time.at(&cell).ok_or_else(|| {
                    wrong(line, &cell, "is not a number of seconds; export relative times, not dates")
                })?;
                let at = since(*first.get_or_insert(at), at).filter(|at| *at >= last);
                at.ok_or_else(|| wrong(line, &cell, "is earlier than the previous row"))?
            }
            None => Tick(sample),
        };
        if rows.is_none() {
            let names = head.columns.iter().map(|(_, name)| name.clone());
            rows = Some(Rows::new(rate(head, told)?, names));
        }
        if let Some(rows) = &mut rows {
            rows.row(at, found.iter().map(|cell| level(cell, told).flatten()));
        }
        (last, sample) = (at, sample + 1);
    }
    let Some(rows) = rows else { return Ok(None) };
    if told.threshold.is_some() {
        let why = "which holds logic levels, not volts";
        return Err(BadCapture::Needless { option: "--threshold", format: FORMAT.name, why }.into());
    }
    let end = if head.time.is_some() { last } else { Tick(sample) };
    Ok(Some(Capture { edges: rows.finish(end), origin: Origin::Imported, interrupted: false, warnings: Vec::new() }))
}

fn rate(head: &Head, told: &CaptureHints) -> Result<TickRate, BadRows> {
    match head.time.map(|time| time.kind) {
        Some(Kind::Sigrok(_)) | None => {}
        Some(_) => return Ok(seconds::rate()),
    }
    let of_step =
        || head.step.filter(|step| *step > 0).and_then(|step| ClockRate::new(1_000_000_000_000 / step as u64));
    let rate = told.samplerate.or(head.rate).or_else(of_step).map(TickRate::Clock);
    rate.ok_or(BadRows::Head("sample rate missing; add it, for example --samplerate 12MHz"))
}
