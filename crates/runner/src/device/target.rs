// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine that a probe measures: this one, or one reached through a program.
#![expect(clippy::disallowed_types, reason = "reads and writes files, starts programs")]
use crate::device::carried::unpacked;
use crate::device::rights;
use backwall_os::refusal::{Result, unable};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/probe/probe.gz"));

/// The measured machine. A program on it takes arguments and standard input from backwall and returns its results on standard
/// output.
#[derive(Debug)]
pub enum Device {
    Here(File),
    /// Another machine: this program starts a probe there with the given arguments and forwards its output.
    Behind(PathBuf),
}

impl Device {
    pub fn here() -> Result<Self> {
        let refused = |error: std::io::Error| {
            // The sysctl helps only if the kernel refused to execute a file in memory.
            let mend = match Errno::from_io_error(&error) {
                Some(Errno::ACCESS | Errno::PERM) => "allow it with: sysctl vm.memfd_noexec=0",
                Some(Errno::FBIG) => "raise the file size limit (ulimit -f), which applies to memory files too",
                _ => "raise the limits of open files and memory (ulimit -n, ulimit -v)",
            };
            unable(format!("cannot put the probe into memory: {error}; {mend}"))
        };
        let mut memory = executable_memory().map_err(refused)?;
        memory.write_all(&carried()).map_err(refused)?;
        Ok(Self::Here(memory))
    }

    /// Whether the measured threads run on this machine, so that backwall can check their CPUs and who else uses them.
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Here(_))
    }

    /// Whether the probe and this machine's kernel trace use the same clock; `false` if unknown.
    pub fn has_the_clock_of_the_trace(&self) -> bool {
        self.is_here()
    }

    /// The command that starts the probe on this device, in its own process group. Only the carried probe inherits backwall's
    /// capabilities, because the user could name any program.
    pub fn command(&self, words: &[String]) -> Command {
        let mut command = match self {
            Self::Here(memory) => Command::new(format!("/proc/self/fd/{}", memory.as_raw_fd())),
            Self::Behind(program) => Command::new(program),
        };
        command.arg0("backwall-probe").args(words).process_group(0);
        if self.is_here() {
            rights::hand_on_to(&mut command);
        }
        command
    }

    pub fn program(&self) -> &Path {
        match self {
            Self::Here(_) => Path::new("embedded in backwall"),
            Self::Behind(program) => program,
        }
    }
}

/// The carried program as bytes. It is static, so it runs on any Linux of this architecture.
pub fn carried() -> Vec<u8> {
    unpacked(PACKED)
}

/// An executable file in memory. Kernels before 6.3 do not know the flag `EXEC` and do not need it.
fn executable_memory() -> std::io::Result<File> {
    let name = c"backwall-probe";
    let made = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::EXEC);
    let made = made.or_else(|_| memfd_create(name, MemfdFlags::CLOEXEC));
    made.map(File::from).map_err(Into::into)
}
