// SPDX-License-Identifier: MIT OR Apache-2.0
//! Remembers the package that the lists named last, as a symbolic link with the time of the answer. Reading the lists takes a
//! second of CPU time, as long as a run of a guest from its saved state.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, reads the clock")]
use rustix::fs::{AtFlags, CWD, Timestamps, utimensat};
use std::fs;
use std::io::{ErrorKind, Result};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The remembered package, if its answer is newer than the last change of the lists.
pub(super) fn still(link: &Path, changed: Option<SystemTime>) -> Option<String> {
    let asked = fs::symlink_metadata(link).ok()?.modified().ok()?;
    let package = fs::read_link(link).ok()?.to_str()?.to_string();
    (changed? < asked).then_some(package)
}

pub(super) fn remember(package: &str, link: &Path, asked: SystemTime) -> Result<()> {
    match fs::remove_file(link) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => symlink(package, link)?,
    }
    let since = asked.duration_since(UNIX_EPOCH).unwrap_or_default();
    let at = rustix::fs::Timespec { tv_sec: since.as_secs() as i64, tv_nsec: since.subsec_nanos().into() };
    Ok(utimensat(CWD, link, &Timestamps { last_access: at, last_modification: at }, AtFlags::SYMLINK_NOFOLLOW)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_named_is_asked_again_where_the_lists_have_changed_since() {
        let folder = tempfile::tempdir().unwrap();
        let (link, asked) = (folder.path().join("newest-a"), SystemTime::now());
        let away = |seconds: u64| Duration::from_secs(seconds);
        assert_eq!(still(&link, Some(asked - away(9))), None, "nothing was named");
        for package in ["a-1", "a-2"] {
            remember(package, &link, asked).unwrap();
            assert_eq!(still(&link, Some(asked - away(1))).as_deref(), Some(package));
        }
        for changed in [Some(asked), Some(asked + away(1)), None] {
            assert_eq!(still(&link, changed), None);
        }
    }
}
