// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's cache: what can be had again, at a price.
use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;

/// `backwall/NAME` below `XDG_CACHE_HOME` or `~/.cache`; it need not exist.
///
/// # Errors
/// When neither is set, or when there is no folder at `HOME`: a home is made by whoever makes the user, not by us.
pub fn folder(name: &str) -> Result<PathBuf> {
    let base = base(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))?;
    Ok(base.join("backwall").join(name))
}

fn base(set: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf> {
    let missing = |why: String| Error::new(ErrorKind::NotFound, format!("no folder for a cache: {why}"));
    match (set("XDG_CACHE_HOME"), set("HOME")) {
        (Some(cache), _) => Ok(cache),
        (None, Some(home)) if home.is_dir() => Ok(home.join(".cache")),
        (None, Some(home)) => {
            Err(missing(format!("HOME is {}, which is not there; set XDG_CACHE_HOME", home.display())))
        }
        (None, None) => Err(missing("set XDG_CACHE_HOME or HOME".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
