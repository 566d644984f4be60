// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads binary waveform files of oscilloscopes: Agilent and Keysight BIN, Tektronix ISF.
use super::analog::{self, Waveform};
use super::format::{BadCapture, Capture, CaptureHints, Format, Source, Takes};
use super::seconds;
use backwall_model::Origin;
use std::io::{self, Read};

/// Agilent and Keysight: `AG`, two characters with the version, then for each waveform a header and a buffer of floats.
pub const AGILENT: Format = Format {
    name: "Agilent BIN",
    begins: |start| start.starts_with(b"AG01") || start.starts_with(b"AG10"),
    takes: Takes::THRESHOLD,
    read: |source, told| agilent(source).map_err(BadCapture::of).and_then(|found| capture(&found, told)),
};

/// Tektronix: the settings as text, as its remote commands print them, followed by the curve.
pub const TEKTRONIX: Format = Format {
    name: "Tektronix ISF",
    begins: |start| start.starts_with(b":WFMPRE:") || start.starts_with(b":WFMP") || start.starts_with(b":WFMO"),
    takes: Takes::THRESHOLD,
    read: |source, told| {
        let found = whole(source).and_then(|bytes| tektronix(&bytes)).map_err(BadCapture::of)?;
        capture(&[found], told)
    },
};

const FILE_BYTES_MAX: u64 = 1 << 30;

#[derive(Debug, thiserror::Error)]
enum BadWaveform {
    #[error("cannot read the waveform: {0}")]
    Io(#[from] io::Error),
    #[error("waveform: at byte {offset}: {what}")]
    At { offset: usize, what: String },
    #[error("waveform: {0}")]
    Preamble(String),
}

fn whole(source: &mut dyn Source) -> Result<Vec<u8>, BadWaveform> {
    let mut bytes = Vec::new();
    source.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(BadWaveform::Preamble("larger than 1 GiB, so it is not a record of an oscilloscope".to_string()));
    }
    Ok(bytes)
}

fn capture(waveforms: &[Waveform], told: &CaptureHints) -> Result<Capture, BadCapture> {
    let edges = analog::edges(waveforms, told.threshold).map_err(BadCapture::of)?;
    Ok(Capture { edges, origin: Origin::Imported, interrupted: false, warnings: Vec::new() })
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn slice(&self, offset: usize, length: usize) -> Result<&'a [u8], BadWaveform> {
        let end = offset.checked_add(length).filter(|end| *end <= self.0.len());
        end.map(|end| &self.0[offset..end])
            .ok_or_else(|| BadWaveform::At { offset, what: "the file ends too early".to_string() })
    }

    fn count(&self, offset: usize) -> Result<usize, BadWaveform> {
        let bytes = self.slice(offset, 4)?.try_into().expect("four bytes");
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn seconds(&self, offset: usize) -> Result<f64, BadWaveform> {
        let seconds = f64::from_le_bytes(self.slice(offset, 8)?.try_into().expect("eight bytes"));
        let found = seconds::of_float(seconds).map(|_| seconds);
        found.ok_or_else(|| BadWaveform::At { offset, what: format!("{seconds} is not a number of seconds") })
    }
}

/// Picoseconds between two samples. A waveform without a sample interval is an error.
fn step_of(seconds: f64) -> Result<f64, BadWaveform> {
    let step = seconds * 1e12;
    (step > 0.0 && step.is_finite())
        .then_some(step)
        .ok_or_else(|| BadWaveform::Preamble(format!("invalid sample interval {seconds:e} s")))
}

/// Minimum bytes per waveform: its header up to the label plus a buffer's header. A file can therefore not contain more waveforms
/// than its length allows.
const HEADER_BYTES: usize = 128;
const BUFFER_BYTES: usize = 8;

/// Keysight's "InfiniiVision BIN format": a file header of 12 bytes. Each waveform has a header with its own length, a buffer
/// header, and samples.
fn agilent(source: &mut dyn Source) -> Result<Vec<Waveform>, BadWaveform> {
    let bytes = whole(source)?;
    let fields = Fields(&bytes);
    let (count, mut offset) = (fields.count(8)?, 12);
    let mut waveforms: Vec<Waveform> = Vec::new();
    for number in 1..=count {
        let (length, points) = (fields.count(offset)?, fields.count(offset + 12)?);
        let step = step_of(fields.seconds(offset + 32)?)?;
        let label: String =
            fields.slice(offset + 112, 16)?.iter().map(|byte| char::from(*byte)).take_while(|c| *c != '\0').collect();
        let buffer = offset + length;
        let (head, width) = (fields.count(buffer)?, fields.slice(buffer + 6, 2)?);
        if length < HEADER_BYTES || head < BUFFER_BYTES {
            return Err(BadWaveform::At { offset, what: "a header is too short".to_string() });
        }
        if width != [4, 0] {
            return Err(BadWaveform::At {
                offset: buffer + 6,
                what: "expected samples of 32-bit floats; save the analog channels as CSV".to_string(),
            });
        }
        let samples = fields.slice(buffer + head, points.saturating_mul(4))?;
        let volts =
            samples.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect();
        let name = if label.trim().is_empty() { format!("ch{number}") } else { format!("ch{}", label.trim()) };
        waveforms.push(Waveform { name, first: 0.0, step, volts });
        offset = buffer + head + samples.len();
    }
    Ok(waveforms)
}

/// Reads a waveform that a Tektronix oscilloscope sends: its preamble and its curve, as in its files.
pub fn waveform(bytes: &[u8]) -> Result<Waveform, BadCapture> {
    tektronix(bytes).map_err(BadCapture::of)
}

/// Tektronix programmer manuals, `WFMPre` and `CURVe`: fields `NAME VALUE;`, then `#`, the number of digits of the length, and
/// the length.
fn tektronix(bytes: &[u8]) -> Result<Waveform, BadWaveform> {
    let begin = bytes.windows(2).position(|pair| pair == b" #").map(|at| at + 2);
    let begin = begin.ok_or_else(|| BadWaveform::Preamble("no curve after the preamble".to_string()))?;
    let preamble = String::from_utf8_lossy(&bytes[..begin - 2]).to_ascii_uppercase();
    let digits = match Fields(bytes).slice(begin, 1)?[0] {
        digit @ b'1'..=b'9' => usize::from(digit - b'0'),
        _ => return Err(BadWaveform::At { offset: begin, what: "the curve has an invalid length".to_string() }),
    };
    let length = std::str::from_utf8(Fields(bytes).slice(begin + 1, digits)?).ok().and_then(|text| text.parse().ok());
    let length = length
        .ok_or_else(|| BadWaveform::At { offset: begin + 1, what: "the curve has an invalid length".to_string() })?;
    let raw = Fields(bytes).slice(begin + 1 + digits, length)?;
    let number = |names: &[&str]| {
        field(&preamble, names)?
            .parse::<f64>()
            .map_err(|_| BadWaveform::Preamble(format!("{} is not a number", names[0])))
    };
    let (mult, offset, zero) = (number(&["YMULT", "YMU"])?, number(&["YOFF", "YOF"])?, number(&["YZERO", "YZE"])?);
    let little = field(&preamble, &["BYT_OR", "BYT_O"])?.starts_with("LSB");
    let signed = field(&preamble, &["BN_FMT", "BN_F"])?.starts_with("RI");
    let width = number(&["BYT_NR", "BYT_N"])? as usize;
    if !(1..=2).contains(&width) {
        return Err(BadWaveform::Preamble(format!("samples of {width} bytes; expected 1 or 2")));
    }
    let points = number(&["NR_PT", "NR_P"]);
    if raw.len() % width != 0 || points.is_ok_and(|points| points != (raw.len() / width) as f64) {
        let said = field(&preamble, &["NR_PT", "NR_P"]).unwrap_or("a different number of").to_string();
        return Err(BadWaveform::Preamble(format!(
            "the curve has {} bytes, but its preamble announces {said} points",
            raw.len()
        )));
    }
    let volts =
        raw.chunks_exact(width).map(|sample| ((level(sample, little, signed) - offset) * mult + zero) as f32).collect();
    Ok(Waveform { name: "CH".to_string(), first: 0.0, step: step_of(number(&["XINCR", "XIN"])?)?, volts })
}

fn level(sample: &[u8], little: bool, signed: bool) -> f64 {
    let number = match *sample {
        [one] => u16::from(one),
        [a, b] if little => u16::from_le_bytes([a, b]),
        [a, b] => u16::from_be_bytes([a, b]),
        _ => 0,
    };
    match (signed, sample.len()) {
        (true, 1) => f64::from(number as u8 as i8),
        (true, _) => f64::from(number as i16),
        (false, _) => f64::from(number),
    }
}

fn field<'a>(preamble: &'a str, names: &[&str]) -> Result<&'a str, BadWaveform> {
    let of = |part: &'a str| {
        let (name, value) = part.trim().split_once(' ')?;
        let name = name.rsplit(':').next()?;
        names.contains(&name).then(|| value.trim())
    };
    preamble.split(';').find_map(of).ok_or_else(|| BadWaveform::Preamble(format!("the preamble lacks {}", names[0])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture as reader;
    use crate::fixture::agilent;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn of(bytes: &[u8]) -> Result<Capture, String> {
        reader::read(Cursor::new(bytes), &CaptureHints::default()).map_err(|error| error.to_string())
    }

    fn found(capture: &Capture) -> Vec<(u64, bool)> {
        capture.edges.lines[0].edges.iter().map(|edge| (edge.at().0, edge.level())).collect()
    }

    fn isf(order: &str, curve: &[u8]) -> Vec<u8> {
        let preamble = format!(
            ":WFMPRE:BYT_NR 2;BIT_NR 16;ENCDG BIN;BN_FMT RI;BYT_OR {order};NR_PT 4;XINCR 20E-9;XZERO -403E-6;\
             YMULT 1E-3;YOFF 0;YZERO 0;:CURVE #1{}",
            curve.len()
        );
        [preamble.as_bytes(), curve].concat()
    }

    #[test]
    fn a_tektronix_curve_of_either_order() {
        let values = [0i16, 0, 4_000, 4_000];
        let big = isf("MSB", &values.map(i16::to_be_bytes).concat());
        assert_eq!(found(&of(&big).unwrap()), [(30_000, true)]);
        assert_eq!(found(&of(&isf("LSB", &values.map(i16::to_le_bytes).concat())).unwrap()), [(30_000, true)]);
        assert!(of(&big[..big.len() - 1]).unwrap_err().contains("the file ends too early"));
        let short = isf("MSB", &values[..3].iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<u8>>());
        assert!(of(&short).unwrap_err().contains("the curve has 6 bytes, but its preamble announces 4 points"));
        assert!(of(b":WFMPRE:BYT_NR 2;:CURVE #14....").unwrap_err().contains("YMULT"));
    }

    #[test]
    fn an_agilent_record() {
        let file = agilent(&[0.0, 0.0, 4.0, 4.0, 0.0]);
        let capture = of(&file).unwrap();
        assert_eq!(found(&capture), [(1_500_000, true), (3_500_000, false)]);
        assert_eq!((capture.edges.lines[0].name.as_str(), capture.edges.end_at.0), ("ch2", 4_000_000));
        for length in 4..file.len() {
            assert!(of(&file[..length]).is_err(), "{length}");
        }
    }

    // A header of length zero would make the reader loop forever.
    #[test]
    fn an_agilent_header_without_length_is_refused() {
        let mut file = agilent(&[0.0, 4.0]);
        for (offset, value) in [(8, u32::MAX), (12, 0), (16, 0x0004_0000), (24, 0)] {
            file[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        }
        assert!(of(&file).unwrap_err().contains("a header is too short"));
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..300), agilent in any::<bool>()) {
            let start: &[u8] = if agilent { b"AG10" } else { b":WFMPRE:BYT_NR 1;BN_FMT RI;BYT_OR MSB;XINCR 1;YMULT 1;YOFF 0;YZERO 0;:CURVE #" };
            let _ = of(&[start, &body].concat());
        }
    }
}
