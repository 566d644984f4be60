// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams for tests, written as the format says and, where asked, against it.

#[derive(Clone, Default)]
pub(crate) struct Stream {
    bytes: Vec<u8>,
    records: u64,
}

fn name(text: &str, width: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(width, 0);
    bytes
}

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn halves(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl Stream {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    pub(crate) fn raw(&mut self, kind: u16, payload: &[u8]) -> &mut Self {
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend((self.records as u16).to_le_bytes());
        self.bytes.extend((payload.len() as u32).to_le_bytes());
        self.bytes.extend(payload);
        self.records += 1;
        self
    }

    pub(crate) fn hello(&mut self, device: u32) -> &mut Self {
        let parts = [b"BACKWALL".to_vec(), halves(&[1, device]), words(&[1_000_000_000]), halves(&[1, 0])];
        self.raw(1, &[parts.concat(), name("fake", 16)].concat())
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        let mut payload = halves(&[key.len() as u32, value.len() as u32]);
        payload.extend(name(&format!("{key}{value}"), (key.len() + value.len()).next_multiple_of(8)));
        self.raw(2, &payload)
    }

    pub(crate) fn series(&mut self, series: u32, title: &str, points: &[&str]) -> &mut Self {
        let fixed = [halves(&[series, points.len() as u32]), words(&[100, 100, 100]), halves(&[0, 0]), name(title, 16)];
        let names: Vec<u8> = points.iter().flat_map(|point| name(point, 16)).collect();
        let mut payload = [fixed.concat(), names].concat();
        payload.resize(184, 0);
        self.raw(3, &payload)
    }

    pub(crate) fn samples(&mut self, series: u32, first_seq: u64, flags: u32, rows: &[&[u64]]) -> &mut Self {
        let head = [halves(&[series, rows.len() as u32]), words(&[first_seq]), halves(&[flags, 0])].concat();
        self.raw(4, &[head, words(&rows.concat())].concat())
    }

    pub(crate) fn lost(&mut self, series: u32, first_seq: u64, reason: u32, count: u64) -> &mut Self {
        self.raw(5, &[halves(&[series, reason]), words(&[first_seq, count])].concat())
    }

    pub(crate) fn progress(&mut self, load: u32, at: u64, done: u64) -> &mut Self {
        self.raw(7, &[halves(&[load, 0]), words(&[at, done])].concat())
    }

    pub(crate) fn totals(&mut self, series: u32, due: u64, done: u64, lost: u64) -> &mut Self {
        self.raw(10, &[halves(&[series, 0]), words(&[due, done, lost])].concat())
    }

    pub(crate) fn end(&mut self, reason: u32) -> &mut Self {
        let records = self.records;
        self.raw(11, &[halves(&[reason, 0]), words(&[records])].concat())
    }
}
