// SPDX-License-Identifier: MIT OR Apache-2.0
//! `linux:stock`, `linux:rt`, `linux:rt-6.12`, `linux:PATH`: a Linux kernel with the bench program as its first process.
//!
//! The kernel is unmodified. backwall builds its initial file system: the bench program, linked statically, and the modules that
//! carry the generator's interrupt to it.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use super::debian::{self, Newest};
use super::kernel::{Kernel, modules_below};
use super::kernel_image::HEAD_BYTES;
use super::{BadGuest, GuestMachine, Kind, MOST_BYTES, Names, Preparing, built_without, existing, head, unpack};
use crate::cpio::Archive;
use crate::machine::{FirstProcess, LinuxOn, MACHINES};
use crate::scenario::Scenario;
use backwall_capture::symbols::Symbols;
use backwall_os::regular_file;
use std::path::{Path, PathBuf};

pub(super) fn program_names(bench: &FirstProcess) -> Symbols {
    let defined = |line: &&str| !line.starts_with(' ');
    let lines: String =
        String::from_utf8_lossy(&bench.init_names).lines().filter(defined).map(|line| format!("{line}\n")).collect();
    Symbols::from_map(&lines).unwrap_or_default()
}

fn command_line(linux: &LinuxOn, boot: &str) -> String {
    let own = linux.words.as_str();
    if boot.is_empty() { own.to_string() } else { format!("{own} {boot}") }
}

pub const KIND: Kind = Kind {
    name: "linux",
    wants: "stock[-SERIES]|rt[-SERIES]|PATH",
    answers: &["ist", "app"],
    machines: &MACHINES,
    prepare,
};

/// Prepares the kernel called `which`. The scenario's loads become an argument of the bench program.
fn prepare(which: &str, scenario: &Scenario, at: &Preparing<'_>) -> Result<GuestMachine, BadGuest> {
    let words = format!("bench-load={} {}", scenario.load, scenario.options);
    machine(which, scenario, at, words.trim_end(), |_| {})
}

pub(super) fn machine(
    which: &str,
    scenario: &Scenario,
    at: &Preparing<'_>,
    words: &str,
    add: impl FnOnce(&mut Archive),
) -> Result<GuestMachine, BadGuest> {
    let machine = scenario.machine;
    let (linux, bench) = bench_of(scenario)?;
    if bench.init.is_empty() {
        return Err(built_without(machine));
    }
    let kernel = match Newest::named(which, linux) {
        Some(newest) => debian::kernel(&newest, bench, at.stop)?,
        None => own_kernel(existing(&scenario.guest, which)?, bench),
    };
    let start = head(&kernel.image, HEAD_BYTES)?;
    if !(linux.image.is)(&start) {
        let (wants, name) = (linux.image.wants, machine.name);
        return Err(BadGuest::name(&scenario.guest, format!("not a Linux kernel image of {name}; expected {wants}")));
    }
    Ok(GuestMachine {
        initrd: Some(unpack(at.folder, "initrd.cpio", &file_system(&kernel, bench, add)?)?),
        command_line: format!("{} -- {words}", command_line(linux, &scenario.boot)),
        bios: linux.bios.as_ref(),
        memory_mib: 256,
        boot_instructions: linux.boot_instructions,
        description: described(kernel.description, (linux.image.version)(&kernel.image, &start)),
        kernel: kernel.image,
        names: Names::Channel,
        tick_instructions: kernel.tick_instructions,
    })
}

fn bench_of(scenario: &Scenario) -> Result<(&'static LinuxOn, &'static FirstProcess), BadGuest> {
    let machine = scenario.machine;
    let linux = machine.linux;
    let known = || linux.benches.iter().map(|bench| bench.input.name()).collect::<Vec<_>>().join(" or ");
    let bench = linux.bench(scenario.input).ok_or_else(|| {
        let input = scenario.input().name();
        let fault = format!("Linux has no driver for input {input:?} of {}; expected {}", machine.name, known());
        BadGuest::scenario(scenario, fault)
    })?;
    Ok((linux, bench))
}

/// `Debian's Linux 6.1.0-56-rt-amd64, PREEMPT_RT`: the preemption model distinguishes kernels of the same release.
fn described(whose: String, version: Option<String>) -> String {
    version.map_or(whose.clone(), |version| format!("{whose} {version}"))
}

fn file_system(kernel: &Kernel, bench: &FirstProcess, add: impl FnOnce(&mut Archive)) -> Result<Vec<u8>, BadGuest> {
    let mut archive = Archive::default();
    for folder in ["dev", "proc", "sys", "modules"] {
        archive.directory(folder);
    }
    archive.device("dev/console", 5, 1);
    archive.program("init", &bench.init);
    for (index, path) in kernel.modules.iter().enumerate() {
        let contents =
            regular_file::read(path, MOST_BYTES).map_err(|source| BadGuest::File { path: path.clone(), source })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        archive.file(&format!("modules/{index}-{name}"), &contents);
    }
    add(&mut archive);
    Ok(archive.finish())
}

/// A kernel that the user names: an installed one (`/boot/vmlinuz-RELEASE`) or one in its build tree.
fn own_kernel(image: PathBuf, bench: &FirstProcess) -> Kernel {
    let description = format!("{}: Linux", image.display());
    let modules = drivers_of(&image).and_then(|drivers| modules_below(&drivers, bench.modules)).unwrap_or_default();
    Kernel { image, modules, description, tick_instructions: None }
}

fn drivers_of(image: &Path) -> Option<PathBuf> {
    let release = image.file_name()?.to_str()?.strip_prefix("vmlinuz-");
    match release {
        Some(release) => Some(Path::new("/lib/modules").join(release).join("kernel/drivers")),
        None => image.ancestors().nth(4).map(|tree| tree.join("drivers")), // arch/x86/boot/bzImage, arch/arm64/boot/Image
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::X86_PC;

    #[test]
    fn the_modules_of_a_build_tree_are_found_beside_its_image() {
        let tree = tempfile::tempdir().unwrap();
        let bench = X86_PC.linux.bench(None).unwrap();
        let modules = bench.modules;
        for file in
            modules.iter().map(|module| format!("drivers/{module}")).chain(["arch/x86/boot/bzImage".to_string()])
        {
            let path = tree.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let kernel = own_kernel(tree.path().join("arch/x86/boot/bzImage"), bench);
        let expected: Vec<PathBuf> = modules.iter().map(|module| tree.path().join("drivers").join(module)).collect();
        assert_eq!(kernel.modules, expected);
        std::fs::remove_file(tree.path().join("drivers/char/ppdev.ko")).unwrap();
        assert!(own_kernel(tree.path().join("arch/x86/boot/bzImage"), bench).modules.is_empty());
    }
}
