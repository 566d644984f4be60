// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a capture in any supported format, which it recognises by the first bytes.
use super::format::{Format, Takes};
#[cfg(test)]
use super::listed;
use super::{csv, oscilloscope_binary, recording, saleae_binary, sigrok, vcd_read};
use backwall_model::wrapped::wrapped;

pub use super::format::{BadCapture, Capture, CaptureHints, Source};
pub use super::sigrok::samplerate;

const FORMATS: &[Format] = &[
    vcd_read::FORMAT,
    recording::FORMAT,
    sigrok::FORMAT,
    saleae_binary::FORMAT,
    oscilloscope_binary::AGILENT,
    oscilloscope_binary::TEKTRONIX,
    csv::FORMAT,
    #[cfg(test)]
    listed::FORMAT,
];

/// The byte order mark that editors and spreadsheets put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The names of the formats.
pub fn names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

/// Reads a capture to its end.
pub fn read(mut source: impl Source, told: &CaptureHints) -> Result<Capture, BadCapture> {
    if source.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
        source.consume(BYTE_ORDER_MARK.len());
    }
    let start = source.fill_buf()?;
    let format = FORMATS.iter().find(|format| (format.begins)(start)).ok_or_else(|| unknown(start))?;
    needless(format, told)?;
    (format.read)(&mut source, told)
}

fn needless(format: &Format, told: &CaptureHints) -> Result<(), BadCapture> {
    let refused = |option, why| Err(BadCapture::Needless { option, format: format.name, why });
    match format.takes {
        Takes { samplerate: false, .. } if told.samplerate.is_some() => {
            refused("--samplerate", "which has its own timestamps")
        }
        Takes { threshold: false, .. } if told.threshold.is_some() => {
            refused("--threshold", "which holds logic levels, not volts")
        }
        _ => Ok(()),
    }
}

fn unknown(start: &[u8]) -> BadCapture {
    if let Some(what) = wrapped(start) {
        return BadCapture::Wrapped(what);
    }
    BadCapture::Unknown(names().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwall_model::Origin;
    use std::io::Cursor;

    fn read(bytes: &[u8]) -> Result<Capture, BadCapture> {
        super::read(Cursor::new(bytes), &CaptureHints::default())
    }

    #[test]
    fn the_first_bytes_choose_the_reader() {
        let dump: &[u8] =
            b" $timescale 1 ns $end $var wire 1 ! a $end $var wire 4 # b $end $enddefinitions $end #0 0! #5 1! #9";
        let capture = read(dump).unwrap();
        assert_eq!((capture.edges.count(), capture.origin), (1, Origin::Imported));
        assert_eq!(capture.warnings[0].text, "ignored lines of several bits: b");
        assert_eq!(read(&[BYTE_ORDER_MARK, dump].concat()).unwrap(), capture);
        let refusal = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(refusal(b"BWEDGES\0").starts_with("not an edge file"), "{}", refusal(b"BWEDGES\0"));
        assert!(refusal(b"$timescale").contains("dump"), "{}", refusal(b"$timescale"));
        assert_eq!(refusal(b""), "the file is empty");
        assert!(refusal(b"\x1f\x8b\x08").contains("gunzip"));
        for other in [&b"PK"[..], b"BW", b"0!", b"AG99", b"Time [ms],"] {
            assert!(matches!(read(other), Err(BadCapture::Unknown(_))));
        }
    }
}
