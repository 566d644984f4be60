// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts in a Linux kernel image, by architecture (Linux, Documentation/arch/x86/boot.rst, Documentation/arch/arm64/booting.rst and
//! Documentation/arch/riscv/boot-image-header.rst).
use super::MOST_BYTES;
use backwall_os::regular_file;
use std::path::Path;

pub struct Form {
    pub wants: &'static str,
    pub is: fn(&[u8]) -> bool,
    /// The kernel's release and preemption model, such as `6.1.0-56-amd64, PREEMPT_DYNAMIC`; `None` if the image lacks them.
    pub version: fn(&Path, &[u8]) -> Option<String>,
}

pub const BZIMAGE: Form = Form { wants: "a bzImage", is: is_bzimage, version: |_, head| version_of_bzimage(head) };

pub const ARM64_IMAGE: Form = Form {
    wants: "arm64's Image, not compressed",
    is: |head| second_magic(head) == Some(ARM64_MAGIC),
    version: |path, _| version_in(&regular_file::read(path, MOST_BYTES).ok()?),
};

pub const RISCV64_IMAGE: Form = Form {
    wants: "riscv64's Image, not compressed",
    is: |head| second_magic(head) == Some(RISCV64_MAGIC),
    version: ARM64_IMAGE.version,
};

/// Position of the magic number in the setup header. The offset of the version text counts from the second sector.
const MAGIC_AT: usize = 0x202;
const MAGIC: &[u8] = b"HdrS";
const VERSION_AT: usize = 0x20E;
const SECTOR: usize = 0x200;

const SECOND_MAGIC_AT: usize = 56;
const ARM64_MAGIC: &[u8] = b"ARM\x64";
const RISCV64_MAGIC: &[u8] = b"RSC\x05";
const BANNER: &[u8] = b"Linux version ";

/// Number of bytes to read from the beginning of an image: for x86 the setup code and its header.
pub const HEAD_BYTES: u64 = 64 * SECTOR as u64;

fn second_magic(head: &[u8]) -> Option<&[u8]> {
    head.get(SECOND_MAGIC_AT..SECOND_MAGIC_AT + ARM64_MAGIC.len())
}

fn is_bzimage(head: &[u8]) -> bool {
    head.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) == Some(MAGIC)
}

pub fn version_of_bzimage(head: &[u8]) -> Option<String> {
    let at = usize::from(u16::from_le_bytes(head.get(VERSION_AT..VERSION_AT + 2)?.try_into().ok()?));
    told(head.get(SECTOR + at..).filter(|_| at != 0 && is_bzimage(head))?)
}

/// The first banner that contains a release. A kernel also contains the format string of its banner, which has none.
pub fn version_in(image: &[u8]) -> Option<String> {
    let starts = image.windows(BANNER.len()).enumerate().filter(|(_, window)| *window == BANNER);
    let texts = starts.filter_map(|(at, _)| image.get(at + BANNER.len()..));
    texts.filter(|text| text.first().is_some_and(u8::is_ascii_digit)).find_map(told)
}

/// Extracts release and model from `6.1.0 (a@b) #1 SMP PREEMPT_RT …`, which ends at a zero byte.
fn told(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(&text[..text.iter().position(|byte| *byte == 0)?]).ok()?;
    let release = text.split_whitespace().next()?;
    let model = text.split_whitespace().find(|word| word.starts_with("PREEMPT")).unwrap_or("no PREEMPT");
    Some(format!("{release}, {model}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> Vec<u8> {
        let mut head = vec![0; 0x1000];
        head[MAGIC_AT..MAGIC_AT + 4].copy_from_slice(MAGIC);
        head[VERSION_AT..VERSION_AT + 2].copy_from_slice(&0x400u16.to_le_bytes());
        head[0x600..0x600 + text.len()].copy_from_slice(text.as_bytes());
        head
    }

    #[test]
    fn the_preemption_model_belongs_to_the_version() {
        let cases = [
            ("6.1.0-56-rt-amd64 (a@b) #1 SMP PREEMPT_RT Debian 6.1.192-2", "6.1.0-56-rt-amd64, PREEMPT_RT"),
            ("6.1.0-56-amd64 (a@b) #1 SMP PREEMPT_DYNAMIC Debian", "6.1.0-56-amd64, PREEMPT_DYNAMIC"),
            ("4.19.0 (a@b) #1 SMP Debian", "4.19.0, no PREEMPT"),
        ];
        for (text, expected) in cases {
            assert_eq!(version_of_bzimage(&image(text)).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_image_has_no_version_wherever_it_is_cut() {
        let whole = image("6.1.0 (a@b) #1");
        for length in 0..whole.len() {
            let said = version_of_bzimage(&whole[..length]);
            assert!(said.is_none() || length > 0x600, "{length}: {said:?}");
        }
        assert!(!is_bzimage(&[0xAA; 0x1000]) && version_of_bzimage(&[0xAA; 0x1000]).is_none());
        assert_eq!(version_of_bzimage(&image("")), None, "an empty text");
    }

    #[test]
    fn an_image_of_arm64_says_its_version_in_its_banner_and_a_compressed_one_is_none() {
        let mut image = vec![0; 64];
        image[SECOND_MAGIC_AT..SECOND_MAGIC_AT + 4].copy_from_slice(ARM64_MAGIC);
        image.extend(b"Linux version %s (%s)\0Linux version 6.1.0-56-rt-arm64 (a@b) #1 SMP PREEMPT_RT Debian\n\0");
        assert!((ARM64_IMAGE.is)(&image) && !(BZIMAGE.is)(&image));
        assert_eq!(version_in(&image).as_deref(), Some("6.1.0-56-rt-arm64, PREEMPT_RT"));
        assert_eq!(version_in(b"Linux version 6"), None, "cut");
        assert!(!(ARM64_IMAGE.is)(b"MZ\0\0zimg") && !(ARM64_IMAGE.is)(&[]));
        image[SECOND_MAGIC_AT..SECOND_MAGIC_AT + 4].copy_from_slice(RISCV64_MAGIC);
        assert!((RISCV64_IMAGE.is)(&image) && !(ARM64_IMAGE.is)(&image));
    }
}
