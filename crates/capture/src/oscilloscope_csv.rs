// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reader of what oscilloscopes export as CSV: volts in columns, levels by a threshold.
//!
//! Four makers' heads are known; below each stand rows of an instant, or a number, and a value for each channel.
use super::analog::{self, BadAnalog, Waveform};
use super::format::{BadCapture, Capture, Format, Source, Takes, Told};
use super::rows::{BadRows, name, wrong};
use super::seconds;
use backwall_model::{Origin, Warning};

/// Begins as one of the makers' does.
pub const FORMAT: Format = Format {
    name: "CSV of Agilent, Tektronix, Rigol",
    begins: |start| MAKERS.iter().any(|maker| start.starts_with(maker.begins)),
    takes: Takes::THRESHOLD,
    read: |source, told| {
        let table = read(source).map_err(BadCapture::of)?;
        table.capture(told).map_err(BadCapture::of)
    },
};

/// How a maker's file is told and where its rows begin.
struct Maker {
    begins: &'static [u8],
    /// From a row of the head, whether the rows of values begin below, and how they are to be read.
    head: fn(&[&str], &mut Head) -> Result<bool, &'static str>,
}

/// Agilent and Keysight; Tektronix MDO and DPO; Tektronix TDS; Rigol.
const MAKERS: [Maker; 4] = [
    Maker { begins: b"x-axis,", head: agilent },
    Maker { begins: b"Model,", head: tektronix },
    Maker { begins: b"Record Length,", head: tektronix_tds },
    Maker { begins: b"X,CH", head: rigol },
];

/// What the rows above the values tell.
#[derive(Default)]
struct Head {
    names: Vec<String>,
    /// The column of the instant; the values follow it.
    column: usize,
    /// Start and increment in picoseconds, where the first column counts samples.
    counted: Option<(i64, i64)>,
    /// The first row of values is this very row.
    holds_values: bool,
}

fn agilent(cells: &[&str], head: &mut Head) -> Result<bool, &'static str> {
    if cells[0] == "x-axis" {
        head.names = cells[1..].iter().map(|cell| format!("ch{}", name(cell))).collect();
        return Ok(false);
    }
    if cells[0] != "second" || cells[1..].iter().any(|unit| *unit != "Volt") {
        return Err("is not in seconds and volts");
    }
    Ok(true)
}

fn tektronix(cells: &[&str], head: &mut Head) -> Result<bool, &'static str> {
    let found = cells[0] == "TIME";
    if found {
        head.names = cells[1..].iter().map(|cell| name(cell)).collect();
    }
    Ok(found)
}

/// Its settings stand in three columns beside the first rows of values.
fn tektronix_tds(cells: &[&str], head: &mut Head) -> Result<bool, &'static str> {
    (head.names, head.column, head.holds_values) = (vec!["CH".to_string()], 3, true);
    if cells.len() < 5 { Err("has no values in its fourth and fifth column") } else { Ok(true) }
}

fn rigol(cells: &[&str], head: &mut Head) -> Result<bool, &'static str> {
    if cells[0] == "X" {
        head.names = cells[1..].iter().filter(|cell| cell.starts_with("CH")).map(|cell| name(cell)).collect();
        return Ok(false);
    }
    let ps = |index: usize| cells.get(index).and_then(|cell| seconds::picoseconds(cell));
    let channels = head.names.len();
    let (start, step) = (ps(channels + 1), ps(channels + 2));
    head.counted = Some(start.zip(step).ok_or("has no start and increment behind the units of its channels")?);
    Ok(true)
}

/// Every channel's volts, at even distances.
struct Table {
    waveforms: Vec<Waveform>,
    empty: u64,
}

fn read(source: &mut dyn Source) -> Result<Table, BadRows> {
    let start = source.fill_buf().map_err(|source| BadRows::Io { line: 1, source })?;
    let maker = MAKERS.iter().find(|maker| start.starts_with(maker.begins)).ok_or(BadRows::Head("no head"))?;
    let (mut text, mut line, mut head, mut inside) = (String::new(), 0, Head::default(), false);
    let mut values = Values::default();
    loop {
        text.clear();
        line += 1;
        if source.read_line(&mut text).map_err(|source| BadRows::Io { line, source })? == 0 {
            break;
        }
        let row = text.trim_end().trim_end_matches(',');
        let cells: Vec<&str> = row.split(',').map(str::trim).collect();
        if row.is_empty() {
            continue;
        }
        if !inside {
            inside = (maker.head)(&cells, &mut head).map_err(|fault| wrong(line, row, fault))?;
            if !(inside && head.holds_values) {
                continue;
            }
        }
        values.take(&head, line, &cells)?;
    }
    values.table(&head)
}

/// The rows as they come.
#[derive(Default)]
struct Values {
    first: i64,
    last: i64,
    rows: u64,
    /// Rows with an instant alone.
    empty: u64,
    volts: Vec<Vec<f32>>,
}

impl Values {
    fn take(&mut self, head: &Head, line: u64, cells: &[&str]) -> Result<(), BadRows> {
        let cells = &cells[head.column.min(cells.len())..];
        if cells.iter().skip(1).all(|cell| cell.is_empty()) {
            self.empty += 1;
            return Ok(());
        }
        if cells.len() < head.names.len() + 1 {
            return Err(BadRows::Columns { line, found: cells.len(), wanted: head.names.len() + 1 });
        }
        let at = match head.counted {
            Some((start, step)) => {
                cells[0].parse::<i64>().ok().and_then(|number| start.checked_add(step.checked_mul(number)?))
            }
            None => seconds::picoseconds(cells[0]),
        };
        let at = at.ok_or_else(|| wrong(line, cells[0], "is no instant"))?;
        if self.rows > 0 && at <= self.last {
            return Err(wrong(line, cells[0], "is not after the instant in front of it"));
        }
        if self.rows == 0 {
            self.first = at;
            self.volts = vec![Vec::new(); head.names.len()];
        }
        (self.last, self.rows) = (at, self.rows + 1);
        for (channel, cell) in self.volts.iter_mut().zip(&cells[1..]) {
            channel.push(cell.parse().map_err(|_| wrong(line, cell, "is no number of volts"))?);
        }
        Ok(())
    }

    /// Instants are rounded in the file; the distance between two samples is the whole record's over their number.
    fn table(self, head: &Head) -> Result<Table, BadRows> {
        if self.rows < 2 {
            return Err(BadRows::Head("this export of an oscilloscope has fewer than two samples"));
        }
        let step = self.last.abs_diff(self.first) as f64 / (self.rows - 1) as f64;
        let waveform = |(name, volts): (&String, Vec<f32>)| Waveform { name: name.clone(), first: 0.0, step, volts };
        Ok(Table { waveforms: head.names.iter().zip(self.volts).map(waveform).collect(), empty: self.empty })
    }
}

impl Table {
    fn capture(self, told: &Told) -> Result<Capture, BadAnalog> {
        let edges = analog::edges(&self.waveforms, told.threshold)?;
        let empty = (self.empty > 0)
            .then(|| Warning::new("empty-rows", format!("rows without values, not looked at: {}", self.empty)));
        let warnings = empty.into_iter().collect();
        Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture;
    use std::io::Cursor;

    fn of(text: &str) -> Result<Capture, String> {
        capture::read(Cursor::new(text), &Told::default()).map_err(|error| error.to_string())
    }

    /// The same signal from four makers: low at -1, 0 and 1 us, high at 2 and 3 us; half-way at 1.5 us after the first.
    const FILES: [&str; 4] = [
        "x-axis,1\nsecond,Volt\n-1.000E-06,+0E+00\n+0.000E+00,+0E+00\n+1.000E-06,+0E+00\n+2.000E-06,+4E+00\n+3.000E-06,+4E+00\n",
        "Model,MDO4104C\nSample Interval,1e-06,\n,,\nTIME,CH1\n-1e-6,0\n0,0\n1e-6,0\n2e-6,4\n3e-6,4\n",
        "Record Length,5,,-1e-6,0,\nSample Interval,1e-6,,0,0,\nTrigger Point,1,,1e-6,0,\n,,,2e-6,4,\n,,,3e-6,4,\n",
        "X,CH1,Start,Increment,\nSequence,VOLT,-1e-6,1e-6\n0,0,\n1,0,\n2,0,\n3,4,\n4,4,\n",
    ];

    #[test]
    fn the_same_signal_from_four_makers_has_the_same_edges() {
        for text in FILES {
            let edges = of(text).unwrap().edges;
            let found: Vec<(u64, bool)> = edges.lines[0].edges.iter().map(|e| (e.at().0, e.level())).collect();
            assert_eq!((found, edges.end_at.0), (vec![(2_500_000, true)], 4_000_000), "{text}");
        }
    }

    #[test]
    fn a_row_with_an_instant_alone_is_counted() {
        let text = FILES[0].to_string() + "+4.000E-06,,\n";
        let capture = of(&text).unwrap();
        assert_eq!((capture.edges.end_at.0, capture.warnings.len()), (4_000_000, 1));
        assert_eq!(capture.warnings[0].text, "rows without values, not looked at: 1");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            ("x-axis,1\nsecond,Volt\n0,zero\n1,1\n", "line 3: \"zero\" is no number of volts"),
            ("x-axis,1\nsecond,Ampere\n", "line 2: \"second,Ampere\" is not in seconds and volts"),
            ("x-axis,1\nsecond,Volt\n1,0\n0,1\n", "line 4: \"0\" is not after"),
            ("x-axis,1,2\nsecond,Volt,Volt\n1,0\n", "line 3: 2 columns, the head has 3"),
            ("x-axis,1\nsecond,Volt\n1,0\n", "this export of an oscilloscope has fewer than two samples"),
            ("X,CH1\nSequence,VOLT\n", "line 2: \"Sequence,VOLT\" has no start and increment"),
        ] {
            let refusal = of(text).unwrap_err();
            assert!(refusal.starts_with(expected), "{refusal}");
        }
    }
}
