// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders that disappear with their owner and that no other user can enter, whatever the umask is. They may contain code of a
//! program, or a socket that controls one.
#![cfg_attr(test, expect(clippy::disallowed_types, reason = "its tests start programs"))]
use std::fs::Permissions;
use std::io::Result;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::{Builder, TempDir};

const OURS_ALONE: u32 = 0o700;

pub fn folder(prefix: &str, top: &Path) -> Result<TempDir> {
    Builder::new().prefix(prefix).permissions(Permissions::from_mode(OURS_ALONE)).tempdir_in(top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    const AS_NONE: &str = "BACKWALL_TEST_WITHOUT_UMASK";

    // The umask applies to the whole process, which other tests share, so this test sets it in a separate process.
    #[test]
    #[allow(clippy::disallowed_methods, reason = "the test finds out which of its two processes it is")]
    fn nobody_else_enters_it_whatever_the_umask_says() {
        if std::env::var_os(AS_NONE).is_none() {
            let name = "temporary::tests::nobody_else_enters_it_whatever_the_umask_says";
            let mut own = std::process::Command::new(std::env::current_exe().unwrap());
            assert!(own.args(["--exact", name]).env(AS_NONE, "").status().unwrap().success());
            return;
        }
        rustix::process::umask(rustix::fs::Mode::empty());
        let folder = folder("x-", &std::env::temp_dir()).unwrap();
        assert_eq!(folder.path().metadata().unwrap().mode() & 0o7777, OURS_ALONE);
    }
}
