// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines for trials without hardware, one named pipe each. One byte is one edge; a pulse is the byte 1 and then the byte 0.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::line::{Address, Fault, Input, Output, refused};
use backwall_os::readable::readable;
use rustix::fs::{FileType, Mode, OFlags, fstat};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::time::Duration;

const HINT: &str = "create one with mkfifo";

/// Opens the pipe for reading and writing, so that it stays open without a peer.
fn open(address: &Address) -> Result<File, Fault> {
    open_pipe(&address.line).map_err(refused(address, HINT))
}

/// Opens a named pipe. First checks the type, because a pulse would overwrite a file or disk, and because many devices react
/// when a program opens them. Then opens exactly the file that was checked.
fn open_pipe(path: &str) -> io::Result<File> {
    let place = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(fstat(&place)?.st_mode) != FileType::Fifo {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a named pipe"));
    }
    OpenOptions::new().read(true).write(true).open(format!("/proc/self/fd/{}", place.as_raw_fd()))
}

pub(super) struct Stimulus(File);

impl Stimulus {
    pub(super) fn open(address: &Address) -> Result<Self, Fault> {
        open(address).map(Self)
    }
}

impl Input for Stimulus {
    fn wait(&mut self, patience: Duration) -> io::Result<u64> {
        if !readable(&self.0, patience)? {
            return Ok(0);
        }
        self.0.read(&mut [0; 4096]).map(|read| read as u64)
    }
}

pub(super) struct Answer(File);

impl Answer {
    pub(super) fn open(address: &Address) -> Result<Self, Fault> {
        open(address).map(Self)
    }
}

impl Output for Answer {
    fn pulse(&mut self) -> io::Result<()> {
        self.0.write_all(&[1])?;
        self.0.write_all(&[0])
    }
}
