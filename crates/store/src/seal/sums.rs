// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hashes of files in the format of `sha256sum`.
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, Read, Write};

const PIECE: usize = 1 << 18;
const LETTERS: usize = 64;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected 64 hexadecimal digits, two spaces and a file name")]
pub struct BadSums {
    /// The line, from 1.
    pub line: usize,
}

/// The hash of all bytes that `from` provides. The bytes are also written to `copy`.
pub fn hashed(mut from: impl Read, mut copy: impl Write) -> io::Result<String> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(hexadecimal(&hash.finalize())),
            Ok(count) => {
                hash.update(&piece[..count]);
                copy.write_all(&piece[..count])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes all");
        text
    })
}

pub fn text(sums: &[(String, String)]) -> String {
    sums.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect()
}

/// The names and hashes in a list. A name must be that of a file in the same folder.
///
/// # Errors
/// The first invalid line.
pub fn parse(text: &str) -> Result<Vec<(String, String)>, BadSums> {
    let one = |(index, line): (usize, &str)| {
        let bad = BadSums { line: index + 1 };
        let (hash, name) = line.split_once("  ").ok_or(BadSums { line: index + 1 })?;
        let is_hash =
            hash.len() == LETTERS && hash.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let is_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
        if is_hash && is_name { Ok((name.to_string(), hash.to_string())) } else { Err(bad) }
    };
    text.lines().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The example of FIPS 180-2, appendix B.1, and the hash of an empty file.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let mut copy = Vec::new();
        assert_eq!(hashed(&b"abc"[..], &mut copy).unwrap(), abc);
        assert_eq!(copy, b"abc");
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hashed(&b""[..], io::sink()).unwrap(), nothing);
    }

    #[test]
    fn a_list_is_read_as_it_was_written_and_other_lines_are_refused_by_number() {
        let sums = vec![("run.json".to_string(), "0f".repeat(32)), ("a b".to_string(), "10".repeat(32))];
        assert_eq!(parse(&text(&sums)), Ok(sums.clone()));
        for bad in ["x", "0f  a", &format!("{}  ../a", "0f".repeat(32)), &format!("{}  ", "0f".repeat(32))] {
            assert_eq!(parse(&format!("{}{bad}\n", text(&sums))), Err(BadSums { line: 3 }), "{bad}");
        }
    }
}
