// SPDX-License-Identifier: MIT OR Apache-2.0
//! `image:PATH`: any multiboot image that answers on the port, such as another kernel's own build.
use super::{BadGuest, GuestMachine, Kind, Names, existing, head, words_with_loads};
use crate::lab::scenario::Scenario;
use std::path::Path;

/// Generous for a kernel without file systems.
const BOOT_INSTRUCTIONS: u64 = 5_000_000_000;

/// Multiboot 1, 3.1: the header lies in these first bytes, at a multiple of four.
const HEADER_WITHIN: u64 = 8192;
const MAGIC: u32 = 0x1BAD_B002;

/// Whether `head` holds a header: magic, flags and checksum, whose sum is zero.
fn is_multiboot(head: &[u8]) -> bool {
    let words: Vec<u32> =
        head.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
    words.windows(3).any(|word| word[0] == MAGIC && word[0].wrapping_add(word[1]).wrapping_add(word[2]) == 0)
}

/// Its line of the table.
pub const KIND: Kind = Kind { name: "image", wants: "PATH", answers: &["isr"], prepare };

/// The image in the file `path`. A load becomes a word `load=NAME` of its command line, which the image has to know.
fn prepare(path: &str, scenario: &Scenario, _folder: &Path) -> Result<GuestMachine, BadGuest> {
    let kernel = existing(&scenario.guest, path)?;
    if !is_multiboot(&head(&kernel, HEADER_WITHIN)?) {
        let fault = format!("no multiboot header in the first {HEADER_WITHIN} bytes: want a multiboot 1 image");
        return Err(BadGuest::name(&scenario.guest, fault));
    }
    Ok(GuestMachine {
        kernel,
        initrd: None,
        command_line: words_with_loads(scenario)?,
        memory_mib: 128,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: format!("image {path}"),
        names: Names::Image,
        tick_instructions: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(magic: u32, checksum: u32) -> Vec<u8> {
        let words = [0x7F45_4C46, magic, 3, checksum];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_header_is_its_magic_with_a_checksum_that_fits() {
        let fits = 0u32.wrapping_sub(MAGIC).wrapping_sub(3);
        assert!(is_multiboot(&header(MAGIC, fits)));
        assert!(!is_multiboot(&header(MAGIC, fits + 1)) && !is_multiboot(&header(MAGIC + 1, fits)));
        assert!(!is_multiboot(&header(MAGIC, fits)[..12]) && !is_multiboot(&[]));
    }
}
