// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that the tool carries packed by gzip, which keeps its file small.
use std::io::Read;

pub fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut program = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut program).expect("packed when the tool was built");
    program
}
