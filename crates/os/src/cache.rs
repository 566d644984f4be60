// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's cache folder, for data that can be recreated.
#![expect(clippy::disallowed_methods, reason = "reads and writes files, reads the environment")]
use crate::folder::Folder;
use rustix::fs::Mode;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

const OTHERS_WRITE: Mode = Mode::from_raw_mode(0o022);

/// `backwall/NAME` below `XDG_CACHE_HOME` or `~/.cache`. The folder may not exist yet.
///
/// # Errors
/// If neither is set, or the folder `HOME` does not exist; backwall does not create that folder.
pub fn folder(name: &str) -> Result<PathBuf> {
    let base = base(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))?;
    Ok(base.join("backwall").join(name))
}

/// Like [`folder`], but creates the folder if it is missing. No other user may be able to write there, because backwall runs
/// programs and kernels from it and removes old ones.
///
/// # Errors
/// The errors of [`folder`]. Also if the folder is a symbolic link or belongs to another user.
pub fn own_folder(name: &str) -> Result<PathBuf> {
    own(&folder(name)?)
}

fn own(folder: &Path) -> Result<PathBuf> {
    let (Some(home), Some(name)) = (folder.parent(), folder.file_name().and_then(|name| name.to_str())) else {
        return Err(Error::new(ErrorKind::InvalidInput, format!("{}: not a folder name", folder.display())));
    };
    std::fs::create_dir_all(home)?;
    let open = Folder::open(home)?.make(name)?;
    if !open.is_own() {
        let why = format!("{} belongs to another user; set XDG_CACHE_HOME", folder.display());
        return Err(Error::new(ErrorKind::PermissionDenied, why));
    }
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&open)?.st_mode) - OTHERS_WRITE;
    rustix::fs::fchmod(&open, mode)?;
    Ok(folder.to_path_buf())
}

fn base(set: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf> {
    let missing = |why: String| Error::new(ErrorKind::NotFound, format!("no folder for a cache: {why}"));
    match (set("XDG_CACHE_HOME"), set("HOME")) {
        (Some(cache), _) => Ok(cache),
        (None, Some(home)) if home.is_dir() => Ok(home.join(".cache")),
        (None, Some(home)) => {
            Err(missing(format!("HOME is {}, but that folder does not exist; set XDG_CACHE_HOME", home.display())))
        }
        (None, None) => Err(missing("set XDG_CACHE_HOME or HOME".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_could_have_put_there_is_not_taken() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
        let top = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| top.path().join(name));
        assert_eq!(own(&real).unwrap(), real);
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o777)).unwrap();
        own(&real).unwrap();
        assert_eq!(real.metadata().unwrap().mode() & 0o7777, 0o755);
        symlink("real", &link).unwrap();
        assert!(own(&link).unwrap_err().to_string().contains("is a symbolic link"));
        if chown(&real, Some(65_534), None).is_ok() {
            assert!(own(&real).unwrap_err().to_string().contains("belongs to another user"));
        }
    }

    #[test]
    fn a_home_that_is_not_there_has_no_cache_and_another_place_may_be_named() {
        let there = tempfile::tempdir().unwrap();
        let gone = there.path().join("gone");
        let found = |cache: Option<&str>, home: Option<PathBuf>| {
            base(|name| if name == "HOME" { home.clone() } else { cache.map(PathBuf::from) })
        };
        assert_eq!(found(None, Some(there.path().into())).unwrap(), there.path().join(".cache"));
        let refused = found(None, Some(gone.clone())).unwrap_err().to_string();
        assert!(refused.contains(gone.to_str().unwrap()) && refused.contains("set XDG_CACHE_HOME"), "{refused}");
        assert!(!gone.exists());
        assert_eq!(found(Some("/cache"), Some(gone)).unwrap(), PathBuf::from("/cache"));
        assert!(found(None, None).unwrap_err().to_string().contains("or HOME"));
    }
}
