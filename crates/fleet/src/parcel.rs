// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a run as a device sends them: each after a line with its name and length, then an end line. Without the end line
//! the parcel is invalid. Only files with these names are kept; report pages are drawn again.

pub const NAMES: [&str; 3] = ["run.json", "samples.parquet", "edges.vcd"];
pub const FIRST: &str = "backwall-parcel 1";
pub const FILE: &str = "file";
/// The beginning of the last line. The exit code of backwall on the device follows it.
pub const END: &str = "end";
pub const MOST_BYTES: u64 = 256 << 20;
/// Limit of a device's `run.json`. A run of one day has 6 MB, and its data takes many times that in memory.
pub const MOST_RUN_BYTES: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel<'a> {
    pub files: Vec<(&'static str, &'a [u8])>,
    pub code: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadParcel {
    #[error("the device sent nothing")]
    Nothing,
    #[error("run.json has {0} bytes; backwall reads at most {MOST_RUN_BYTES}")]
    Long(usize),
    #[error("the device's data is truncated at byte {0}")]
    Cut(usize),
    #[error("the device's data is invalid at byte {0}")]
    Form(usize),
}

/// Reads a parcel.
///
/// # Errors
/// The position of the first unexpected byte.
pub fn read(bytes: &[u8]) -> Result<Parcel<'_>, BadParcel> {
    if bytes.is_empty() {
        return Err(BadParcel::Nothing);
    }
    let (first, mut at) = line(bytes, 0)?;
    if first != FIRST {
        return Err(BadParcel::Form(0));
    }
    let mut files = Vec::new();
    let mut names = NAMES.iter();
    loop {
        let begin = at;
        let (words, behind) = line(bytes, begin)?;
        match words.split(' ').collect::<Vec<_>>()[..] {
            [FILE, name, length] => {
                // The files must come in this order, so each can come only once.
                let name = names.find(|known| **known == name).ok_or(BadParcel::Form(begin))?;
                let length: usize = length.parse().map_err(|_| BadParcel::Form(begin))?;
                if *name == NAMES[0] && length as u64 > MOST_RUN_BYTES {
                    return Err(BadParcel::Long(length));
                }
                let end = behind.checked_add(length).filter(|end| *end <= bytes.len());
                let end = end.ok_or(BadParcel::Cut(bytes.len()))?;
                files.push((*name, &bytes[behind..end]));
                at = end;
            }
            [END, code] if behind == bytes.len() => {
                let code = code.parse().map_err(|_| BadParcel::Form(begin))?;
                return Ok(Parcel { files, code });
            }
            _ => return Err(BadParcel::Form(begin)),
        }
    }
}

pub(crate) fn line(bytes: &[u8], at: usize) -> Result<(&str, usize), BadParcel> {
    let rest = &bytes[at..];
    let length = rest.iter().position(|byte| *byte == b'\n').ok_or(BadParcel::Cut(bytes.len()))?;
    let text = std::str::from_utf8(&rest[..length]).map_err(|_| BadParcel::Form(at))?;
    Ok((text, at + length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &[u8] = b"backwall-parcel 1\nfile run.json 3\n{}\nfile edges.vcd 0\nend 3\n";

    #[test]
    fn a_parcel_is_read_whole_and_cut_anywhere_it_is_none() {
        let read_whole = read(WHOLE).unwrap();
        assert_eq!(read_whole, Parcel { files: vec![("run.json", b"{}\n"), ("edges.vcd", b"")], code: 3 });
        for cut in 0..WHOLE.len() {
            assert!(read(&WHOLE[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn what_does_not_belong_there_is_refused_with_its_place() {
        let rows = [
            ("backwall-parcel 2\n", BadParcel::Form(0)),
            ("backwall-parcel 1\nfile ../x 1\nx", BadParcel::Form(18)),
            ("backwall-parcel 1\nfile run.json -1\n", BadParcel::Form(18)),
            ("backwall-parcel 1\nfile samples.parquet 18446744073709551615\n", BadParcel::Cut(60)),
            ("backwall-parcel 1\nfile run.json 18446744073709551615\n", BadParcel::Long(usize::MAX)),
            ("backwall-parcel 1\nfile run.json 16777217\n{", BadParcel::Long(16_777_217)),
            ("backwall-parcel 1\nfile run.json 16777216\n{", BadParcel::Cut(42)),
            ("backwall-parcel 1\nend 0\nmore\n", BadParcel::Form(18)),
            ("backwall-parcel 1\nfile run.json 1\nxfile run.json 1\nyend 0\n", BadParcel::Form(35)),
        ];
        for (bytes, expected) in rows {
            assert_eq!(read(bytes.as_bytes()), Err(expected), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much_for_it(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = read(&bytes);
            let _ = read(&[b"backwall-parcel 1\n", &bytes[..]].concat());
        }
    }
}
