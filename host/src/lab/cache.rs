// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's cache: what can be had again, at a price.
use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;

/// `backwall/NAME` below `XDG_CACHE_HOME` or `~/.cache`; it need not exist.
pub fn folder(name: &str) -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let base =
        base.ok_or_else(|| Error::new(ErrorKind::NotFound, "no folder for a cache: set XDG_CACHE_HOME or HOME"))?;
    Ok(base.join("backwall").join(name))
}
