// SPDX-License-Identifier: MIT OR Apache-2.0
//! Folders that are written below another name than the one they will have, so that they come whole or not at all.
use std::fs;
use std::io::Result;
use std::path::Path;

/// Takes away what processes have left in a folder that died while they wrote. Only who made a thing knows whether it `is_left`: by
/// its own lock where the disk is this machine's, by the lock of what is made where many machines share it, whose folders cannot be
/// locked.
///
/// # Errors
/// Where the folder cannot be read.
pub fn sweep(parts: &Path, is_left: impl Fn(&Path) -> bool) -> Result<()> {
    for entry in fs::read_dir(parts)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && is_left(&entry.path()) {
            // Whoever sweeps at the same time may have been first.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_are_left_are_taken_away() {
        let top = tempfile::tempdir().unwrap();
        ["left-1", "held-1"].iter().for_each(|name| fs::create_dir(top.path().join(name)).unwrap());
        fs::write(top.path().join("left-2"), "no folder").unwrap();
        sweep(top.path(), |part| part.file_name().unwrap().to_string_lossy().starts_with("left")).unwrap();
        assert_eq!(["left-1", "held-1", "left-2"].map(|name| top.path().join(name).exists()), [false, true, true]);
    }
}
