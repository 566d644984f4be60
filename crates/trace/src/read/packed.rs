// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packed pieces of a recording. Each states its packed and its unpacked length; neither is trusted.
use super::error::ReadError;
use super::head::Packed;
use flate2::read::ZlibDecoder;
use std::io::Read;

pub(super) fn unpack(packed: Packed, piece: &[u8], bytes: u32, at: u64) -> Result<Vec<u8>, ReadError> {
    let mut whole = Vec::new();
    let wanted = u64::from(bytes);
    let bad = |what: String| ReadError::Bad { at, what };
    let read = match packed {
        Packed::Not => piece.take(wanted).read_to_end(&mut whole),
        Packed::Zlib => ZlibDecoder::new(piece).take(wanted).read_to_end(&mut whole),
        Packed::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(piece);
            let decoder = decoder.map_err(|error| bad(format!("a packed piece: {error}")))?;
            decoder.take(wanted).read_to_end(&mut whole)
        }
    };
    match read {
        Ok(found) if found as u64 == wanted => Ok(whole),
        Ok(found) => Err(bad(format!("a compressed piece has {found} unpacked bytes, but claims {wanted}"))),
        Err(error) => Err(bad(format!("a packed piece: {error}"))),
    }
}
