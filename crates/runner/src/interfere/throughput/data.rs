// SPDX-License-Identifier: MIT OR Apache-2.0
//! The test data: one block, repeated.
use backwall_stats::random::SplitMix;

/// Longer than the range that any compressing file system searches (btrfs compresses 128 KiB at a time), so repeated random
/// blocks do not compress.
const BLOCK_BYTES: usize = 1 << 20;

pub(super) struct Data(Vec<u8>);

impl Data {
    /// The most compressible data. The code writes to the pages; untouched pages would all be the kernel's one shared zero page.
    pub(super) fn zeros() -> Self {
        let mut block = std::hint::black_box(vec![1; BLOCK_BYTES]);
        block.fill(0);
        Self(block)
    }

    pub(super) fn incompressible(seed: u64) -> Self {
        let mut random = SplitMix(seed);
        Self((0..BLOCK_BYTES / 8).flat_map(|_| random.number().to_le_bytes()).collect())
    }

    pub(super) fn pieces(&self, bytes: u64) -> impl Iterator<Item = &[u8]> {
        let mut left = bytes;
        std::iter::from_fn(move || {
            let length = left.min(self.0.len() as u64);
            left -= length;
            (length > 0).then(|| &self.0[..length as usize])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn packed(data: &Data, bytes: u64) -> usize {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        data.pieces(bytes).for_each(|piece| encoder.write_all(piece).unwrap());
        encoder.finish().unwrap().len()
    }

    #[test]
    fn zeros_compress_and_the_others_do_not_and_all_bytes_come() {
        let bytes = (2 << 20) + 77;
        let sum = |data: &Data| data.pieces(bytes).map(|piece| piece.len() as u64).sum::<u64>();
        let (zeros, random) = (Data::zeros(), Data::incompressible(1));
        assert_eq!((sum(&zeros), sum(&random)), (bytes, bytes));
        assert!(packed(&zeros, bytes) < 50_000 && packed(&random, bytes) as u64 > bytes * 99 / 100);
    }
}
