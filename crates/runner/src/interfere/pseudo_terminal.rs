// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pseudo-terminal: data written to one end arrives at the other as if from a terminal. ioctl_tty(2), pts(4).
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use rustix::fs::OFlags;
use rustix::ioctl::{Getter, Setter, ioctl};
use std::fs::File;
use std::io::Result;
use std::os::unix::fs::OpenOptionsExt;

const NUMBER: u32 = 0x8004_5430;
const LOCK: u32 = 0x4004_5431;

pub(super) fn pair() -> Result<(File, File)> {
    let open =
        |path: &str| File::options().read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32).open(path);
    let master = open("/dev/ptmx")?;
    // SAFETY: the request takes a pointer to an int; `Setter` provides one, and the kernel does not keep the pointer.
    unsafe { ioctl(&master, Setter::<{ LOCK as _ }, i32>::new(0)) }?;
    // SAFETY: the request writes an unsigned int, and `Getter` provides room for one.
    let number: u32 = unsafe { ioctl(&master, Getter::<{ NUMBER as _ }, u32>::new()) }?;
    let program = open(&format!("/dev/pts/{number}"))?;
    Ok((master, program))
}
