// SPDX-License-Identifier: MIT OR Apache-2.0
//! The guest with a chain of a hundred functions (`lab/guests/bare/x86-pc/chain.S`), one of them made fifty instructions longer.
use backwall_lab::machine::Machine;
use std::path::Path;

pub const CHAIN: &str = "bare:chain-irq7-50";
pub const LINKS: usize = 100;
pub const PLANTED: u8 = 50;

// A jump over `PLANTED` bytes, and an instruction of the same length that does nothing.
const JUMP: [u8; 2] = [0xEB, PLANTED];
const NO_JUMP: [u8; 2] = [0x66, 0x90];

pub fn planted(link: usize, folder: &Path) -> String {
    let (_, image) = Machine::usual().bare.iter().find(|(name, _)| *name == "chain-irq7-50").expect("a carried guest");
    let mut image = image.to_vec();
    let jumps: Vec<usize> = (0..image.len()).filter(|at| image[*at..].starts_with(&JUMP)).collect();
    assert_eq!(jumps.len(), LINKS);
    image[jumps[link]..][..NO_JUMP.len()].copy_from_slice(&NO_JUMP);
    let path = folder.join(format!("chain-{link}"));
    std::fs::write(&path, image).expect("a writable folder");
    format!("image:{}", path.display())
}
