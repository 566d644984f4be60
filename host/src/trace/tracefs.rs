// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the kernel's trace files are.
//!
//! A mounted tracefs is used. Where none is mounted, one is mounted for this
//! process alone: it appears at no path, and ends with the process.
use super::TraceError;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// An entry to tracefs.
#[derive(Debug)]
pub struct Tracefs {
    root: PathBuf,
    _private_mount: Option<OwnedFd>,
}

impl Tracefs {
    /// The mounted tracefs, or one of our own.
    pub fn open() -> Result<Self, TraceError> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        match mounted(&mounts) {
            Some(root) => Ok(Self { root, _private_mount: None }),
            None => Self::private(),
        }
    }

    fn private() -> Result<Self, TraceError> {
        let refused = |error: std::io::Error| TraceError::NoTracefs { reason: error.to_string() };
        let mount = mount_privately().map_err(refused)?;
        let root = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        Ok(Self { root, _private_mount: Some(mount) })
    }

    /// Its top folder, valid in this process for as long as `self` lives.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// The first tracefs in the text of `/proc/self/mounts`.
fn mounted(mounts: &str) -> Option<PathBuf> {
    let mut rows = mounts.lines().map(|row| row.split(' '));
    rows.find_map(|mut columns| {
        let place = columns.nth(1)?;
        // A blank in a path is written as an octal escape; such a mount point is passed over.
        (columns.next() == Some("tracefs") && !place.contains('\\')).then(|| PathBuf::from(place))
    })
}

/// `fsopen`, `fsconfig(CREATE)`, `fsmount`: since Linux 5.2.
fn mount_privately() -> std::io::Result<OwnedFd> {
    const FSOPEN_CLOEXEC: libc::c_uint = 1;
    const FSCONFIG_CMD_CREATE: libc::c_uint = 6;
    const FSMOUNT_CLOEXEC: libc::c_uint = 1;
    let no_text = std::ptr::null::<libc::c_char>();
    // SAFETY: the name is a terminated string; the call returns a new descriptor or -1.
    let context = unsafe { descriptor(libc::syscall(libc::SYS_fsopen, c"tracefs".as_ptr(), FSOPEN_CLOEXEC)) }?;
    // SAFETY: this command takes neither key nor value, both may be null.
    let created =
        unsafe { libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), FSCONFIG_CMD_CREATE, no_text, no_text, 0) };
    if created < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: plain numbers; the call returns a new descriptor or -1.
    unsafe { descriptor(libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), FSMOUNT_CLOEXEC, 0)) }
}

/// # Safety
/// `result` is that of a system call which returns a descriptor that nobody else owns, or a negative number.
unsafe fn descriptor(result: libc::c_long) -> std::io::Result<OwnedFd> {
    if result < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { OwnedFd::from_raw_fd(result as i32) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mounted_tracefs_is_found_by_its_type() {
        let mounts = "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw,nosuid 0 0\n";
        assert_eq!(mounted(mounts), Some("/sys/kernel/tracing".into()));
        assert_eq!(mounted("tracefs /tracefs proc rw 0 0\n"), None);
        assert_eq!(mounted("none /a\\040b tracefs rw 0 0\n"), None);
    }
}
