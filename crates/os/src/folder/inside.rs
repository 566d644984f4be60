// SPDX-License-Identifier: MIT OR Apache-2.0
//! Works on entries of an open folder through its handle. Symbolic links are not followed, and nothing outside is changed.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use super::Folder;
use crate::regular_file;
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::MetadataExt;

/// Maximum depth; backwall writes no folders that are nested this deeply.
const MOST_DEPTH: u32 = 64;
/// Everybody may read, and the group may write if the umask allows it.
const USUAL: Mode = Mode::from_raw_mode(0o775);

impl Folder {
    /// Opens a subfolder.
    ///
    /// # Errors
    /// If it does not exist or is not a folder; a symbolic link is refused too.
    pub fn inside(&self, name: &str) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => Ok(Self { handle: handle.into(), path: self.path.join(name) }),
            Err(error) => Err(self.explained(name, error)),
        }
    }

    /// Opens a subfolder and creates it if missing.
    ///
    /// # Errors
    /// The errors of [`Folder::inside`]. Also if this folder cannot be written.
    pub fn make(&self, name: &str) -> Result<Self> {
        match fs::mkdirat(&self.handle, name, USUAL) {
            Ok(()) | Err(Errno::EXIST) => self.inside(name),
            Err(error) => Err(self.explained(name, error)),
        }
    }

    pub(crate) fn make_new(&self, name: &str) -> rustix::io::Result<()> {
        fs::mkdirat(&self.handle, name, USUAL)
    }

    /// Names of the entries, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    pub fn folders(&self) -> Result<Vec<String>> {
        let names = self.names()?;
        Ok(names.into_iter().filter(|name| self.kind(name) == Some(FileType::Directory)).collect())
    }

    pub fn has(&self, name: &str) -> bool {
        matches!(self.kind(name), Some(FileType::RegularFile | FileType::Directory))
    }

    pub fn is_own(&self) -> bool {
        self.handle.metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
    }

    /// Opens a regular file in the folder for reading. A symbolic link is refused.
    ///
    /// # Errors
    /// If it does not exist or is not a regular file.
    pub fn open_file(&self, name: &str) -> Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&self.handle, name, flags, Mode::empty());
        regular_file::only(file.map_err(|error| self.explained(name, error))?.into())
    }

    /// Opens a file in the folder that serves as a lock, and creates it if missing.
    ///
    /// # Errors
    /// The errors of [`Folder::open_file`]. Also if this folder cannot be written.
    pub fn open_lock(&self, name: &str) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = fs::openat(&self.handle, name, flags, super::FILE_MODE);
        regular_file::only(file.map_err(|error| self.explained(name, error))?.into())
    }

    /// Creates a new file in the folder.
    ///
    /// # Errors
    /// If the name exists already, or this folder cannot be written.
    pub fn create_file(&self, name: &str) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.handle, name, flags, super::FILE_MODE)?.into())
    }

    /// Removes an entry that is not a folder.
    ///
    /// # Errors
    /// If it does not exist, or is a folder.
    pub fn remove_file(&self, name: &str) -> Result<()> {
        Ok(fs::unlinkat(&self.handle, name, AtFlags::empty())?)
    }

    /// Reads a file of at most `most` bytes in the folder; see [`Folder::open_file`].
    ///
    /// # Errors
    /// If the file cannot be read, or is longer.
    pub fn read(&self, name: &str, most: u64) -> Result<Vec<u8>> {
        regular_file::read_from(self.open_file(name)?, most)
    }

    /// Like [`Folder::read`], but for text.
    ///
    /// # Errors
    /// The errors of [`Folder::read`]. Also if the file is not UTF-8 text.
    pub fn text(&self, name: &str, most: u64) -> Result<String> {
        regular_file::utf8(self.read(name, most)?)
    }

    /// Moves an entry into another folder under a new name. A folder may replace an empty folder there, but no other entry.
    ///
    /// # Errors
    /// If another entry has the new name, or a folder cannot be written.
    pub fn rename(&self, name: &str, into: &Self, new: &str) -> Result<()> {
        Ok(fs::renameat(&self.handle, name, &into.handle, new)?)
    }

    /// Removes a subfolder with everything in it. Of a symbolic link only the link is removed, and another file system mounted
    /// inside stays.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn remove_tree(&self, name: &str) -> Result<()> {
        let here = self.handle.metadata()?.dev();
        remove_below(self, name, here, MOST_DEPTH)
    }

    fn kind(&self, name: &str) -> Option<FileType> {
        let found = fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(found.st_mode))
    }

    /// An error that mentions the symbolic link, if there is one. The kernel's own error text does not mention links.
    fn explained(&self, name: &str, error: Errno) -> Error {
        let place = self.path.join(name);
        match self.kind(name) {
            Some(FileType::Symlink) => Error::new(
                ErrorKind::InvalidInput,
                format!("{} is a symbolic link, which backwall does not follow; remove it", place.display()),
            ),
            _ => error.into(),
        }
    }
}

fn remove_below(folder: &Folder, name: &str, device: u64, depth: u32) -> Result<()> {
    if folder.kind(name) != Some(FileType::Directory) {
        return Ok(fs::unlinkat(&folder.handle, name, AtFlags::empty())?);
    }
    let inner = folder.inside(name)?;
    if depth == 0 || inner.handle.metadata()?.dev() != device {
        return Err(Error::other(format!("cannot remove {}", inner.path.display())));
    }
    for entry in Dir::read_from(&inner.handle)?.collect::<rustix::io::Result<Vec<_>>>()? {
        let bytes = entry.file_name();
        if [&b"."[..], b".."].contains(&bytes.to_bytes()) {
            continue;
        }
        match bytes.to_str() {
            Ok(name) => remove_below(&inner, name, device, depth - 1)?,
            // The entry's name is not UTF-8. backwall creates no such folder, so this must be a file.
            Err(_) => fs::unlinkat(&inner.handle, bytes, AtFlags::empty())?,
        }
    }
    Ok(fs::unlinkat(&folder.handle, name, AtFlags::REMOVEDIR)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir, create_dir_all, write};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_goes_with_what_it_holds_and_what_its_links_lead_to_stays() {
        let top = tempfile::tempdir().unwrap();
        let [kept, gone] = ["kept", "gone"].map(|name| top.path().join(name));
        create_dir(&kept).unwrap();
        write(kept.join("thesis"), "mine").unwrap();
        create_dir_all(gone.join("a/b")).unwrap();
        write(gone.join("a/b/c"), "").unwrap();
        symlink(&kept, gone.join("a/link")).unwrap();
        symlink(&kept, top.path().join("link")).unwrap();
        let folder = Folder::open(top.path()).unwrap();
        folder.remove_tree("gone").unwrap();
        folder.remove_tree("link").unwrap();
        assert_eq!(folder.names().unwrap(), ["kept"]);
        assert!(kept.join("thesis").is_file());
    }

    #[test]
    fn a_link_is_no_folder_and_no_file_and_the_refusal_names_it() {
        let top = tempfile::tempdir().unwrap();
        create_dir(top.path().join("there")).unwrap();
        write(top.path().join("file"), "x").unwrap();
        symlink("there", top.path().join("folder-link")).unwrap();
        symlink("file", top.path().join("file-link")).unwrap();
        let folder = Folder::open(top.path()).unwrap();
        let told = [
            folder.inside("folder-link").unwrap_err(),
            folder.make("folder-link").unwrap_err(),
            folder.read("file-link", 9).unwrap_err(),
            folder.open_lock("file-link").unwrap_err(),
        ];
        assert!(
            told.iter().all(|error| error
                .to_string()
                .ends_with("-link is a symbolic link, which backwall does not follow; remove it")),
            "{told:?}"
        );
        assert!(folder.make("there").is_ok() && folder.make("new").is_ok());
        assert_eq!(
            (folder.text("file", 9).unwrap().as_str(), folder.has("file"), folder.has("file-link")),
            ("x", true, false)
        );
        assert_eq!(folder.folders().unwrap(), ["new", "there"]);
    }

    #[test]
    fn a_pipe_is_no_file_and_nobody_waits_for_its_other_end() {
        let top = tempfile::tempdir().unwrap();
        fs::mknodat(fs::CWD, top.path().join("pipe"), FileType::Fifo, 0o600.into(), 0).unwrap();
        let folder = Folder::open(top.path()).unwrap();
        assert_eq!(folder.open_file("pipe").unwrap_err().to_string(), "not a regular file");
        assert!(folder.open_lock("pipe").is_err() && folder.read("pipe", 9).is_err());
    }
}
