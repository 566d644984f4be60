// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Linux guest that runs programs of the host, one after the other, and ends.
#![expect(clippy::disallowed_types, reason = "starts programs")]
use super::linux;
use super::{BadGuest, GuestMachine, MOST_BYTES, Preparing};
use crate::scenario::Scenario;
use backwall_os::regular_file;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug)]
pub struct GuestFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

pub fn prepare(
    scenario: &Scenario,
    files: &[&GuestFile],
    lines: &[String],
    at: &Preparing<'_>,
) -> Result<GuestMachine, BadGuest> {
    let which = scenario.guest.strip_prefix("linux:").unwrap_or(&scenario.guest);
    linux::machine(which, scenario, at, "bench-programs", |archive| {
        let mut there: BTreeSet<&Path> = ["dev", "proc", "sys", "modules", "init"].map(Path::new).into();
        for file in files {
            let path = file.path.strip_prefix("/").unwrap_or(&file.path);
            let mut parents: Vec<&Path> =
                path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
            parents.reverse();
            parents
                .into_iter()
                .filter(|parent| there.insert(parent))
                .for_each(|parent| archive.directory(&name(parent)));
            if there.insert(path) {
                archive.program(&name(path), &file.bytes);
            }
        }
        archive.file("programs", (lines.join("\n") + "\n").as_bytes());
    })
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether a program is for this architecture, by the `e_machine` of its ELF header.
#[must_use]
pub fn is_for(program: &[u8], elf: u16) -> bool {
    const MACHINE: usize = 18;
    let number = program.get(MACHINE..).and_then(<[u8]>::first_chunk).map(|bytes| u16::from_le_bytes(*bytes));
    // A script has no ELF header; the guest's kernel looks for its interpreter.
    !program.starts_with(b"\x7fELF") || number == Some(elf)
}

pub fn files_of(program: &Path) -> Result<Vec<GuestFile>, BadGuest> {
    let ldd = Command::new("ldd").arg(program).env("LC_ALL", "C").output();
    let libraries = ldd.map(|ldd| libraries(&String::from_utf8_lossy(&ldd.stdout))).unwrap_or_default();
    let paths = std::iter::once(program.to_path_buf()).chain(libraries);
    let carried = paths.map(|path| match regular_file::read(&path, MOST_BYTES) {
        Ok(bytes) => Ok(GuestFile { path, bytes }),
        Err(source) => Err(BadGuest::File { path, source }),
    });
    carried.collect()
}

/// The paths among the lines of `ldd`: `NAME => PATH (ADDRESS)` and `PATH (ADDRESS)`.
fn libraries(text: &str) -> Vec<PathBuf> {
    let words = text.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
    words.map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_processor_is_told_by_its_head() {
        let program = |machine: u8| [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[2, 0, machine, 0]].concat();
        assert!(is_for(&program(183), 183) && !is_for(&program(62), 183));
        assert!(is_for(b"#!/bin/sh\n", 183) && !is_for(b"\x7fELF", 183));
    }

    #[test]
    fn the_libraries_of_a_program_are_the_paths_that_ldd_prints() {
        let text =
            "\tlinux-vdso.so.1 (0x00007f)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f)\n\t/lib64/ld.so.2 (0x00007f)\n";
        assert_eq!(libraries(text), ["/lib/x/libc.so.6", "/lib64/ld.so.2"].map(PathBuf::from));
        assert!(libraries("\tnot a dynamic executable\n").is_empty());
    }
}
