// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines for trying without hardware: a named pipe each. A byte is an edge; a pulse is the byte 1 and the byte 0.
use super::gpio::readable;
use super::line::{Address, Fault, Input, Output, refused};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::time::Duration;

const HINT: &str = "mkfifo makes one";

/// Opened both ways, so that it stays open while nobody is at its other end.
fn open(address: &Address) -> Result<File, Fault> {
    OpenOptions::new().read(true).write(true).open(&address.line).map_err(refused(address, HINT))
}

/// Bytes that come.
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

/// Bytes that go.
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
