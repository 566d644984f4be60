// SPDX-License-Identifier: MIT OR Apache-2.0
use super::head::{Head, since};
use super::{Lines, Refused, cells};
use crate::analog::{self, Waveform};
use crate::format::{Capture, CaptureHints};
use crate::rows::{BadRows, wrong};
use crate::tick::Tick;
use backwall_model::{Origin, Warning};

#[derive(Default)]
struct Volts {
    first: Option<i64>,
    last: Tick,
    rows: u64,
    empty: u64,
    /// The shortest and the longest time between two rows, without what rounding may add.
    apart: Option<(f64, f64)>,
    channels: Vec<Vec<f32>>,
}

pub(super) fn read(lines: &mut Lines, head: &Head, told: &CaptureHints) -> Result<Capture, Refused> {
    if head.times {
        return Err(Refused::Rows(BadRows::Head(TIMES)));
    }
    let mut volts = Volts { channels: vec![Vec::new(); head.columns.len()], ..Volts::default() };
    while let Some(line) = lines.next()? {
        let text = lines.text();
        if text.is_empty() || (head.skipped == 0 && cells::comment(text).is_some()) {
            continue;
        }
        volts.take(head, line, &head.separator.cells(text))?;
    }
    if !head.named && volts.channels.len() > 1 && is_rising(&volts.channels[0]) {
        return Err(Refused::Rows(BadRows::Head(UNNAMED)));
    }
    let step = volts.step(head, told)?;
    let waveform =
        |((_, name), volts): (&(usize, String), Vec<f32>)| Waveform { name: name.clone(), first: 0.0, step, volts };
    let empty = volts.empty;
    let waveforms: Vec<Waveform> = head.columns.iter().zip(volts.channels).map(waveform).collect();
    let edges = analog::edges(&waveforms, told.threshold)?;
    let said = (empty > 0).then(|| Warning::new("empty-rows", format!("ignored rows without values: {empty}")));
    Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: said.into_iter().collect() })
}

const TIMES: &str = "two columns are times; export with one column of time for all channels";
const UNEVEN: &str = "the intervals between samples differ; export every sample, not changes only";
const UNNAMED: &str =
    "the first column rises like a time, but the columns have no names; add a row such as time_s,A,B above";

fn is_rising(values: &[f32]) -> bool {
    values.len() > 2 && values.windows(2).all(|pair| pair[0] < pair[1])
}

impl Volts {
    fn take(&mut self, head: &Head, line: u64, cells: &[&str]) -> Result<(), BadRows> {
        let value = |column: usize| cells.get(column).copied().unwrap_or("");
        if head.columns.iter().all(|(column, _)| value(*column).is_empty()) {
            self.empty += 1;
            return Ok(());
        }
        if cells.len() < head.wanted {
            return Err(BadRows::Columns { line, found: cells.len(), wanted: head.wanted });
        }
        if let Some(time) = head.time {
            let cell = cells::number(value(time.column));
            let raw = time.at(&cell).ok_or_else(|| wrong(line, &cell, "is not a time"))?;
            let at = since(*self.first.get_or_insert(raw), raw).filter(|at| *at >= self.last);
            let at = at.ok_or_else(|| wrong(line, &cell, "is earlier than the previous row"))?;
            self.distance(at.0 - self.last.0, &cell, raw);
            self.last = at;
        }
        self.rows += 1;
        for (((column, _), scale), channel) in head.columns.iter().zip(&head.scales).zip(&mut self.channels) {
            let cell = cells::number(value(*column));
            // PicoScope writes ∞ for volts beyond its range.
            let found: f32 = cell.parse().map_err(|_| match cell.ends_with('∞') {
                true => wrong(line, &cell, "is beyond the instrument's range; record with a larger range"),
                false => wrong(line, &cell, "is not a number of volts"),
            })?;
            channel.push(found * scale);
        }
        Ok(())
    }

    /// A file rounds its times to the last digit that it prints, and many instruments to a float of 32 bits before.
    fn distance(&mut self, distance: u64, cell: &str, at: i64) {
        let at = at.unsigned_abs() as f64;
        let mantissa = cell.split(['e', 'E']).next().unwrap_or_default();
        let digits =
            mantissa.bytes().filter(u8::is_ascii_digit).fold(0.0, |all, digit| all * 10.0 + f64::from(digit - b'0'));
        // A zero does not show what its last digit is worth.
        if self.rows == 0 || digits == 0.0 {
            return;
        }
        let rounding = at * f64::from(f32::EPSILON) + at / digits;
        let (low, high) = (distance as f64 + rounding, distance as f64 - rounding);
        let (shortest, longest) = self.apart.unwrap_or((low, high));
        self.apart = Some((shortest.min(low), longest.max(high)));
    }

    /// Ticks between two samples. With a time column: the length of the record divided by the number of samples. Otherwise the
    /// header or the user states them.
    fn step(&self, head: &Head, told: &CaptureHints) -> Result<f64, BadRows> {
        if self.rows < 2 {
            return Err(BadRows::Head("this oscilloscope export has fewer than two samples"));
        }
        if head.time.is_some() {
            let mean = self.last.0 as f64 / (self.rows - 1) as f64;
            if mean == 0.0 {
                return Err(BadRows::Head("all samples have the same time"));
            }
            if self.apart.is_some_and(|(shortest, longest)| shortest < mean * 0.9 || longest > mean * 1.1) {
                return Err(BadRows::Head(UNEVEN));
            }
            return Ok(mean);
        }
        let of_rate = told.samplerate.or(head.rate).map(|rate| 1e12 / rate.hz() as f64);
        let step = head.step.filter(|step| *step > 0).map(|step| step as f64).or(of_rate);
        step.ok_or(BadRows::Head("sample rate missing; add it, for example --samplerate 12MHz"))
    }
}
