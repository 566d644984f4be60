// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control lines of a serial port (tty_ioctl(4)): changes of its inputs, and its two outputs.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::line::{Address, Edge, Fault, Input, Output, refused};
use rustix::fs::OFlags;
use rustix::ioctl::{Getter, IntegerSetter, Opcode, Setter, ioctl};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

const WAIT: Opcode = 0x545c;
const COUNTS: Opcode = 0x545d;
const LEVELS: Opcode = 0x5415;
const RAISE: Opcode = 0x5416;
const LOWER: Opcode = 0x5417;
const HINT: &str = "use a port with control lines; many adapters lack them";

/// `struct serial_icounter_struct`: for each input the number of changes in both directions, and other counters.
type Counters = [i32; 20];

/// The inputs: name, bit in the levels, and index in the counters.
const INPUTS: [(&str, i32, usize); 3] = [("cts", 0x020, 0), ("dsr", 0x100, 1), ("dcd", 0x040, 3)];
const OUTPUTS: [(&str, i32); 2] = [("rts", 0x004), ("dtr", 0x002)];

fn port(address: &Address) -> Result<File, Fault> {
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32;
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(&address.device).map_err(refused(address, HINT))
}

fn levels(port: &File) -> io::Result<i32> {
    // SAFETY: the kernel writes the integer that `Getter` provides.
    unsafe { ioctl(port, Getter::<LEVELS, i32>::new()) }.map_err(io::Error::from)
}

fn no_line(address: &Address, use_as: &'static str, known: &'static str) -> Fault {
    Fault::NoLine { address: address.to_string(), device: "serial port", use_as, known }
}

pub(super) struct Stimulus {
    port: File,
    bit: i32,
    place: usize,
    edge: Edge,
    changes: i32,
    high: bool,
}

impl Stimulus {
    pub(super) fn open(address: &Address, edge: Edge) -> Result<Self, Fault> {
        let found = INPUTS.iter().find(|(name, ..)| *name == address.line);
        let (_, bit, place) = *found.ok_or_else(|| no_line(address, "inputs ", "cts, dsr and dcd"))?;
        let port = port(address)?;
        let mut line = Self { port, bit, place, edge, changes: 0, high: false };
        (line.changes, line.high) = line.state().map_err(refused(address, HINT))?;
        Ok(line)
    }

    fn state(&self) -> io::Result<(i32, bool)> {
        // SAFETY: the kernel writes the counters, which have this layout.
        let counters = unsafe { ioctl(&self.port, Getter::<COUNTS, Counters>::new()) }?;
        Ok((counters[self.place], levels(&self.port)? & self.bit != 0))
    }
}

impl Input for Stimulus {
    /// Waits only if nothing has changed since the last call. The wait has no timeout, so at the end its thread is abandoned.
    fn wait(&mut self, _: Duration) -> io::Result<u64> {
        let (mut changes, mut high) = self.state()?;
        if changes == self.changes {
            // SAFETY: the argument is a mask of lines, as the call requires.
            unsafe { ioctl(&self.port, IntegerSetter::<WAIT>::new_usize(self.bit as usize)) }?;
            (changes, high) = self.state()?;
        }
        let came = edges(changes.wrapping_sub(self.changes).max(0) as u64, self.high, self.edge);
        (self.changes, self.high) = (changes, high);
        Ok(came)
    }
}

fn edges(changes: u64, high: bool, edge: Edge) -> u64 {
    let first_counts = high == (edge == Edge::Fall);
    if first_counts { changes.div_ceil(2) } else { changes / 2 }
}

pub(super) struct Answer {
    port: File,
    bit: i32,
}

impl Answer {
    pub(super) fn open(address: &Address) -> Result<Self, Fault> {
        let found = OUTPUTS.iter().find(|(name, _)| *name == address.line);
        let (_, bit) = *found.ok_or_else(|| no_line(address, "outputs ", "rts and dtr"))?;
        let port = port(address)?;
        levels(&port).map_err(refused(address, HINT))?;
        let line = Self { port, bit };
        line.set::<LOWER>().map_err(refused(address, HINT))?; // opening the port has raised both lines
        Ok(line)
    }

    fn set<const WAY: Opcode>(&self) -> io::Result<()> {
        // SAFETY: the argument is a mask of lines, as the call requires.
        unsafe { ioctl(&self.port, Setter::<WAY, i32>::new(self.bit)) }.map_err(io::Error::from)
    }
}

impl Output for Answer {
    fn pulse(&mut self) -> io::Result<()> {
        self.set::<RAISE>()?;
        self.set::<LOWER>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted_as_edges_from_the_level_that_was() {
        let rises = |changes, high| edges(changes, high, Edge::Rise);
        let falls = |changes, high| edges(changes, high, Edge::Fall);
        assert_eq!([0, 1, 2, 3].map(|changes| rises(changes, false)), [0, 1, 1, 2]);
        assert_eq!([0, 1, 2, 3].map(|changes| rises(changes, true)), [0, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3].map(|changes| falls(changes, false)), [0, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3].map(|changes| falls(changes, true)), [0, 1, 1, 2]);
    }
}
