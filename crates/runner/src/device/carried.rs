// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs inside backwall's own file, compressed by gzip to keep it small.
use std::io::Read;

pub fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut program = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut program).expect("packed when the tool was built");
    program
}
