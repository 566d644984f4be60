// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture of any kind that can be read, told apart by its first bytes.
use super::edges::Edges;
use super::recording::{self, BadRecording, Ended};
use super::tick::TickRate;
use super::vcd_read::{self, BadDump};
use crate::run::Origin;
use std::io::BufRead;

/// A capture and what its reader has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The edges.
    pub edges: Edges,
    /// What made them.
    pub origin: Origin,
    /// Whether the recording was cut off.
    pub interrupted: bool,
    /// Sentences for the user.
    pub warnings: Vec<String>,
}

/// Why a file is no capture.
#[derive(Debug, thiserror::Error)]
pub enum BadCapture {
    /// Of the lab's instrument, but wrong.
    #[error(transparent)]
    Recording(#[from] BadRecording),
    /// A value change dump, but wrong.
    #[error(transparent)]
    Dump(#[from] BadDump),
    /// Reading failed at once.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Anything else.
    #[error(
        "neither a value change dump nor an edge file of the lab; what sigrok reads becomes one by \
         sigrok-cli -i CAPTURE -O vcd -o CAPTURE.vcd"
    )]
    Unknown,
}

/// Reads a capture to its end.
pub fn read(mut source: impl BufRead) -> Result<Capture, BadCapture> {
    let start = source.fill_buf()?;
    let first = start.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b'$') => Ok(of_dump(vcd_read::read(source)?)),
        Some(b'B') if start.starts_with(b"BWEDGES") => Ok(of_recording(recording::read(source)?)),
        _ => Err(BadCapture::Unknown),
    }
}

fn of_dump(dump: vcd_read::Dump) -> Capture {
    let skipped = dump.skipped.join(", ");
    let warning = (!skipped.is_empty()).then(|| format!("not lines of one bit, not looked at: {skipped}"));
    let origin = if dump.edges.rate == TickRate::Instructions { Origin::Emulated } else { Origin::Imported };
    Capture { edges: dump.edges, origin, interrupted: false, warnings: warning.into_iter().collect() }
}

fn of_recording(recording: recording::Recording) -> Capture {
    let interrupted = recording.ended == Ended::Truncated;
    let cut = interrupted.then(|| "the edge file has no footer: the recording was cut off".to_string());
    let late = recording.late_stimuli;
    let late = (late > 0).then(|| format!("pulses the emulator gave after the instant asked for: {late}"));
    let warnings = cut.into_iter().chain(late).collect();
    Capture { edges: recording.edges, origin: Origin::Emulated, interrupted, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_choose_the_reader() {
        let dump =
            b" $timescale 1 ns $end $var wire 1 ! a $end $var wire 4 # b $end $enddefinitions $end #0 0! #5 1! #9";
        let capture = read(&dump[..]).unwrap();
        assert_eq!((capture.edges.count(), capture.origin), (1, Origin::Imported));
        assert_eq!(capture.warnings, ["not lines of one bit, not looked at: b"]);
        assert!(matches!(read(&b"BWEDGES\0"[..]), Err(BadCapture::Recording(_))));
        assert!(matches!(read(&b"$timescale"[..]), Err(BadCapture::Dump(_))));
        for other in [&b"PK\x03\x04"[..], b"", b"BW", b"0!"] {
            assert!(matches!(read(other), Err(BadCapture::Unknown)));
        }
    }
}
