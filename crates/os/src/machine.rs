// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine as files below a root, which tests can choose: `/proc`, `/sys`, `/dev`, `/boot`.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads and writes files")]
use crate::private_mount::PrivateMount;
use std::fs::File;
use std::io::{Read, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum bytes to read of a file. No setting is longer; the rest is ignored.
const MOST_BYTES: u64 = 4 << 20;

pub const DEBUGFS: &str = "/sys/kernel/debug";

pub const RELEASE: &str = "/proc/sys/kernel/osrelease";
const FAIR_SERVER_SINCE: (u32, u32) = (6, 12);

/// The version in a kernel release: `6.18.44-x` gives (6, 18).
pub fn major_and_minor(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The files of a machine. Paths begin with `/`.
#[derive(Clone, Debug)]
pub struct MachineFiles {
    root: PathBuf,
    elsewhere: Option<(&'static str, PathBuf)>,
    debugfs: Option<Arc<PrivateMount>>,
}

impl MachineFiles {
    pub fn this() -> Self {
        Self::under(Path::new("/"))
    }

    /// Like [`Self::this`], but with [`DEBUGFS`]. If debugfs is missing and this process may mount it, it is mounted for this
    /// process alone.
    pub fn this_with_debugfs() -> Self {
        let files = Self::this();
        let mounted = files.has(&format!("{DEBUGFS}/sched"));
        let private = if mounted { None } else { PrivateMount::of("debugfs").ok() };
        let Some(debugfs) = private else { return files };
        let files = files.with(DEBUGFS, &debugfs.root());
        Self { debugfs: Some(Arc::new(debugfs)), ..files }
    }

    pub fn debugfs_is_private(&self) -> bool {
        self.debugfs.is_some()
    }

    /// Kernel release as (major, minor); `None` if unreadable.
    pub fn kernel(&self) -> Option<(u32, u32)> {
        major_and_minor(&self.read(RELEASE).ok()?)
    }

    /// Whether the kernel has the fair server instead of real-time throttling. Only files in debugfs can set the fair server.
    /// Some distributions have the fair server in older kernels, so its file is more reliable than the kernel's version.
    pub fn has_fair_server(&self) -> bool {
        self.has(&format!("{DEBUGFS}/sched/fair_server"))
            || self.kernel().is_some_and(|kernel| kernel >= FAIR_SERVER_SINCE)
    }

    pub fn under(root: &Path) -> Self {
        Self { root: root.to_path_buf(), elsewhere: None, debugfs: None }
    }

    pub fn with(self, folder: &'static str, seen_at: &Path) -> Self {
        Self { elsewhere: Some((folder, seen_at.to_path_buf())), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether this is the real machine of this process, not files made for a test. Only on the real machine do threads move and
    /// time pass.
    pub fn is_this(&self) -> bool {
        self.root == Path::new("/")
    }

    pub fn place(&self, path: &str) -> PathBuf {
        let elsewhere = self.elsewhere.as_ref().and_then(|(folder, at)| Some((at, path.strip_prefix(folder)?)));
        let (root, rest) = elsewhere.unwrap_or((&self.root, path));
        root.join(rest.trim_start_matches('/'))
    }

    /// The first bytes of a file. The limit is needed because a device may never end.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn bytes_at_most(&self, path: &str, most: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.place(path))?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.bytes_at_most(path, MOST_BYTES)
    }

    pub fn read(&self, path: &str) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(path)?).trim().to_string())
    }

    /// Names in a folder, sorted; none if unreadable.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.place(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn has(&self, path: &str) -> bool {
        self.place(path).exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_begins_with_two_numbers() {
        let cases = ["6.18.44-x", "5.10", "6", "", "x6.1", "99999999999.1"].map(major_and_minor);
        assert_eq!(cases, [Some((6, 18)), Some((5, 10)), None, None, None, None]);
    }

    #[test]
    fn a_folder_that_is_seen_elsewhere_is_read_there_and_all_else_below_the_root() {
        let (top, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(top.path().join("sys/kernel/debug")).unwrap();
        std::fs::write(top.path().join("sys/one"), " 1\n").unwrap();
        std::fs::write(other.path().join("two"), "2").unwrap();
        let files = MachineFiles::under(top.path()).with("/sys/kernel/debug", other.path());
        assert_eq!(
            (files.read("/sys/one").unwrap(), files.read("/sys/kernel/debug/two").unwrap()),
            ("1".into(), "2".into())
        );
        assert_eq!(files.names("/sys"), ["kernel", "one"]);
        assert!(files.has("/sys/kernel/debug/two") && !files.has("/sys/kernel/two") && !files.is_this());
        assert_eq!(files.bytes_at_most("/sys/one", 2).unwrap(), b" 1");
    }
}
