// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads DSView's `.dsl`: an archive with a `header` similar to an INI file, and `L-CHANNEL/BLOCK` with the levels of one line,
//! eight samples per byte, the first in the lowest bit.
use super::metadata::{name, samplerate};
use super::{BadSession, EDGES_MAX, Refused, Session};
use crate::edges::{Edge, Edges, Line};
use crate::format::{Capture, CaptureHints};
use crate::tick::{Tick, TickRate};
use backwall_model::Origin;
use backwall_model::units::ClockRate;
use rawzip::ReaderAt;
use std::io::{self, Read};

const CHUNK: usize = 1 << 16;
// No analyzer of this manufacturer has more channels.
const CHANNELS_MAX: u32 = 64;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    rate: Option<ClockRate>,
    samples: Option<u64>,
    lines: Vec<(u32, String)>,
}

impl Header {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut found = Self::default();
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim());
            match key {
                "version" if !["2", "3"].contains(&value) => return Err(format!("version {value}; expected 2 or 3")),
                "device mode" if value != "0" => {
                    return Err("not from a logic analyzer; export it as CSV".to_string());
                }
                "samplerate" => found.rate = Some(samplerate(value).ok_or_else(|| format!("samplerate is {value:?}"))?),
                "total samples" => {
                    found.samples = Some(value.parse().map_err(|_| format!("total samples is {value:?}"))?);
                }
                _ => {
                    let channel = key.strip_prefix("probe").and_then(|number| number.trim().parse::<u32>().ok());
                    found
                        .lines
                        .extend(channel.filter(|number| *number < CHANNELS_MAX).map(|number| (number, name(value))));
                }
            }
        }
        Ok(found)
    }
}

impl<R: ReaderAt> Session<R> {
    pub(super) fn dsl(&self, header: &str, told: &CaptureHints) -> Result<Capture, Refused> {
        let header = Header::read(header).map_err(BadSession::Metadata)?;
        if told.threshold.is_some() {
            return Err(BadSession::NoVolts.into());
        }
        let rate = told.samplerate.or(header.rate).ok_or(BadSession::NoRate)?;
        let samples =
            header.samples.filter(|samples| *samples <= Tick::MAX.0).ok_or(BadSession::Missing("total samples"))?;
        let (mut lines, mut edges) = (Vec::new(), 0);
        for (number, name) in &header.lines {
            let mut levels = Levels { line: Line::new(name.clone()), last: None, at: 0, end: samples };
            self.each(&format!("L-{number}"), '/', &mut |reader| levels.take(reader))?;
            if levels.at < samples {
                return Err(BadSession::Short { line: name.clone(), found: levels.at, wanted: samples }.into());
            }
            edges += levels.line.edges.len();
            if edges > EDGES_MAX {
                return Err(BadSession::TooMany(EDGES_MAX).into());
            }
            lines.push(levels.line);
        }
        if lines.is_empty() {
            return Err(BadSession::Missing("channels").into());
        }
        let edges = Edges { rate: TickRate::Clock(rate), lines, end_at: Tick(samples), gaps: Vec::new() };
        Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() })
    }
}

struct Levels {
    line: Line,
    last: Option<bool>,
    at: u64,
    end: u64,
}

impl Levels {
    fn take(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            for byte in &buffer[..read] {
                self.byte(*byte);
                if self.line.edges.len() > EDGES_MAX {
                    return Ok(());
                }
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        let still = match self.last {
            Some(true) => byte == 0xFF,
            Some(false) => byte == 0,
            None => false,
        };
        for bit in (0..8).filter(|_| !still) {
            let (level, at) = (byte >> bit & 1 == 1, self.at + bit);
            if at < self.end && self.last.is_some_and(|last| last != level) {
                self.line.edges.push(Edge::new(Tick(at), level));
            }
            self.last = if at < self.end { Some(level) } else { self.last };
        }
        self.at = self.at.saturating_add(8);
    }
}
