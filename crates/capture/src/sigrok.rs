// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads sigrok session files, versions 1 and 2, as PulseView and sigrok-cli save them.
//!
//! A session is a ZIP archive with `version`, `metadata` (similar to an INI file) and the samples. Logic samples are in `logic-1`
//! (version 1) or in `logic-1-1`, `logic-1-2` … in the order of their numbers; each sample has `unitsize` bytes, with the first
//! line in the lowest bit. `analog-1-N-1` … contain 32-bit floats of channel N. The samples are converted while they are read,
//! not kept.
mod checked;
mod dsl;
mod metadata;
mod samples;
#[cfg(test)]
mod tests;

use super::analog::{self, Waveform};
use super::edges::Edges;
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::tick::{Tick, TickRate};
use backwall_model::{Origin, Warning};
use checked::Checked;
use flate2::bufread::DeflateDecoder;
use metadata::Metadata;
pub use metadata::samplerate;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder};
use samples::Samples;
use std::io::{BufReader, Read};

/// A ZIP archive. Its contents distinguish it from other formats that are ZIP archives.
pub const FORMAT: Format = Format {
    name: "sigrok .sr and DSView .dsl",
    begins: |start| start.starts_with(b"PK\x03\x04"),
    takes: Takes::BOTH,
    read,
};

const TEXT_BYTES_MAX: u64 = 1 << 20;
/// Bytes of compressed data to read at once. Each read seeks in the file, so small reads would be slow.
const PACKED_BYTES: usize = 1 << 20;
/// Limit of edges: a small archive can contain more than memory can hold.
const EDGES_MAX: usize = 1 << 28;
/// Limit of files in an archive. Each has 4 MiB of samples, so this is 4 TiB.
const FILES_MAX: usize = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub(super) enum BadSession {
    #[error("session file: {0}")]
    Archive(#[from] rawzip::Error),
    #[error("session file: {name}: {source}")]
    Part { name: String, source: std::io::Error },
    #[error("session file: {0} has an unknown compression; save the capture again with sigrok-cli")]
    Packing(String),
    #[error(
        "not a session file of sigrok or DSView: the archive lacks {0}; from Saleae Logic, export raw data as CSV or \
            binary"
    )]
    Missing(&'static str),
    #[error("session file version {0:?}; expected 1 or 2")]
    Version(String),
    #[error("session file: metadata: {0}")]
    Metadata(String),
    #[error("session file: sample rate missing; add it, for example --samplerate 12MHz")]
    NoRate,
    #[error("session file: no analog channel, so --threshold does not apply; leave it out")]
    NoVolts,
    #[error("session file: {0} is missing or duplicate, so the recording has a gap")]
    Apart(String),
    #[error("session file: the last sample is cut off ({0} bytes too many)")]
    Ragged(usize),
    #[error("{line}: {found} samples, but its header announces {wanted}; the file is truncated")]
    Short { line: String, found: u64, wanted: u64 },
    #[error("session file: more than {0} edges; split the capture")]
    TooMany(usize),
}

struct Part {
    name: String,
    place: ZipArchiveEntryWayfinder,
    packing: CompressionMethod,
}

struct Session<R> {
    archive: ZipArchive<R>,
    parts: Vec<Part>,
}

fn read(source: &mut dyn Source, told: &CaptureHints) -> Result<Capture, BadCapture> {
    let session = open(source).map_err(BadCapture::of)?;
    session.capture(told).map_err(|error| match error {
        Refused::Session(error) => BadCapture::of(error),
        Refused::Analog(error) => BadCapture::of(error),
    })
}

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(transparent)]
    Session(#[from] BadSession),
    #[error(transparent)]
    Analog(#[from] analog::BadAnalog),
}

fn open<'a>(source: &'a mut dyn Source) -> Result<Session<impl ReaderAt + 'a>, BadSession> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_seekable(source, &mut buffer)?;
    let mut entries = archive.entries(&mut buffer);
    let mut parts = Vec::new();
    while let Some(entry) = entries.next_entry()? {
        if parts.len() == FILES_MAX {
            return Err(BadSession::Packing(format!("an archive of more than {FILES_MAX} files")));
        }
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        parts.push(Part { name, place: entry.wayfinder(), packing: entry.compression_method() });
    }
    Ok(Session { archive, parts })
}

impl<R: ReaderAt> Session<R> {
    fn capture(&self, told: &CaptureHints) -> Result<Capture, Refused> {
        if let (Some(header), None) = (self.text("header")?, self.text("version")?) {
            return self.dsl(&header, told);
        }
        let version = self.text("version")?.ok_or(BadSession::Missing("version"))?;
        if !["1", "2"].contains(&version.trim()) {
            return Err(BadSession::Version(version.trim().chars().take(20).collect()).into());
        }
        let text = self.text("metadata")?.ok_or(BadSession::Missing("metadata"))?;
        let metadata = Metadata::read(&text).map_err(BadSession::Metadata)?;
        if told.threshold.is_some() && metadata.analog.is_empty() {
            return Err(BadSession::NoVolts.into());
        }
        let rate = told.samplerate.or(metadata.samplerate).ok_or(BadSession::NoRate)?;
        let mut edges = Edges { rate: TickRate::Clock(rate), lines: Vec::new(), end_at: Tick(0), gaps: Vec::new() };
        let (mut warnings, mut ends) = (Vec::new(), Vec::new());
        if told.samplerate.is_some() && metadata.samplerate.is_some_and(|own| own != rate) {
            let said = "--samplerate differs from the session's own rate";
            warnings.push(Warning::new("rate-differs", said));
        }
        if let Some(stem) = self.logic(&metadata)? {
            let mut samples = Samples::new(&metadata);
            self.each(&stem, '-', &mut |reader| samples.take(reader))?;
            let (lines, end_at) = samples.finish()?;
            edges.lines = lines;
            ends.push(end_at);
        }
        for (number, name) in &metadata.analog {
            let mut volts = Vec::new();
            self.each(&format!("analog-1-{number}"), '-', &mut |reader| analog::floats(reader, &mut volts))?;
            let waveform = Waveform { name: name.clone(), first: 0.0, step: 1.0, volts };
            let (line, end_at) = waveform.line(told.threshold)?;
            ends.push(end_at);
            edges.lines.push(line);
        }
        edges.end_at = ends.into_iter().min().unwrap_or(Tick(0)); // the capture ends where its shortest channel ends
        Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings })
    }

    /// The prefix of the files with logic samples; `None` for an analog session.
    fn logic(&self, metadata: &Metadata) -> Result<Option<String>, BadSession> {
        let stem = metadata.file.clone().unwrap_or_else(|| "logic-1".to_string());
        let there = self.parts.iter().any(|part| number_of(&part.name, &stem, '-').is_some());
        match (there, metadata.analog.is_empty()) {
            (true, _) => Ok(Some(stem)),
            (false, false) => Ok(None),
            (false, true) => Err(BadSession::Missing("samples")),
        }
    }

    fn each(
        &self,
        stem: &str,
        mark: char,
        take: &mut dyn FnMut(&mut dyn Read) -> std::io::Result<()>,
    ) -> Result<(), BadSession> {
        let mut parts: Vec<(u64, &Part)> =
            self.parts.iter().filter_map(|part| Some((number_of(&part.name, stem, mark)?, part))).collect();
        parts.sort_by_key(|(number, _)| *number);
        let first = parts.first().map_or(0, |(number, _)| (*number).min(1));
        if let Some((wanted, _)) = (first..).zip(&parts).find(|(wanted, (number, _))| wanted != number) {
            return Err(BadSession::Apart(format!("{stem}{mark}{wanted}")));
        }
        parts.into_iter().try_for_each(|(_, part)| self.unpack(part, take))
    }

    fn unpack(
        &self,
        part: &Part,
        take: &mut dyn FnMut(&mut dyn Read) -> std::io::Result<()>,
    ) -> Result<(), BadSession> {
        let entry = self.archive.get_entry(part.place)?;
        let unpacked: Box<dyn Read + '_> = match part.packing {
            CompressionMethod::STORE => Box::new(entry.reader()),
            CompressionMethod::DEFLATE => {
                Box::new(DeflateDecoder::new(BufReader::with_capacity(PACKED_BYTES, entry.reader())))
            }
            _ => return Err(BadSession::Packing(part.name.clone())),
        };
        take(&mut Checked::new(unpacked, entry.reader().claim_verifier()))
            .map_err(|source| BadSession::Part { name: part.name.clone(), source })
    }

    fn text(&self, name: &str) -> Result<Option<String>, BadSession> {
        let Some(part) = self.parts.iter().find(|part| part.name == name) else { return Ok(None) };
        let mut text = Vec::new();
        self.unpack(part, &mut |reader| reader.take(TEXT_BYTES_MAX).read_to_end(&mut text).map(drop))?;
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }
}

/// 0 for the name `stem`, N for `STEM-N`, `None` for any other name. `mark` is the separator.
fn number_of(name: &str, stem: &str, mark: char) -> Option<u64> {
    let rest = name.strip_prefix(stem)?;
    if rest.is_empty() { Some(0) } else { rest.strip_prefix(mark)?.parse().ok() }
}
