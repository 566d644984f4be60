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
    most: Option<u64>,
    /// Whether two rows have the same time, because the file rounds times.
    rounded: bool,
    channels: Vec<Vec<f32>>,
}

pub(super) fn read(lines: &mut Lines, head: &Head, told: &CaptureHints) -> Result<Capture, Refused> {
    let mut volts = Volts { channels: vec![Vec::new(); head.columns.len()], ..Volts::default() };
    while let Some(line) = lines.next()? {
        let text = lines.text();
        if text.is_empty() || (head.skipped == 0 && cells::comment(text).is_some()) {
            continue;
        }
        volts.take(head, line, &head.separator.cells(text))?;
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
            let cell = head.separator.number(value(time.column));
            let at = time.at(&cell).ok_or_else(|| wrong(line, &cell, "is not a time"))?;
            let at = since(*self.first.get_or_insert(at), at).filter(|at| *at >= self.last);
            let at = at.ok_or_else(|| wrong(line, &cell, "is earlier than the previous row"))?;
            self.distance(at.0 - self.last.0);
            self.last = at;
        }
        self.rows += 1;
        for (((column, _), scale), channel) in head.columns.iter().zip(&head.scales).zip(&mut self.channels) {
            let cell = head.separator.number(value(*column));
            // PicoScope writes ∞ for volts beyond its range.
            let found: f32 = cell.parse().map_err(|_| match cell.ends_with('∞') {
                true => wrong(line, &cell, "is beyond the instrument's range; record with a larger range"),
                false => wrong(line, &cell, "is not a number of volts"),
            })?;
            channel.push(found * scale);
        }
        Ok(())
    }

    fn distance(&mut self, distance: u64) {
        self.rounded |= distance == 0 && self.rows > 0;
        self.most = self.most.max(Some(distance).filter(|distance| *distance > 0));
    }

    /// Ticks between two samples: the length of the record divided by the number of samples, or from the header or the
    /// user.
    fn step(&self, head: &Head, told: &CaptureHints) -> Result<f64, BadRows> {
        if self.rows < 2 {
            return Err(BadRows::Head("this oscilloscope export has fewer than two samples"));
        }
        if head.time.is_some() {
            let most = self.most.ok_or(BadRows::Head("all samples have the same time"))?;
            let mean = self.last.0 / (self.rows - 1).max(1);
            if !self.rounded && most / 3 > mean {
                return Err(BadRows::Head(
                    "the intervals between samples differ; export every sample, not changes only",
                ));
            }
            return Ok(self.last.0 as f64 / (self.rows - 1) as f64);
        }
        let of_rate = told.samplerate.or(head.rate).map(|rate| 1e12 / rate.hz() as f64);
        let step = head.step.filter(|step| *step > 0).map(|step| step as f64).or(of_rate);
        step.ok_or(BadRows::Head("sample rate missing; add it, for example --samplerate 12MHz"))
    }
}
