// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots the guest and listens to its console.
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far beyond what a loaded machine needs.
const LIMIT: Duration = Duration::from_secs(1_800);
/// Two of four processors are isolated, and a reboot ends the emulator.
const OPTIONS: &str = "console=ttyS0 quiet isolcpus=2,3 panic=-1 rdinit=/init";

/// All that the guest said until its end. `traced`: with the cases about the trace, too.
///
/// With a thread for each processor some emulators let one run into code that another is patching, and the kernel dies of
/// that, or all its processors stand still, the idle ones too; then one thread emulates all. Counting instructions instead of time would make the guest independent of this
/// machine, but with it QEMU 7.2 does not get several processors through the kernel's start.
pub fn boot(kernel: &Path, image: &[u8], traced: bool) -> String {
    let said = boot_on("tcg,thread=multi", kernel, image, traced);
    if !said.contains("Oops: int3") && !stands_still(&said) {
        return said;
    }
    println!("guest: {}: once more with one thread for all processors", kernel.display());
    boot_on("tcg,thread=single", kernel, image, traced)
}

/// What follows two dashes is for the first process.
fn boot_on(accelerator: &str, kernel: &Path, image: &[u8], traced: bool) -> String {
    let options = format!("{OPTIONS}{}", if traced { " -- traced" } else { "" });
    let mut disk = tempfile::NamedTempFile::new().unwrap();
    disk.write_all(image).unwrap();
    let console = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("qemu-system-x86_64");
    command.args(["-accel", accelerator, "-smp", "4", "-m", "1536", "-nodefaults", "-display", "none"]);
    command
        .args(["-no-reboot", "-cpu", "max", "-append", &options, "-kernel"])
        .arg(kernel)
        .arg("-initrd")
        .arg(disk.path());
    command.arg("-serial").arg(format!("file:{}", console.path().display()));
    let mut emulator = command.stdin(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while emulator.try_wait().unwrap().is_none() {
        if stands_still(&said(console.path())) {
            emulator.kill().unwrap();
        }
        if begun.elapsed() > LIMIT {
            emulator.kill().unwrap();
            emulator.wait().unwrap();
            panic!("{}: no end after {LIMIT:?}: {}", kernel.display(), said(console.path()));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    said(console.path())
}

/// An idle thread that the kernel's watchdog finds on its processor for tens of seconds is held up by the emulator: whatever
/// thread wants the processor takes it from that one.
fn stands_still(said: &str) -> bool {
    said.lines().any(|line| line.contains("soft lockup - CPU") && line.contains("[swapper/"))
}

fn said(console: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(console).unwrap()).replace('\r', "")
}
