// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device's recording processes send of the last minutes: one recording after another, then an end line. Without the end
//! line everything is invalid.
//!
//! ```text
//! backwall-recordings 1
//! recording PROCESS COMMAND LENGTH     followed by LENGTH bytes of a trace.dat
//! nothing PROCESS COMMAND WHY
//! end
//! ```
use crate::parcel::{BadParcel, END, line};
use backwall_model::is_command;
use std::io::{Result, Write};

const FIRST: &str = "backwall-recordings 1";
/// First word of a line that announces a recording, and of a line for a process that has none.
const RECORDING: &str = "recording";
const NOTHING: &str = "nothing";
/// Most recording processes on one device: each becomes a folder here.
const MOST: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessOutput<'a> {
    pub process: u32,
    pub command: &'a str,
    pub came: std::result::Result<&'a [u8], &'a str>,
}

/// Writes all recordings.
///
/// # Errors
/// If the receiver has closed its end.
pub fn write<'a>(out: &mut impl Write, all: impl IntoIterator<Item = ProcessOutput<'a>>) -> Result<()> {
    writeln!(out, "{FIRST}")?;
    for ProcessOutput { process, command, came } in all {
        match came {
            Ok(bytes) => {
                writeln!(out, "{RECORDING} {process} {command} {}", bytes.len())?;
                out.write_all(bytes)?;
            }
            Err(why) => writeln!(out, "{NOTHING} {process} {command} {why}")?,
        }
    }
    writeln!(out, "{END}")?;
    out.flush()
}

/// Reads the sent recordings.
///
/// # Errors
/// The position of the first unexpected byte.
pub fn read(bytes: &[u8]) -> std::result::Result<Vec<ProcessOutput<'_>>, BadParcel> {
    if bytes.is_empty() {
        return Err(BadParcel::Nothing);
    }
    let (first, mut at) = line(bytes, 0)?;
    if first != FIRST {
        return Err(BadParcel::Form(0));
    }
    let mut all = Vec::new();
    loop {
        let (words, behind) = line(bytes, at)?;
        if words == END && behind == bytes.len() {
            return Ok(all);
        }
        let form = BadParcel::Form(at);
        if all.len() == MOST {
            return Err(form);
        }
        let [kind, process, command, rest] = words.splitn(4, ' ').collect::<Vec<_>>()[..] else { return Err(form) };
        let process = process.parse().map_err(|_| form)?;
        if !is_command(command) {
            return Err(form);
        }
        let (came, end) = match kind {
            RECORDING => {
                let length: usize = rest.parse().map_err(|_| form)?;
                let end = behind.checked_add(length).filter(|end| *end <= bytes.len());
                let end = end.ok_or(BadParcel::Cut(bytes.len()))?;
                (Ok(&bytes[behind..end]), end)
            }
            NOTHING => (Err(rest), behind),
            _ => return Err(form),
        };
        all.push(ProcessOutput { process, command, came });
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sent() -> Vec<ProcessOutput<'static>> {
        vec![
            ProcessOutput { process: 7, command: "run", came: Ok(b"\x17\x08\x44\nend\n") },
            ProcessOutput { process: 8, command: "watch", came: Err("nothing is recorded at this moment") },
        ]
    }

    #[test]
    fn what_was_written_is_read_and_cut_anywhere_it_is_nothing() {
        let mut bytes = Vec::new();
        write(&mut bytes, sent()).unwrap();
        assert_eq!(read(&bytes).unwrap(), sent());
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(read(&[&bytes[..], b"more\n"].concat()).is_err());
    }

    #[test]
    fn what_does_not_belong_there_is_refused_with_its_place() {
        for (rest, expected) in [
            ("recording -1 run 0\nend\n", BadParcel::Form(22)),
            ("recording 1 ../x 0\nend\n", BadParcel::Form(22)),
            ("recording 1 run\nend\n", BadParcel::Form(22)),
            ("recording 1 run 18446744073709551615\n", BadParcel::Cut(59)),
            ("nothing 1 run no\nend 0\n", BadParcel::Form(39)),
            ("file run.json 0\nend\n", BadParcel::Form(22)),
        ] {
            let bytes = format!("{FIRST}\n{rest}");
            assert_eq!(read(bytes.as_bytes()), Err(expected), "{rest:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much_for_it(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = read(&bytes);
            let _ = read(&[FIRST.as_bytes(), b"\n", &bytes[..]].concat());
        }
    }
}
