// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether an instruction has just enabled interrupts: the code before the interrupted place shows it.
//!
//! On x86 `sti` enables interrupts after the next instruction, and `popf` at once (Intel 64 and IA-32 Architectures Software
//! Developer's Manual, volume 2, STI). A kernel that may run under a hypervisor compiles a function call for this, and at boot
//! replaces the call by `sti` and an instruction that does nothing.

/// Bytes of code examined before an address: more than the longest instruction plus `sti`.
pub const BEFORE_BYTES: usize = 16;

const STI: u8 = 0xfb;
const POPF: u8 = 0x9d;
/// Instructions that do nothing, as kernels write them; old kernels write several short ones on AMD CPUs.
const NOTHING: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x66, 0x66, 0x90],
    &[0x66, 0x66, 0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
];

/// Whether the code before the interrupted place ends with an instruction that enables interrupts. `None` if the byte of `sti`
/// may be part of another instruction.
pub(crate) fn just_let_in(code: &[u8; BEFORE_BYTES]) -> Option<bool> {
    let behind_sti = |nothing: &&[u8]| code.strip_suffix(*nothing).is_some_and(|before| before.ends_with(&[STI]));
    if code.ends_with(&[POPF]) || NOTHING.iter().any(behind_sti) {
        return Some(true);
    }
    (!code.contains(&STI)).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(end: &[u8]) -> Option<bool> {
        let mut code = [0x48; BEFORE_BYTES];
        code[BEFORE_BYTES - end.len()..].copy_from_slice(end);
        just_let_in(&code)
    }

    #[test]
    fn an_instruction_that_lets_in_is_seen_before_one_that_does_nothing_and_code_without_any_let_in_earlier() {
        assert_eq!(told(&[STI, 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00]), Some(true));
        assert_eq!(told(&[STI, 0x66, 0x66, 0x90]), Some(true));
        assert_eq!(told(&[0x57, POPF]), Some(true));
        assert_eq!(told(&[]), Some(false));
        // `sti` takes effect after the next instruction, so the interrupt would have come one instruction earlier.
        assert_eq!(told(&[STI, 0x90, 0x48, 0x89, 0xc3]), None);
        assert_eq!(told(&[0xb8, STI, 0x00, 0x00, 0x00]), None, "a number");
        assert_eq!(told(&[STI]), None, "the instruction behind it has still to be executed");
    }
}
