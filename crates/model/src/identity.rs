// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identity of a run: its start, and a digest of all its contents. Stored runs are named by the digest, so it must stay the same
//! in every version.
use crate::Run;

/// Offset basis and prime of FNV-1a of 128 bits (Fowler, Noll, Vo; RFC 9923).
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Detects duplicate runs. It is no protection against attackers, who could only forge runs of their own device.
pub fn digest(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(BASIS, |sum, byte| (sum ^ u128::from(*byte)).wrapping_mul(PRIME));
    format!("{sum:032x}")
}

/// Digest of a run, independent of the file's layout.
pub fn of(run: &Run) -> String {
    let text = serde_json::to_string(run).unwrap_or_default();
    let began: String = run.started.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    format!("{began}-{}", digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_standard() {
        assert_eq!(digest(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(digest(b"a"), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(digest(b"foobar"), "343e1662793c64bf6f0d3597ba446f18");
    }
}
