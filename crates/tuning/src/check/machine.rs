// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine whose settings are read, and the counters that grew since the first read.
#![expect(clippy::disallowed_methods, reason = "reads the clock, sleeps")]
use backwall_os::container::Container;
use backwall_os::machine::{DEBUGFS, MachineFiles, RELEASE, major_and_minor};
use backwall_os::smi;
use rustix::io::Errno;
use std::fmt;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct Machine {
    files: MachineFiles,
    before: Before,
    pub cpu: u32,
}

#[derive(Debug)]
pub(super) struct Before {
    at: Instant,
    pub(super) interrupts: Result<String, Unread>,
    pub(super) smi: Result<u64, Unread>,
}

pub(super) const INTERRUPTS: &str = "/proc/interrupts";
const WINDOW: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(super) struct Unread {
    path: String,
    reason: String,
    remedy: &'static str,
}

impl Unread {
    /// How to make the file readable; empty if unknown.
    pub(super) fn remedy(&self) -> &'static str {
        self.remedy
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

impl Machine {
    pub fn this(cpu: u32) -> Self {
        let machine = Self::under(Path::new("/"), cpu);
        Self { files: MachineFiles::this_with_debugfs(), ..machine }
    }

    pub fn under(root: &Path, cpu: u32) -> Self {
        let unseen = || Unread { path: String::new(), reason: String::new(), remedy: "" };
        let before = Before { at: Instant::now(), interrupts: Err(unseen()), smi: Err(unseen()) };
        let machine = Self { files: MachineFiles::under(root), before, cpu };
        let (interrupts, smi) = (machine.read(INTERRUPTS), machine.smi(&machine.msr()));
        let before = Before { at: Instant::now(), interrupts, smi };
        Self { before, ..machine }
    }

    pub(super) fn before(&self) -> &Before {
        &self.before
    }

    /// The path for a second read some time later. A machine of files has its later state below `later/`.
    fn later(&self, path: &str) -> String {
        if self.is_this() {
            std::thread::sleep(WINDOW.saturating_sub(self.before.at.elapsed()));
        }
        let later = format!("/later{path}");
        if !self.is_this() && self.has(&later) { later } else { path.to_string() }
    }

    /// `/proc/interrupts`, read again some time later.
    pub(super) fn interrupts_later(&self) -> Result<String, Unread> {
        self.read(&self.later(INTERRUPTS))
    }

    /// The count of system management interrupts, read again some time later.
    pub(super) fn smi_later(&self) -> Result<u64, Unread> {
        self.smi(&self.later(&self.msr()))
    }

    pub(super) fn msr(&self) -> String {
        smi::registers(self.cpu)
    }

    fn smi(&self, path: &str) -> Result<u64, Unread> {
        smi::count(&self.place(path)).map_err(|error| unread(path, &error))
    }

    pub(super) fn container(&self) -> Option<Container> {
        Container::under(self.root())
    }

    pub(super) fn read(&self, path: &str) -> Result<String, Unread> {
        self.files.read(path).map_err(|error| unread(path, &error))
    }

    pub(super) fn bytes(&self, path: &str) -> Result<Vec<u8>, Unread> {
        self.files.bytes(path).map_err(|error| unread(path, &error))
    }

    /// The first bytes of a file. The limit is needed because a device may return bytes forever.
    pub(super) fn bytes_at_most(&self, path: &str, most: u64) -> Result<Vec<u8>, Unread> {
        self.files.bytes_at_most(path, most).map_err(|error| unread(path, &error))
    }

    pub(super) fn number(&self, path: &str) -> Result<i64, Unread> {
        let text = self.read(path)?;
        text.parse().map_err(|_| self.strange(path, &text))
    }

    pub(super) fn strange(&self, path: &str, text: &str) -> Unread {
        let start: String = text.chars().take(40).collect();
        Unread { path: path.to_string(), reason: format!("unknown value {start:?}"), remedy: "" }
    }

    pub(super) fn kernel(&self) -> Result<(u32, u32), Unread> {
        let text = self.read(RELEASE)?;
        major_and_minor(&text).ok_or_else(|| self.strange(RELEASE, &text))
    }
}

/// The files themselves. A read through `Machine` also says how to fix its error.
impl Deref for Machine {
    type Target = MachineFiles;

    fn deref(&self) -> &MachineFiles {
        &self.files
    }
}

fn unread(path: &str, error: &std::io::Error) -> Unread {
    let below_debugfs = path.starts_with(DEBUGFS);
    let (reason, remedy) = match (error.kind(), error.raw_os_error()) {
        (ErrorKind::NotFound, _) if below_debugfs => {
            ("no such file", "as root: mount -t debugfs none /sys/kernel/debug")
        }
        (ErrorKind::NotFound, _) => ("no such file", ""),
        // Unlike a missing right (EACCES), EPERM does not go away for root.
        (_, Some(code)) if code == Errno::PERM.raw_os_error() => {
            ("refused: this kernel is locked down", "boot with lockdown=none to read or change it")
        }
        (ErrorKind::PermissionDenied, _) => ("not permitted", "run as root to read it"),
        _ => return Unread { path: path.to_string(), reason: error.to_string(), remedy: "" },
    };
    Unread { path: path.to_string(), reason: reason.to_string(), remedy }
}
