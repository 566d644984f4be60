// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes the page and the pictures of a run, and the page of several runs, into folders.
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

/// Adds the run itself, to which the page links.
///
/// # Errors
/// The run cannot be written as JSON.
pub fn with_run(mut files: Vec<(String, Vec<u8>)>, run: &Run) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    files.push((backwall_store::RUN_FILE.to_string(), backwall_store::json(run)?.into_bytes()));
    Ok(files)
}

/// Writes the page of each run into a numbered folder, and the page of all.
///
/// # Errors
/// The folder cannot be written.
pub fn all(folder: &RunFolder, stored: &[StoredRun], told: &[RunEntry], png: bool) -> anyhow::Result<PathBuf> {
    for (one, number) in stored.iter().zip(1..) {
        let files = with_run(files(&one.run, png), &one.run)?;
        write(&folder.path().join(format!("{number}")), &files)?;
    }
    folder.write(page::FILE, together::page(None, told).as_bytes())?;
    Ok(folder.path().to_path_buf())
}

/// Writes the files. Follows no symbolic link in the folder, because somebody else may own it.
///
/// # Errors
/// The files cannot be written.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> anyhow::Result<()> {
    let failed = |place: &Path, error| unable(format!("{}: {error}", place.display()));
    let made = if folder.as_os_str().is_empty() { Ok(()) } else { std::fs::create_dir_all(folder) };
    let open = made.and_then(|()| Folder::open(folder)).map_err(|error| failed(folder, error))?;
    files
        .iter()
        .try_for_each(|(name, bytes)| open.write(name, bytes).map_err(|error| failed(&folder.join(name), error)))
}
