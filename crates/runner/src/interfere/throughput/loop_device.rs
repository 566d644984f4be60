// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block device on a file: a free loop device, which the kernel releases when its last user ends. loop(4).
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use rustix::ioctl::{IntegerSetter, ioctl};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

/// `LOOP_CONFIGURE`, since Linux 5.8.
const CONFIGURE: u32 = 0x4C0A;
/// The kernel releases the device when its last user ends, even after `kill -9`.
const AUTOCLEAR: u32 = 4;
/// Number of loop devices to try. Only existing ones are used; none is created.
const MOST: u32 = 64;

/// The kernel's `struct loop_config`, 304 bytes.
#[repr(C)]
struct Config {
    backing: u32,
    block_size: u32,
    /// `struct loop_info64` up to its flags: device, inode, rdevice, offset, limit of the size.
    leading: [u64; 5],
    number: u32,
    encryption: [u32; 2],
    flags: u32,
    /// The rest of `struct loop_info64` (names, key and two words), and the reserved fields.
    trailing: [u64; 30],
}

/// A loop device, in use until this value is dropped and the file system on it is unmounted.
pub(super) struct LoopDevice {
    pub(super) path: PathBuf,
    _open: File,
}

impl LoopDevice {
    pub(super) fn over(file: &File) -> Result<Self> {
        for number in 0..MOST {
            let path = PathBuf::from(format!("/dev/loop{number}"));
            let device = match File::options().read(true).write(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                opened => opened?,
            };
            match configure(&device, file) {
                Ok(()) => return Ok(Self { path, _open: device }),
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::new(ErrorKind::NotFound, "no free loop device"))
    }
}

fn configure(device: &File, file: &File) -> Result<()> {
    let mut config = Config {
        backing: file.as_raw_fd() as u32,
        block_size: 0,
        leading: [0; 5],
        number: 0,
        encryption: [0; 2],
        flags: AUTOCLEAR,
        trailing: [0; 30],
    };
    // SAFETY: the request reads a `struct loop_config` at the pointer. `Config` has its size and layout, and the kernel does not
    // keep the pointer.
    unsafe { ioctl(device, IntegerSetter::<CONFIGURE>::new_pointer((&raw mut config).cast())) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // The size and offsets in the kernel's header on 64-bit machines.
    #[test]
    fn the_layout_is_the_kernels() {
        assert_eq!((size_of::<Config>(), std::mem::offset_of!(Config, flags)), (304, 60));
    }
}
