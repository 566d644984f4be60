// SPDX-License-Identifier: MIT OR Apache-2.0
//! A serial line in raw mode, reserved for this process while it is open. Its settings are restored afterwards.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use backwall_os::readable::readable;
use rustix::fs::OFlags;
use rustix::termios::{
    ControlModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, ioctl_tiocexcl, isatty, tcflush,
    tcgetattr, tcsetattr,
};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

pub struct SerialLine {
    file: File,
    before: Termios,
}

impl SerialLine {
    pub fn open(path: &Path) -> io::Result<Self> {
        // Do not wait for a carrier, and do not become the controlling terminal, which would send signals.
        let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
        if !isatty(&file) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a serial line"));
        }
        ioctl_tiocexcl(&file)?;
        let before = tcgetattr(&file)?;
        let mut raw = before.clone();
        raw.make_raw();
        raw.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD | ControlModes::HUPCL;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1; // a read waits for at least 1 byte, so 0 bytes always mean the end of the line
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&file, OptionalActions::Now, &raw)?;
        tcflush(&file, QueueSelector::IOFlush)?;
        Ok(Self { file, before })
    }

    pub fn read(&mut self, bytes: &mut [u8], patience: Duration) -> io::Result<usize> {
        if !readable(&self.file, patience)? {
            return Err(ErrorKind::TimedOut.into());
        }
        self.file.read(bytes)
    }

    pub fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
}

impl Drop for SerialLine {
    fn drop(&mut self) {
        // Discard input that arrives now. A line that is disconnected has no settings to restore, so errors are ignored.
        let _ = tcflush(&self.file, QueueSelector::IFlush);
        let _ = tcsetattr(&self.file, OptionalActions::Now, &self.before);
    }
}
