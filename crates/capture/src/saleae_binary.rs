// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads Saleae Logic 2's binary export, versions 0 and 1: one digital channel per file, with the times of its changes.
//!
//! Version 1 consists of chunks. Nothing was recorded between two chunks, so nothing there counts as missed.
use super::edges::{Edge, Edges, Gap, Line};
use super::format::{BadCapture, Capture, Format, Source, Takes};
use super::seconds;
use super::tick::Tick;
use backwall_model::Origin;
use std::io;

pub const FORMAT: Format = Format {
    name: "Saleae binary",
    begins: |start| start.starts_with(MAGIC),
    takes: Takes::NOTHING,
    read: |source, _| read(source).map_err(BadCapture::of),
};

const MAGIC: &[u8] = b"<SALEAE>";
const DIGITAL: i32 = 0;
pub const LINE: &str = "digital";

#[derive(Debug, thiserror::Error)]
enum BadExport {
    #[error("Saleae export: truncated at byte {offset}: {source}")]
    Io { offset: u64, source: io::Error },
    #[error("Saleae export version {0}, expected 0 or 1; export raw data with Logic 2")]
    Version(i32),
    #[error("Saleae export of type {0}, expected 0 (digital); export digital channels as binary, or all as CSV")]
    Type(i32),
    #[error("Saleae export: byte {offset}: {what}")]
    Value { offset: u64, what: &'static str },
}

struct Bytes<'a> {
    source: &'a mut dyn Source,
    offset: u64,
}

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], BadExport> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes).map_err(|source| BadExport::Io { offset: self.offset, source })?;
        self.offset += N as u64;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<i32, BadExport> {
        self.array().map(i32::from_le_bytes)
    }

    fn count(&mut self) -> Result<u64, BadExport> {
        self.array().map(u64::from_le_bytes)
    }

    fn float(&mut self) -> Result<f64, BadExport> {
        self.array().map(f64::from_le_bytes)
    }

    fn level(&mut self) -> Result<bool, BadExport> {
        match self.number()? {
            level @ (0 | 1) => Ok(level == 1),
            _ => Err(self.wrong("the first level must be 0 or 1")),
        }
    }

    fn instant(&mut self) -> Result<i64, BadExport> {
        let seconds = self.float()?;
        seconds::of_float(seconds).ok_or_else(|| self.wrong("a time beyond 100 days"))
    }

    fn wrong(&self, what: &'static str) -> BadExport {
        BadExport::Value { offset: self.offset, what }
    }
}

fn read(source: &mut dyn Source) -> Result<Capture, BadExport> {
    let mut bytes = Bytes { source, offset: 0 };
    bytes.array::<8>()?;
    let version = bytes.number()?;
    let kind = bytes.number()?;
    if !(0..=1).contains(&version) {
        return Err(BadExport::Version(version));
    }
    if kind != DIGITAL {
        return Err(BadExport::Type(kind));
    }
    let chunks = if version == 0 { 1 } else { bytes.count()? };
    let mut channel = Channel::default();
    for _ in 0..chunks {
        channel.chunk(&mut bytes, version)?;
    }
    let edges = channel.finish();
    Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() })
}

#[derive(Default)]
struct Channel {
    line: Line,
    gaps: Vec<Gap>,
    seen: Option<(i64, i64, bool)>,
}

impl Channel {
    fn chunk(&mut self, bytes: &mut Bytes, version: i32) -> Result<(), BadExport> {
        let mut level = bytes.level()?;
        if version == 1 {
            bytes.float()?; // skips the sampling rate, because the edges have times
        }
        let (begin, end, count) = (bytes.instant()?, bytes.instant()?, bytes.count()?);
        let (first, before, was) = self.seen.unwrap_or((begin, begin, level));
        if begin < before || end < begin {
            return Err(bytes.wrong("a chunk begins before the previous one ends"));
        }
        let tick = |at: i64| Tick(at.abs_diff(first)).min(Tick::MAX);
        if begin > before {
            self.gaps.push(Gap { from: tick(before), to: tick(begin) });
        }
        if was != level {
            self.line.edges.push(Edge::new(tick(begin), level));
        }
        let mut last = begin;
        for _ in 0..count {
            let at = bytes.instant()?;
            if at < last || at > end {
                return Err(bytes.wrong("a time is before the previous one, or outside its chunk"));
            }
            (last, level) = (at, !level);
            self.line.edges.push(Edge::new(tick(at), level));
        }
        self.seen = Some((first, end, level));
        Ok(())
    }

    fn finish(mut self) -> Edges {
        self.line.name = LINE.to_string();
        let end_at = self.seen.map_or(Tick(0), |(first, last, _)| Tick(last.abs_diff(first)).min(Tick::MAX));
        Edges { rate: seconds::rate(), lines: vec![self.line], end_at, gaps: self.gaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture;
    use crate::format::CaptureHints;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn head(version: i32) -> Vec<u8> {
        [MAGIC, &version.to_le_bytes(), &DIGITAL.to_le_bytes()].concat()
    }

    fn chunk(version: i32, level: u32, begin: f64, end: f64, instants: &[f64]) -> Vec<u8> {
        let mut bytes = level.to_le_bytes().to_vec();
        if version == 1 {
            bytes.extend(1e8f64.to_le_bytes());
        }
        bytes.extend([begin, end].map(f64::to_le_bytes).concat());
        bytes.extend((instants.len() as u64).to_le_bytes());
        instants.iter().for_each(|at| bytes.extend(at.to_le_bytes()));
        bytes
    }

    fn of(bytes: &[u8]) -> Result<Capture, String> {
        capture::read(Cursor::new(bytes), &CaptureHints::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn version_0_is_one_chunk() {
        let file = [head(0), chunk(0, 0, -1e-6, 1e-3, &[0.0, 5e-6])].concat();
        let edges = of(&file).unwrap().edges;
        let found: Vec<(u64, bool)> = edges.lines[0].edges.iter().map(|e| (e.at().0, e.level())).collect();
        assert_eq!(found, [(1_000_000, true), (6_000_000, false)]);
        assert_eq!((edges.end_at.0, edges.gaps.len()), (1_001_000_000, 0));
    }

    #[test]
    fn between_the_chunks_of_version_1_nothing_was_recorded() {
        let chunks = [chunk(1, 0, 0.0, 1e-3, &[1e-4]), chunk(1, 0, 2e-3, 3e-3, &[25e-4])].concat();
        let file = [head(1), 2u64.to_le_bytes().to_vec(), chunks].concat();
        let edges = of(&file).unwrap().edges;
        assert_eq!(edges.gaps, [Gap { from: Tick(1_000_000_000), to: Tick(2_000_000_000) }]);
        let levels: Vec<bool> = edges.lines[0].edges.iter().map(|edge| edge.level()).collect();
        assert_eq!(levels, [true, false, true]);
    }

    #[test]
    fn other_versions_and_types_are_named_and_a_cut_file_says_where() {
        assert!(of(&head(7)).unwrap_err().contains("version 7"));
        assert!(of(&[MAGIC, &0i32.to_le_bytes(), &1i32.to_le_bytes()].concat()).unwrap_err().contains("type 1"));
        let whole = [head(0), chunk(0, 0, 0.0, 1.0, &[0.5, 0.6])].concat();
        for length in MAGIC.len()..whole.len() {
            assert!(of(&whole[..length]).unwrap_err().contains("truncated at byte"), "{length}");
        }
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200), version in 0i32..2) {
            let _ = of(&[head(version), body].concat());
        }
    }
}
