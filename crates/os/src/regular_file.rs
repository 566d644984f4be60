// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens files of others without blocking and reads them up to a limit. A pipe may have no writer, a device no end, and a file
//! may be larger than memory.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "its tests read and write files"))]
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file for reading. Anything but a regular file is an error.
pub fn open(path: &Path) -> Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits() as i32;
    only(File::options().read(true).custom_flags(without_waiting).open(path)?)
}

pub(crate) fn only(file: File) -> Result<File> {
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// All bytes of a file. A file with more than `most` bytes is an error.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    read_from(open(path)?, most)
}

pub(crate) fn read_from(file: File, most: u64) -> Result<Vec<u8>> {
    let too_long = || Error::new(ErrorKind::FileTooLarge, format!("longer than {}", told(most)));
    if file.metadata()?.len() > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    // The file may have grown meanwhile, and files of the kernel report no length.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

pub fn text(path: &Path, most: u64) -> Result<String> {
    utf8(read(path, most)?)
}

pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "not UTF-8 text"))
}

fn told(bytes: u64) -> String {
    match bytes {
        bytes if bytes % (1 << 30) == 0 => format!("{} GiB", bytes >> 30),
        bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_a_device_and_a_folder_are_refused_at_once() {
        let top = tempfile::tempdir().unwrap();
        let pipe = top.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for place in [pipe.as_path(), Path::new("/dev/zero"), top.path()] {
            assert_eq!(open(place).unwrap_err().to_string(), "not a regular file", "{}", place.display());
        }
        std::fs::write(top.path().join("x"), "x").unwrap();
        assert!(open(&top.path().join("x")).is_ok());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_a_longer_one_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(text(&file, 4).unwrap(), "four");
        assert_eq!(read(&file, 3).unwrap_err().to_string(), "longer than 3 bytes");
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(text(&file, 4).unwrap_err().to_string(), "not UTF-8 text");
        // The file has no blocks on the disk, but reading it would fill the memory.
        File::create(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&file, 1 << 20).unwrap_err().to_string(), "longer than 1 MiB");
        assert_eq!(text(&file, 64 << 10).unwrap_err().to_string(), "longer than 64 KiB");
    }
}
