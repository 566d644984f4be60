// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads value change dumps (IEEE 1364-2005, clause 18): lines of one bit, as a stream in one pass.
//!
//! Wider variables, reals and strings are skipped and named in a warning. While a value is `x` or `z`, the line counts as not
//! recorded. The last time in the dump is the end of the capture.
mod body;
mod header;
mod plain;
#[cfg(test)]
mod tests;
mod tokens;

use super::edges::Edges;
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::tick::TickRate;
use backwall_model::{Origin, Warning};
use body::Body;
use std::io::Read;
use tokens::Tokens;

/// The format is recognised by a `$` after any white space.
pub const FORMAT: Format = Format {
    name: "VCD",
    begins: |start| without_meta(start).iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'$'),
    takes: Takes::NOTHING,
    read: read_capture,
};

/// sigrok-cli writes such a line above a dump that it converts from another file.
const META: &[u8] = b"META ";

fn without_meta(mut start: &[u8]) -> &[u8] {
    while start.starts_with(META) {
        start = start.iter().position(|byte| *byte == b'\n').map_or(&[], |end| &start[end + 1..]);
    }
    start
}

/// The contents of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The edges of the one-bit lines.
    pub edges: Edges,
    /// Names of the skipped variables, which are not one-bit lines.
    pub skipped: Vec<String>,
}

/// Why a file is not a readable dump.
#[derive(Debug, thiserror::Error)]
pub enum BadDump {
    /// Reading failed.
    #[error("cannot read the dump at byte {offset}: {source}")]
    Io {
        /// Offset in the file.
        offset: u64,
        /// The error of the read.
        source: std::io::Error,
    },
    /// A word in the wrong place.
    #[error("dump: at byte {offset}: {text:?} {fault}")]
    Word {
        /// Position of the word in the file.
        offset: u64,
        /// Beginning of the word.
        text: String,
        /// Why the word is wrong.
        fault: &'static str,
    },
    /// The header is missing or incomplete.
    #[error("not a value change dump: $enddefinitions is missing")]
    Header,
    /// The timescale is missing or invalid.
    #[error("dump: timescale {0:?} must be 1, 10 or 100 of s, ms, us, ns, ps or fs")]
    Timescale(String),
    /// The dump has no one-bit line.
    #[error("dump: no variable of one bit")]
    NoLines,
}

fn read_capture(source: &mut dyn Source, _: &CaptureHints) -> Result<Capture, BadCapture> {
    let dump = read(source).map_err(BadCapture::of)?;
    let skipped = dump.skipped.join(", ");
    let warning = (!skipped.is_empty())
        .then(|| Warning::new("not-looked-at", format!("ignored lines of several bits: {skipped}")));
    let origin = if dump.edges.rate == TickRate::Instructions { Origin::Emulated } else { Origin::Imported };
    Ok(Capture { edges: dump.edges, origin, interrupted: false, warnings: warning.into_iter().collect() })
}

/// Reads a dump to its end.
pub fn read(source: impl Read) -> Result<Dump, BadDump> {
    let mut tokens = Tokens::new(source);
    let header = header::read(&mut tokens)?;
    if header.lines.is_empty() {
        return Err(BadDump::NoLines);
    }
    let scale = header.scale()?;
    let skipped = header.skipped.clone();
    let mut body = Body::new(header, scale);
    loop {
        let taken = body.take_plain(tokens.ahead());
        tokens.skip(taken);
        let Some(token) = tokens.next()? else { break };
        body.take(token)?;
    }
    Ok(Dump { edges: body.finish(), skipped })
}
