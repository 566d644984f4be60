// SPDX-License-Identifier: MIT OR Apache-2.0
//! `linux:stock`, `linux:rt`, `linux:rt-6.12`, `linux:PATH`: a Linux kernel with the bench as its first process.
//!
//! The kernel is unmodified. Its initial file system is built here: the bench, linked statically, and the modules that
//! make an interrupt of the parallel port reach a program.
use super::debian::{self, Newest};
use super::kernel::{Kernel, modules_below};
use super::{BadGuest, GuestMachine, Kind, Names, bzimage, existing, head, unpack};
use crate::cpio::Archive;
use crate::machine::X86_PC;
use crate::scenario::Scenario;
use device::carried;
use scope::symbols::Symbols;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use wire::connector;

/// Unpacked once: every trial of a search prepares its guest anew.
static INIT: LazyLock<Vec<u8>> =
    LazyLock::new(|| carried::unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/linux/init.gz"))));

/// What `nm` says of it: a line a symbol, `address type name`.
static INIT_NAMES: LazyLock<Vec<u8>> =
    LazyLock::new(|| carried::unpacked(include_bytes!(concat!(env!("OUT_DIR"), "/linux/init.names.gz"))));

/// The functions of the bench, which is the only program of these guests.
pub(super) fn program_names() -> Symbols {
    let defined = |line: &&str| !line.starts_with(' ');
    let lines: String =
        String::from_utf8_lossy(&INIT_NAMES).lines().filter(defined).map(|line| format!("{line}\n")).collect();
    Symbols::from_map(&lines).unwrap_or_default()
}

/// Debian's kernels take about 9.2 of these to the arming of the port.
const BOOT_INSTRUCTIONS: u64 = 60_000_000_000;

/// Fixed addresses for the sweep's symbols; a panic ends the run; where the port is, for a kernel with built-in drivers.
fn command_line(boot: &str) -> String {
    let connector::Port { io, irq, .. } = connector::A;
    let own = format!("console=ttyS0 quiet nokaslr panic=-1 oops=panic parport_pc.io={io:#x} parport_pc.irq={irq}");
    if boot.is_empty() { own } else { format!("{own} {boot}") }
}

/// Its line of the table.
pub const KIND: Kind = Kind {
    name: "linux",
    wants: "stock[-SERIES]|rt[-SERIES]|PATH",
    answers: &["ist", "app"],
    machines: &[&X86_PC],
    prepare,
};

/// The kernel called `which`, with the bench; the scenario's loads become the bench's word for them.
fn prepare(which: &str, scenario: &Scenario, folder: &Path) -> Result<GuestMachine, BadGuest> {
    let words = format!("bench-load={} {}", scenario.load, scenario.options);
    machine(which, scenario, folder, words.trim_end(), |_| {})
}

/// The kernel called `which`, with the bench, which is told `words`, and what else is put into its file system.
pub(super) fn machine(
    which: &str,
    scenario: &Scenario,
    folder: &Path,
    words: &str,
    add: impl FnOnce(&mut Archive),
) -> Result<GuestMachine, BadGuest> {
    let kernel = match Newest::named(which) {
        Some(newest) => debian::kernel(&newest)?,
        None => own_kernel(existing(&scenario.guest, which)?),
    };
    let start = head(&kernel.image, bzimage::HEAD_BYTES)?;
    if !bzimage::is_image(&start) {
        return Err(BadGuest::name(&scenario.guest, "no Linux kernel image: want a bzImage"));
    }
    Ok(GuestMachine {
        initrd: Some(unpack(folder, "initrd.cpio", &file_system(&kernel, add)?)?),
        kernel: kernel.image,
        command_line: format!("{} -- {words}", command_line(&scenario.boot)),
        memory_mib: 256,
        boot_instructions: BOOT_INSTRUCTIONS,
        description: described(kernel.description, bzimage::version(&start)),
        names: Names::Channel,
        tick_instructions: kernel.tick_instructions,
    })
}

/// `Debian's Linux 6.1.0-56-rt-amd64, PREEMPT_RT`: two kernels of one release are told apart by how they preempt.
fn described(whose: String, version: Option<String>) -> String {
    version.map_or(whose.clone(), |version| format!("{whose} {version}"))
}

fn file_system(kernel: &Kernel, add: impl FnOnce(&mut Archive)) -> Result<Vec<u8>, BadGuest> {
    let mut archive = Archive::default();
    for folder in ["dev", "proc", "sys", "modules"] {
        archive.directory(folder);
    }
    archive.device("dev/console", 5, 1);
    archive.program("init", &INIT);
    for (index, path) in kernel.modules.iter().enumerate() {
        let contents = std::fs::read(path).map_err(|source| BadGuest::File { path: path.clone(), source })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        archive.file(&format!("modules/{index}-{name}"), &contents);
    }
    add(&mut archive);
    Ok(archive.finish())
}

/// A kernel of the user's: an installed one (`/boot/vmlinuz-RELEASE`) or one in its build tree.
fn own_kernel(image: PathBuf) -> Kernel {
    let description = format!("{}: Linux", image.display());
    let modules = drivers_of(&image).and_then(|drivers| modules_below(&drivers)).unwrap_or_default();
    Kernel { image, modules, description, tick_instructions: None }
}

fn drivers_of(image: &Path) -> Option<PathBuf> {
    let release = image.file_name()?.to_str()?.strip_prefix("vmlinuz-");
    match release {
        Some(release) => Some(Path::new("/lib/modules").join(release).join("kernel/drivers")),
        None => image.ancestors().nth(4).map(|tree| tree.join("drivers")), // arch/x86/boot/bzImage
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::MODULES;
    use super::*;

    #[test]
    fn the_modules_of_a_build_tree_are_found_beside_its_image() {
        let tree = tempfile::tempdir().unwrap();
        for file in MODULES.map(|module| format!("drivers/{module}")).iter().chain([&"arch/x86/boot/bzImage".into()]) {
            let path = tree.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let kernel = own_kernel(tree.path().join("arch/x86/boot/bzImage"));
        assert_eq!(kernel.modules, MODULES.map(|module| tree.path().join("drivers").join(module)));
        std::fs::remove_file(tree.path().join("drivers/char/ppdev.ko")).unwrap();
        assert!(own_kernel(tree.path().join("arch/x86/boot/bzImage")).modules.is_empty());
    }
}
