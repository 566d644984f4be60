// SPDX-License-Identifier: MIT OR Apache-2.0
//! An emulator that lacks something the bench needs: one line with exit code 4, before the tool waits for a guest. Needs QEMU.
//!
//! A script in place of QEMU starts the real one without a function that the instrument calls, without a device, or without
//! firmware.
use crate::common::copied::script;
use crate::common::program::program;
use crate::lab_bare::machines;
use backwall_lab::machine::Machine;
use std::path::{Path, PathBuf};
use std::process::Command;

// One function that every machine needs, and for each machine one that only it needs.
const HIDDEN: [(&str, &str); 4] = [
    ("x86-pc", "qemu_set_irq"),
    ("x86-pc", "isa_get_irq"),
    ("arm64-virt", "aarch64_cpu_gdb_read_register"),
    ("riscv64-virt", "riscv_csrrw"),
];

// For a machine's processor, another of QEMU's boards and the device that this board lacks.
const BOARDS: [(&str, &str, &str); 2] =
    [("arm64-virt", "xlnx-versal-virt", "pl061"), ("riscv64-virt", "spike", "riscv.sifive.plic")];

// A `dlsym` that does not find the function named by `HIDDEN`.
const HIDES: &str = r#"#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
void *dlsym(void *restrict where, const char *restrict name)
{
    static void *(*real)(void *, const char *);
    static const char *const VERSIONS[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (unsigned at = 0; !real && at < 3; at++)
        *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", VERSIONS[at]);
    return strcmp(name, getenv("HIDDEN")) == 0 ? 0 : real(where, name);
}
"#;

fn path_of(program: &str) -> PathBuf {
    let places = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&places).map(|place| place.join(program)).find(|path| path.is_file()).expect("found before")
}

fn instead_of(machine: &Machine, folder: &Path, lines: &str) {
    let text = format!("#!/bin/sh\nQEMU={}\n{lines}\n", path_of(machine.program).display());
    script(&text, &folder.join(machine.program));
}

fn refused(folder: &Path, scenario: &str) -> String {
    std::fs::write(folder.join("mine.toml"), scenario).unwrap();
    let before = std::fs::read_dir(folder).unwrap().count();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program());
    let output =
        command.args(["lab", "run", "--fresh", "mine.toml"]).current_dir(folder).env("PATH", path).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), before, "{said}");
    said
}

fn bare(machine: &Machine) -> String {
    let name = machine.name;
    format!(
        "about = 'test'\nmachine = '{name}'\nguest = 'bare:answer-irq7-5'\n[generator.a]\nshape = 'one-shot'\nperiod = 10_000\n"
    )
}

#[test]
fn a_qemu_without_a_function_that_the_instrument_calls_is_told_by_its_name() {
    let test = "a_qemu_without_a_function_that_the_instrument_calls_is_told_by_its_name";
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("hides.c"), folder.path().join("hides.so"));
    std::fs::write(&source, HIDES).unwrap();
    let built = Command::new("gcc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(built.success());
    for machine in machines(test) {
        for (_, hidden) in HIDDEN.into_iter().filter(|(of, _)| *of == machine.name) {
            let lines = format!("export HIDDEN={hidden} LD_PRELOAD={}\nexec \"$QEMU\" \"$@\"", library.display());
            instead_of(machine, folder.path(), &lines);
            let said = refused(folder.path(), &bare(machine));
            assert!(said.contains(&format!("instrument: this QEMU does not export {hidden}")), "{said}");
        }
    }
}

#[test]
fn an_emulated_board_without_the_device_that_pulses_is_told_by_its_name() {
    let test = "an_emulated_board_without_the_device_that_pulses_is_told_by_its_name";
    for machine in machines(test) {
        for (_, other, kind) in BOARDS.into_iter().filter(|(of, ..)| *of == machine.name) {
            let folder = tempfile::tempdir().unwrap();
            let lines = format!(
                "for word; do shift; case $word in virt | virt,*) word={other} ;; esac; set -- \"$@\" \"$word\"; done\nexec \"$QEMU\" \"$@\""
            );
            instead_of(machine, folder.path(), &lines);
            let said = refused(folder.path(), &bare(machine));
            assert!(said.contains("this machine has no") && said.contains(kind), "{said}");
        }
    }
}

#[test]
fn firmware_that_is_not_installed_is_told_with_its_package() {
    let test = "firmware_that_is_not_installed_is_told_with_its_package";
    let Some(machine) = machines(test).find(|machine| machine.linux.bios.is_some()) else { return };
    let folder = tempfile::tempdir().unwrap();
    instead_of(machine, folder.path(), "[ \"$1\" != -L ] || exit 0\nexec \"$QEMU\" \"$@\"");
    let mut image = vec![0; 4096];
    image[56..60].copy_from_slice(b"RSC\x05");
    std::fs::write(folder.path().join("Image"), image).unwrap();
    let linux = bare(machine).replace("bare:answer-irq7-5", "linux:Image");
    let said = refused(folder.path(), &linux);
    assert!(said.contains("lacks the firmware") && said.contains("apt-get install "), "{said}");
}
