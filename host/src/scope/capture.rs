// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture of any kind that can be read, told apart by its first bytes.
use super::format::Format;
#[cfg(test)]
use super::listed;
use super::{recording, vcd_read};
use std::io::BufRead;

pub use super::format::{BadCapture, Capture};

/// Every format, one line each.
const FORMATS: &[Format] = &[
    vcd_read::FORMAT,
    recording::FORMAT,
    #[cfg(test)]
    listed::FORMAT,
];

/// Reads a capture to its end.
pub fn read(mut source: impl BufRead) -> Result<Capture, BadCapture> {
    let start = source.fill_buf()?;
    let format = FORMATS.iter().find(|format| (format.begins)(start)).ok_or(BadCapture::Unknown)?;
    (format.read)(&mut source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Origin;

    #[test]
    fn the_first_bytes_choose_the_reader() {
        let dump =
            b" $timescale 1 ns $end $var wire 1 ! a $end $var wire 4 # b $end $enddefinitions $end #0 0! #5 1! #9";
        let capture = read(&dump[..]).unwrap();
        assert_eq!((capture.edges.count(), capture.origin), (1, Origin::Imported));
        assert_eq!(capture.warnings, ["not lines of one bit, not looked at: b"]);
        let refusal = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(refusal(b"BWEDGES\0").starts_with("this is no edge file"), "{}", refusal(b"BWEDGES\0"));
        assert!(refusal(b"$timescale").contains("dump"), "{}", refusal(b"$timescale"));
        for other in [&b"PK\x03\x04"[..], b"", b"BW", b"0!"] {
            assert!(matches!(read(other), Err(BadCapture::Unknown)));
        }
    }
}
