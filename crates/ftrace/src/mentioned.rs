// SPDX-License-Identifier: MIT OR Apache-2.0
//! The addresses that the stacks of a recording mention. A recording keeps only the names of the functions at these addresses.
use backwall_trace::ring::decoder::Decoder;
use backwall_trace::ring::page::{Page, PageLayout};
use std::collections::BTreeSet;
use std::io::{BufReader, ErrorKind, Read, Result, Seek, SeekFrom};

const AT_ONCE: usize = 1 << 20;

/// Adds the addresses in all sub-buffers of a file. A sub-buffer that cannot be read is skipped; the reader of the recording
/// reports it.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn add(
    file: &mut (impl Read + Seek),
    layout: &PageLayout,
    decoder: &Decoder,
    all: &mut BTreeSet<u64>,
) -> Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut file = BufReader::with_capacity(AT_ONCE, file);
    let mut bytes = vec![0; layout.bytes()];
    loop {
        match file.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let Ok(page) = Page::new(&bytes, layout) else { continue };
        page.records().map_while(|record| record.ok()).for_each(|record| all.extend(decoder.addresses(record.data)));
    }
}
