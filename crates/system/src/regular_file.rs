// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that others wrote, opened without waiting: a pipe may have nobody at its other end, a device no end.
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file to read it; everything but a regular file is refused.
pub fn open(path: &Path) -> Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(without_waiting).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(Error::new(ErrorKind::InvalidInput, "not a regular file")),
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
}
