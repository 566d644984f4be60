// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots the guest and reads its console.
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1_800);
// Two of four processors are isolated, and a reboot ends the emulator.
const OPTIONS: &str = "console=ttyS0 quiet isolcpus=2,3 panic=-1 rdinit=/init";

// Boots the guest and returns everything that it printed until its end. With `traced`, the guest also runs the cases
// about traces. The kernel passes the options after two dashes to the first process.
//
// One thread emulates all CPUs. With a thread for each CPU, QEMU 7.2 lets one CPU run into code that another is
// patching, for example when a tracepoint is enabled: the kernel dies (`Oops: int3`), or all CPUs hit the breakpoint in
// their timer's interrupt for ever, without output. Counting instructions instead of time would make the guest
// independent of this machine, but when it counts, QEMU 7.2 does not get several CPUs through the kernel's start.
pub fn boot(kernel: &Path, image: &[u8], traced: bool) -> String {
    let options = format!("{OPTIONS}{}", if traced { " -- traced" } else { "" });
    let mut disk = tempfile::NamedTempFile::new().unwrap();
    disk.write_all(image).unwrap();
    let console = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("qemu-system-x86_64");
    command.args(["-accel", "tcg,thread=single", "-smp", "4", "-m", "1536", "-nodefaults", "-display", "none"]);
    command
        .args(["-no-reboot", "-cpu", "max", "-append", &options, "-kernel"])
        .arg(kernel)
        .arg("-initrd")
        .arg(disk.path());
    command.arg("-serial").arg(format!("file:{}", console.path().display()));
    let mut emulator = command.stdin(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while emulator.try_wait().unwrap().is_none() {
        if begun.elapsed() > LIMIT {
            emulator.kill().unwrap();
            emulator.wait().unwrap();
            panic!("{}: no end after {LIMIT:?}: {}", kernel.display(), said(console.path()));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    said(console.path())
}

fn said(console: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(console).unwrap()).replace('\r', "")
}
