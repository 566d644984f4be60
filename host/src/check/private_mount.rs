// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file system of the kernel mounted for this process alone: it appears at no path and ends with the process.
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// The mount, for as long as it lives.
#[derive(Debug)]
pub(super) struct PrivateMount(OwnedFd);

impl PrivateMount {
    /// Mounts read-only; needs the right to mount, and Linux 5.2.
    pub(super) fn of(kind: &str) -> std::io::Result<Self> {
        let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&context)?;
        Ok(Self(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_RDONLY)?))
    }

    /// Its top folder, for this process.
    pub(super) fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}
