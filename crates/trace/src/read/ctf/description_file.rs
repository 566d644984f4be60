// SPDX-License-Identifier: MIT OR Apache-2.0
//! The metadata of a CTF trace: a text, plain or in packets, in either language.
//! Source: Common Trace Format v1.8.3, section 7.1; CTF2-SPEC-2.0, annex B.
#![expect(clippy::disallowed_types, reason = "reads files")]
use super::description::Description;
use super::{fragments, tsdl};
use crate::read::error::ReadError;
use std::fs::File;
use std::io::Read;

/// Magic number of metadata packets; it shows their byte order.
const MAGIC: u32 = 0x75d1_1d57;
const STREAM: u32 = 0xc1fc_1fc1;
/// Magic number, UUID, checksum, two sizes, and four bytes of flags and versions.
const HEAD_BYTES: usize = 37;
/// Longer metadata is refused. LTTng's metadata, for a kernel with all its system calls, has 0.5 MB.
const BYTES_MAX: u64 = 4 << 20;

pub(crate) fn begins(bytes: &[u8]) -> bool {
    let stream = |magic: [u8; 4]| u32::from_le_bytes(magic) == STREAM || u32::from_be_bytes(magic) == STREAM;
    let binary = bytes.first_chunk().is_some_and(|magic| is_magic(*magic) || stream(*magic));
    binary || bytes.starts_with(b"/* CTF") || bytes.starts_with(b"\x1e{")
}

fn is_magic(bytes: [u8; 4]) -> bool {
    u32::from_le_bytes(bytes) == MAGIC || u32::from_be_bytes(bytes) == MAGIC
}

pub(super) fn read(file: &File) -> Result<Description, ReadError> {
    let mut bytes = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(ReadError::NotRead("metadata longer than 4 MiB".to_string()));
    }
    let text = match bytes.first_chunk() {
        Some(magic) if is_magic(*magic) => unpacked(&bytes)?,
        _ => bytes,
    };
    let text = String::from_utf8_lossy(&text);
    if fragments::is_json(&text) {
        return fragments::parse(&text).map_err(ReadError::NotRead);
    }
    tsdl::parse(&text).map_err(|(line, what)| ReadError::NotRead(format!("metadata, line {line}: {what}")))
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let big = bytes.starts_with(&MAGIC.to_be_bytes());
    let (mut text, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let bad = |what: &str| ReadError::Bad { at: at as u64, what: format!("metadata: {what}") };
        let word = |place: usize| -> Option<u32> {
            let word = *rest.get(place..)?.first_chunk()?;
            Some(if big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
        };
        if rest.len() < HEAD_BYTES || word(0) != Some(MAGIC) {
            return Err(bad("expected a packet here"));
        }
        let bytes_at = |place| word(place).map_or(0, |bits| bits as usize / 8);
        let (content, packet) = (bytes_at(24), bytes_at(28));
        if content < HEAD_BYTES || packet < content || packet > rest.len() {
            return Err(bad("a packet exceeds the file"));
        }
        if rest[32..35] != [0; 3] {
            return Err(ReadError::NotRead(
                "not supported: metadata that is compressed, encrypted or checksummed".to_string(),
            ));
        }
        text.extend(&rest[HEAD_BYTES..content]);
        at += packet;
    }
    Ok(text)
}
