// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of lines in passing: where one differs from the one before it, lines have edges.
use super::BadSession;
use super::metadata::Metadata;
use crate::scope::edges::{Edge, Line};
use crate::scope::tick::Tick;
use std::io::{self, Read};

/// Samples that are compared at once with as many equal ones.
const AT_ONCE: usize = 64;
/// An archive of a few megabytes can hold more edges than any memory.
const EDGES_MAX: usize = 1 << 28;

/// All lines, and the sample before the next.
pub(super) struct Samples {
    unit: usize,
    lines: Vec<(usize, Line)>,
    /// The last sample, [`AT_ONCE`] times; empty before the first.
    last: Vec<u8>,
    /// The beginning of a sample whose end has not come.
    rest: Vec<u8>,
    /// Samples so far.
    count: u64,
    edges: usize,
}

impl Samples {
    pub(super) fn new(metadata: &Metadata) -> Self {
        let lines = metadata.lines.iter().map(|(bit, name)| (*bit, Line::new(name.clone()))).collect();
        Self { unit: metadata.unit_bytes, lines, last: Vec::new(), rest: Vec::new(), count: 0, edges: 0 }
    }

    /// Takes all that the next file holds; a sample may begin in one file and end in the next.
    pub(super) fn take(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut buffer = vec![0; (1 << 16) * self.unit];
        loop {
            let kept = self.rest.len();
            buffer[..kept].copy_from_slice(&self.rest);
            let read = match reader.read(&mut buffer[kept..]) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let whole = (kept + read) / self.unit * self.unit;
            self.whole(&buffer[..whole]);
            self.rest = buffer[whole..kept + read].to_vec();
            if self.edges > EDGES_MAX {
                return Ok(());
            }
        }
    }

    /// The lines with their edges, and the instant after the last sample.
    pub(super) fn finish(self) -> Result<(Vec<Line>, Tick), BadSession> {
        if self.edges > EDGES_MAX {
            return Err(BadSession::TooMany(EDGES_MAX));
        }
        if !self.rest.is_empty() {
            return Err(BadSession::Ragged(self.rest.len()));
        }
        Ok((self.lines.into_iter().map(|(_, line)| line).collect(), Tick(self.count)))
    }

    fn whole(&mut self, bytes: &[u8]) {
        if self.last.is_empty() && !bytes.is_empty() {
            self.last = bytes[..self.unit].repeat(AT_ONCE);
        }
        for block in bytes.chunks(self.unit * AT_ONCE) {
            if *block != self.last[..block.len()] {
                self.block(block);
            }
            self.count += (block.len() / self.unit) as u64;
        }
    }

    #[cold]
    fn block(&mut self, block: &[u8]) {
        let mut last = self.last[..self.unit].to_vec();
        for (index, sample) in block.chunks_exact(self.unit).enumerate() {
            if sample != last {
                self.changed(Tick(self.count + index as u64), &last, sample);
                last.copy_from_slice(sample);
            }
        }
        self.last = last.repeat(AT_ONCE);
    }

    fn changed(&mut self, at: Tick, last: &[u8], sample: &[u8]) {
        for (bit, line) in &mut self.lines {
            let level = |sample: &[u8]| sample[*bit / 8] >> (*bit % 8) & 1 == 1;
            if level(last) != level(sample) {
                line.edges.push(Edge::new(at, level(sample)));
                self.edges += 1;
            }
        }
    }
}
