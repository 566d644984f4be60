// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mounts a file system of the kernel for this process alone. It has no path and ends with the process.
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct PrivateMount(OwnedFd);

impl PrivateMount {
    /// Mounts `tracefs`, `debugfs` …. The process needs the right to mount, and Linux 5.2.
    pub fn of(kind: &str) -> std::io::Result<Self> {
        Self::with(kind, &[])
    }

    pub fn from_device(kind: &str, device: &Path, options: &[(&str, &str)]) -> std::io::Result<Self> {
        let device = device.to_string_lossy();
        let all: Vec<(&str, &str)> = std::iter::once(("source", &*device)).chain(options.iter().copied()).collect();
        Self::with(kind, &all)
    }

    fn with(kind: &str, options: &[(&str, &str)]) -> std::io::Result<Self> {
        let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
        options.iter().try_for_each(|(name, value)| fsconfig_set_string(context.as_fd(), *name, *value))?;
        fsconfig_create(context.as_fd())?;
        Ok(Self(fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?))
    }

    pub fn root(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}
