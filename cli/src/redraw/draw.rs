// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a run and its pictures, and the page of several, into folders.
use crate::exit::unable;
use crate::redraw::stored::StoredRun;
use backwall_model::Run;
use backwall_os::folder::Folder;
use backwall_report::run_entry::RunEntry;
use backwall_report::{page, picture, together};
use backwall_store::RunFolder;
use std::path::{Path, PathBuf};

pub fn files(run: &Run, png: bool) -> Vec<(String, Vec<u8>)> {
    let mut files = if png { picture::files(run) } else { Vec::new() };
    files.push((page::FILE.to_string(), page::page(run).into_bytes()));
    files
}

/// With the run itself, to which the page leads.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn with_run(mut files: Vec<(String, Vec<u8>)>, run: &Run) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    files.push((backwall_store::RUN_FILE.to_string(), backwall_store::json(run)?.into_bytes()));
    Ok(files)
}

/// Each page in a folder of its number, and the page of all.
///
/// # Errors
/// When the folder cannot be written.
pub fn all(folder: &RunFolder, stored: &[StoredRun], told: &[RunEntry], png: bool) -> anyhow::Result<PathBuf> {
    for (one, number) in stored.iter().zip(1..) {
        let files = with_run(files(&one.run, png), &one.run)?;
        write(&folder.path().join(format!("{number}")), &files)?;
    }
    folder.write(page::FILE, together::page(None, told).as_bytes())?;
    Ok(folder.path().to_path_buf())
}

/// Whose folder it is may be somebody else: a link planted there leads nowhere.
///
/// # Errors
/// When it cannot be written.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    let failed = |place: &Path, error| unable(format!("{}: {error}", place.display()));
    let made = if folder.as_os_str().is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    let open = made.and_then(|()| Folder::open(folder)).map_err(|error| failed(folder, error))?;
    files
        .iter()
        .try_for_each(|(name, bytes)| open.write(name, bytes).map_err(|error| failed(&folder.join(name), error)))
}
