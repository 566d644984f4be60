// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the kernel's trace files are.
//!
//! backwall uses a mounted tracefs. If there is none, it mounts one for this process alone, which has no path and ends with the
//! process.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use super::TraceError;
use backwall_os::private_mount::PrivateMount;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Tracefs {
    root: PathBuf,
    _private_mount: Option<PrivateMount>,
}

impl Tracefs {
    pub fn open() -> Result<Self, TraceError> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        match mounted(&mounts) {
            Some(root) => Ok(Self { root, _private_mount: None }),
            None => Self::private(),
        }
    }

    fn private() -> Result<Self, TraceError> {
        let refused = |error: std::io::Error| TraceError::NoTracefs { reason: error.to_string() };
        let mount = PrivateMount::of("tracefs").map_err(refused)?;
        Ok(Self { root: mount.root(), _private_mount: Some(mount) })
    }

    /// The top folder of tracefs, which this process can use while `self` exists.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

fn mounted(mounts: &str) -> Option<PathBuf> {
    let mut rows = mounts.lines().map(|row| row.split(' '));
    rows.find_map(|mut columns| {
        let place = columns.nth(1)?;
        // The file writes a blank in a path as an octal escape. A mount point with a blank is skipped.
        (columns.next() == Some("tracefs") && !place.contains('\\')).then(|| PathBuf::from(place))
    })
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
