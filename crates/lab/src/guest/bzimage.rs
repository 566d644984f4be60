// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a Linux kernel image says of itself in its setup header (Linux, Documentation/arch/x86/boot.rst).

/// Of the setup header: its magic, and where the version's text is, counted from the second sector.
const MAGIC_AT: usize = 0x202;
const MAGIC: &[u8] = b"HdrS";
const VERSION_AT: usize = 0x20E;
const SECTOR: usize = 0x200;

/// Bytes of an image that hold all that is read here: the setup code and its header.
pub const HEAD_BYTES: u64 = 64 * SECTOR as u64;

/// Whether `head` begins a Linux kernel image.
pub fn is_image(head: &[u8]) -> bool {
    head.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) == Some(MAGIC)
}

/// Release and preemption model as the kernel was built: `6.1.0-56-amd64, PREEMPT_DYNAMIC`. `None`: the image does not say.
pub fn version(head: &[u8]) -> Option<String> {
    let at = usize::from(u16::from_le_bytes(head.get(VERSION_AT..VERSION_AT + 2)?.try_into().ok()?));
    let text = head.get(SECTOR + at..).filter(|_| at != 0 && is_image(head))?;
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
            assert_eq!(version(&image(text)).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_image_has_no_version_wherever_it_is_cut() {
        let whole = image("6.1.0 (a@b) #1");
        for length in 0..whole.len() {
            let said = version(&whole[..length]);
            assert!(said.is_none() || length > 0x600, "{length}: {said:?}");
        }
        assert!(!is_image(&[0xAA; 0x1000]) && version(&[0xAA; 0x1000]).is_none());
        assert_eq!(version(&image("")), None, "an empty text");
    }
}
