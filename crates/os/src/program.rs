// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the file of a command as a shell does.
#![expect(clippy::disallowed_methods, reason = "reads and writes files")]
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    #[error("no such program")]
    Missing,
    /// The name belongs to a folder, or this user may not execute the file.
    #[error("not executable")]
    Forbidden,
}

/// The file of a program. A word with a slash is its path; any other word is searched in these folders, as in `PATH`.
///
/// # Errors
/// [`NoProgram`].
pub fn find(word: &OsStr, folders: &OsStr) -> Result<PathBuf, NoProgram> {
    if word.as_encoded_bytes().contains(&b'/') {
        return executable(Path::new(word));
    }
    let all = std::env::split_paths(folders).filter(|_| !word.is_empty()).map(|folder| executable(&folder.join(word)));
    let mut first = Err(NoProgram::Missing);
    for found in all {
        match found {
            Ok(_) => return found,
            Err(NoProgram::Forbidden) => first = found,
            Err(NoProgram::Missing) => {}
        }
    }
    first
}

fn executable(file: &Path) -> Result<PathBuf, NoProgram> {
    let what = std::fs::metadata(file).map_err(|_| NoProgram::Missing)?;
    let may = what.is_file() && access(file, Access::EXEC_OK).is_ok();
    if may { Ok(file.to_path_buf()) } else { Err(NoProgram::Forbidden) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_path_and_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let find = |word: &OsStr| find(word, OsStr::new("/no/such/folder:/usr/bin:/bin"));
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        assert_eq!(find(OsStr::new("/bin/sh")), Ok(PathBuf::from("/bin/sh")));
        assert!(find(OsStr::new("sh")).is_ok_and(|file| file.ends_with("sh")));
        for (word, why) in [
            (OsStr::new(""), NoProgram::Missing),
            (OsStr::new("no-such-program-of-ours"), NoProgram::Missing),
            (OsStr::new("/no/such/program"), NoProgram::Missing),
            (folder.path().as_os_str(), NoProgram::Forbidden),
            (plain.as_os_str(), NoProgram::Forbidden),
        ] {
            assert_eq!(find(word), Err(why), "{word:?}");
        }
    }
}
