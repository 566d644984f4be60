// SPDX-License-Identifier: MIT OR Apache-2.0
//! `image:PATH`: any image that answers on the port, such as a build of another kernel. On a PC it is a multiboot
//! image, on other machines an ELF file.
use super::{BadGuest, GuestMachine, Kind, Names, Preparing, existing, head, words_with_loads};
use crate::machine::{MACHINES, Machine, X86_PC};
use crate::scenario::Scenario;

// Generous for a kernel without file systems.
const BOOT_INSTRUCTIONS: u64 = 5_000_000_000;

/// Multiboot 1, section 3.1: the header is within these first bytes, at a multiple of four. Bit 16 of its flags: the header has
/// the load addresses, so the file need not be an ELF file.
const HEADER_WITHIN: u64 = 8192;
const MAGIC: u32 = 0x1BAD_B002;
const HAS_ADDRESSES: u32 = 1 << 16;

const ELF_MAGIC: &[u8] = b"\x7FELF";
const CLASS_AT: usize = 4;
const CLASS_64: u8 = 2;
const MACHINE_AT: usize = 18;
const X86_64: [u8; 2] = [62, 0];

/// Finds the multiboot header in `head` and returns its flags. Its magic number, flags and checksum add up to zero.
fn multiboot_flags(head: &[u8]) -> Option<u32> {
    let words: Vec<u32> =
        head.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
    let is_header = |word: &&[u32]| word[0] == MAGIC && word[0].wrapping_add(word[1]).wrapping_add(word[2]) == 0;
    words.windows(3).find(is_header).map(|header| header[1])
}

/// Why QEMU cannot load an image that begins with `head` on this machine, and what it expects.
fn fault(machine: &Machine, head: &[u8]) -> Option<String> {
    if machine == &X86_PC { fault_on_pc(head) } else { fault_on_virt(machine, head) }
}

/// QEMU starts an ELF file at its entry address, in the CPU's reset mode.
fn fault_on_virt(machine: &Machine, head: &[u8]) -> Option<String> {
    if !head.starts_with(ELF_MAGIC) || head.get(CLASS_AT) != Some(&CLASS_64) {
        return Some(format!("not a 64-bit ELF file, which {} needs", machine.name));
    }
    let number = head.get(MACHINE_AT..).and_then(<[u8]>::first_chunk).map(|bytes| u16::from_le_bytes(*bytes));
    (number != Some(machine.linux.elf))
        .then(|| format!("an ELF file for another architecture; expected one for {}", machine.shown))
}

fn fault_on_pc(head: &[u8]) -> Option<String> {
    let Some(flags) = multiboot_flags(head) else {
        return Some(format!("no multiboot header in the first {HEADER_WITHIN} bytes; expected a multiboot 1 image"));
    };
    if flags & HAS_ADDRESSES != 0 {
        return None;
    }
    if !head.starts_with(ELF_MAGIC) {
        return Some("neither an ELF file nor an image with load addresses in its multiboot header".to_string());
    }
    (head.get(MACHINE_AT..MACHINE_AT + 2) == Some(&X86_64))
        .then(|| "multiboot cannot load a 64-bit ELF file; convert it with objcopy -O elf32-i386".to_string())
}

pub const KIND: Kind = Kind { name: "image", wants: "PATH", answers: &["isr"], machines: &MACHINES, prepare };

/// Prepares the image in the file `path`. A load becomes an argument `load=NAME` on its command line, which the image must
/// understand.
fn prepare(path: &str, scenario: &Scenario, _at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    let kernel = existing(&scenario.guest, path)?;
    if let Some(fault) = fault(scenario.machine, &head(&kernel, HEADER_WITHIN)?) {
        return Err(BadGuest::name(&scenario.guest, fault));
    }
    Ok(GuestMachine {
        kernel,
        initrd: None,
        command_line: words_with_loads(scenario)?,
        bios: None,
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
    use crate::machine::{ARM64_VIRT, RISCV64_VIRT};

    fn image(machine: u8, header: [u32; 3]) -> Vec<u8> {
        let mut bytes = vec![0; 52];
        bytes[..4].copy_from_slice(ELF_MAGIC);
        bytes[MACHINE_AT] = machine;
        bytes.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    fn header(flags: u32) -> [u32; 3] {
        [MAGIC, flags, 0u32.wrapping_sub(MAGIC).wrapping_sub(flags)]
    }

    #[test]
    fn a_header_is_its_magic_with_a_checksum_that_fits() {
        let [magic, flags, checksum] = header(3);
        assert_eq!(fault_on_pc(&image(3, [magic, flags, checksum])), None);
        for wrong in [[magic, flags, checksum + 1], [magic + 1, flags, checksum]] {
            assert!(fault_on_pc(&image(3, wrong)).is_some_and(|fault| fault.contains("no multiboot header")));
        }
        let whole = image(3, header(3));
        assert!((0..whole.len()).all(|length| fault_on_pc(&whole[..length]).is_some()), "wherever it is cut");
    }

    #[test]
    fn a_64_bit_file_is_refused_with_what_makes_it_one_that_loads() {
        assert!(fault_on_pc(&image(62, header(3))).is_some_and(|fault| fault.contains("objcopy -O elf32-i386")));
        assert_eq!(fault_on_pc(&image(62, header(HAS_ADDRESSES))), None, "its header says where to load it");
    }

    #[test]
    fn virt_takes_an_elf_file_for_its_processor_alone() {
        let elf = |class, machine| [ELF_MAGIC, &[class], &[0; 13], &[machine, 0]].concat();
        assert_eq!(fault(&ARM64_VIRT, &elf(2, 183)), None);
        assert_eq!(fault(&RISCV64_VIRT, &elf(2, 243)), None);
        assert!(fault(&ARM64_VIRT, &elf(2, 243)).is_some_and(|fault| fault.contains("another architecture")));
        assert!(fault(&RISCV64_VIRT, &elf(1, 243)).is_some_and(|fault| fault.contains("not a 64-bit ELF file")));
        let whole = elf(2, 183);
        assert!((0..whole.len()).all(|length| fault(&ARM64_VIRT, &whole[..length]).is_some()), "wherever it is cut");
    }

    #[test]
    fn a_bare_binary_needs_addresses_in_its_header() {
        let bare = |flags| header(flags).iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        assert!(fault_on_pc(&bare(3)).is_some_and(|fault| fault.contains("neither an ELF file")));
        assert_eq!(fault_on_pc(&bare(HAS_ADDRESSES)), None);
    }
}
