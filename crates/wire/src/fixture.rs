// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds streams for tests, valid ones and, on request, invalid ones.

/// A stream under construction, in the version of the format that it was begun with.
#[derive(Clone, Debug)]
pub struct Stream {
    version: u32,
    bytes: Vec<u8>,
    records: u64,
}

/// A series to declare. If it is periodic, its period is 100 counts.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    pub series: u32,
    pub name: &'a str,
    /// Names of the series' time stamps, in order.
    pub points: &'a [&'a str],
    pub periodic: bool,
    /// CPU of the series' thread; version 2 only.
    pub cpu: Option<u32>,
    /// Names of the other fields of a sample; version 2 only.
    pub fields: &'a [&'a str],
}

fn padded(text: &str, width: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(width, 0);
    bytes
}

fn texts(texts: &[&str]) -> Vec<u8> {
    let mut bytes: Vec<u8> = texts.iter().flat_map(|text| text.bytes().chain([0])).collect();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn halves(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl Default for Stream {
    fn default() -> Self {
        Self::new()
    }
}

impl Stream {
    pub fn new() -> Self {
        Self::of(2)
    }

    pub fn of(version: u32) -> Self {
        Self { version, bytes: Vec::new(), records: 0 }
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    pub fn raw(&mut self, kind: u16, payload: &[u8]) -> &mut Self {
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend((self.records as u16).to_le_bytes());
        self.bytes.extend((payload.len() as u32).to_le_bytes());
        self.bytes.extend(payload);
        self.records += 1;
        self
    }

    /// Writes the HELLO of a device with a scripted clock of 1 GHz.
    pub fn hello(&mut self) -> &mut Self {
        let magic = b"BACKWALL".to_vec();
        let payload = match self.version {
            1 => [magic, halves(&[1, 3]), words(&[1_000_000_000]), halves(&[1, 0]), padded("scripted", 16)].concat(),
            version => [magic, halves(&[version, 1]), words(&[1_000_000_000]), texts(&["fake", "scripted"])].concat(),
        };
        self.raw(1, &payload)
    }

    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        let used = key.len() + value.len();
        let payload = match self.version {
            1 => [
                halves(&[key.len() as u32, value.len() as u32]),
                padded(&format!("{key}{value}"), used.next_multiple_of(8)),
            ]
            .concat(),
            _ => texts(&[key, value]),
        };
        self.raw(2, &payload)
    }

    pub fn series(&mut self, series: u32, name: &str, points: &[&str]) -> &mut Self {
        self.declare(&Declared { series, name, points, periodic: true, cpu: None, fields: &[] })
    }

    /// In version 1 a series has neither CPU nor fields.
    pub fn declare(&mut self, one: &Declared<'_>) -> &mut Self {
        let every = if one.periodic { 100 } else { 0 };
        let fixed = [halves(&[one.series, one.points.len() as u32]), words(&[every, every, every])].concat();
        let payload = if self.version == 1 {
            let names: Vec<u8> = one.points.iter().flat_map(|point| padded(point, 16)).collect();
            let mut payload = [fixed, halves(&[0, 0]), padded(one.name, 16), names].concat();
            payload.resize(184, 0);
            payload
        } else {
            let names = [&[one.name], one.points, one.fields].concat();
            let cpu = one.cpu.unwrap_or(u32::MAX);
            [fixed, halves(&[0, cpu, one.fields.len() as u32, 0]), texts(&names)].concat()
        };
        self.raw(3, &payload)
    }

    /// Samples of one series: rows of time stamps and fields.
    pub fn samples(&mut self, series: u32, first_seq: u64, flags: u32, rows: &[&[u64]]) -> &mut Self {
        let head = [halves(&[series, rows.len() as u32]), words(&[first_seq]), halves(&[flags, 0])].concat();
        self.raw(4, &[head, words(&rows.concat())].concat())
    }

    pub fn lost(&mut self, series: u32, first_seq: u64, reason: u32, count: u64) -> &mut Self {
        self.raw(5, &[halves(&[series, reason]), words(&[first_seq, count])].concat())
    }

    pub fn progress(&mut self, load: u32, at: u64, done: u64) -> &mut Self {
        self.raw(7, &[halves(&[load, 0]), words(&[at, done])].concat())
    }

    /// A value in version 2, for a series or the whole device.
    pub fn value(&mut self, series: Option<u32>, name: &str, value: u64) -> &mut Self {
        self.raw(8, &[halves(&[series.unwrap_or(u32::MAX), 0]), words(&[value]), texts(&[name])].concat())
    }

    pub fn totals(&mut self, series: u32, due: u64, done: u64, lost: u64) -> &mut Self {
        self.raw(10, &[halves(&[series, 0]), words(&[due, done, lost])].concat())
    }

    /// A note in version 2.
    pub fn note(&mut self, severity: u32, text: &str) -> &mut Self {
        self.raw(9, &[halves(&[severity, 0]), texts(&[text])].concat())
    }

    pub fn end(&mut self, reason: u32) -> &mut Self {
        let records = self.records;
        self.raw(11, &[halves(&[reason, 0]), words(&[records])].concat())
    }
}
