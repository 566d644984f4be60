// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a GPIO chip, through version 2 of the kernel's interface (Documentation/userspace-api/gpio, since 5.10).
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::line::{Address, Edge, Fault, Input, Output, refused};
use backwall_os::readable::readable;
use rustix::ioctl::{Setter, Updater, ioctl, opcode};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

const FLAG_INPUT: u64 = 1 << 2;
const FLAG_OUTPUT: u64 = 1 << 3;
const FLAG_RISES: u64 = 1 << 4;
const FLAG_FALLS: u64 = 1 << 5;
const KEPT: u32 = 1024;
const EVENT_BYTES: usize = 48;
const EVENT_NUMBER: std::ops::Range<usize> = 20..24;
const HINT: &str = "gpiodetect and gpioinfo list the chips and lines; the line must not be in use";

/// `struct gpio_v2_line_config`, without attributes.
#[repr(C)]
struct Config {
    flags: u64,
    attributes: u32,
    padding: [u32; 5],
    no_attributes: [[u64; 3]; 10],
}

/// `struct gpio_v2_line_request`, for one line.
#[repr(C)]
struct Request {
    offsets: [u32; 64],
    consumer: [u8; 32],
    config: Config,
    lines: u32,
    kept: u32,
    padding: [u32; 5],
    descriptor: i32,
}

/// `struct gpio_v2_line_values`.
#[repr(C)]
struct Values {
    bits: u64,
    mask: u64,
}

const GET_LINE: rustix::ioctl::Opcode = opcode::read_write::<Request>(0xb4, 0x07);
const SET_VALUES: rustix::ioctl::Opcode = opcode::read_write::<Values>(0xb4, 0x0f);

fn request(address: &Address, flags: u64) -> Result<File, Fault> {
    let known = "lines 0, 1, 2 and so on";
    let no_line = || Fault::NoLine { address: address.to_string(), device: "GPIO chip", use_as: "", known };
    let offset = address.line.parse().map_err(|_| no_line())?;
    let chip = OpenOptions::new().read(true).write(true).open(&address.device).map_err(refused(address, HINT))?;
    let mut offsets = [0; 64];
    offsets[0] = offset;
    let mut consumer = [0; 32];
    consumer[..8].copy_from_slice(b"backwall");
    let config = Config { flags, attributes: 0, padding: [0; 5], no_attributes: [[0; 3]; 10] };
    let mut asked = Request { offsets, consumer, config, lines: 1, kept: KEPT, padding: [0; 5], descriptor: -1 };
    // SAFETY: the request has the layout of the kernel's header and outlives the call.
    unsafe { ioctl(&chip, Updater::<GET_LINE, Request>::new(&mut asked)) }
        .map_err(|error| refused(address, HINT)(error.into()))?;
    // SAFETY: the kernel created this descriptor for this process, and nothing else owns it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(asked.descriptor) }))
}

pub(super) struct Stimulus {
    line: File,
    last: u32,
}

impl Stimulus {
    pub(super) fn open(address: &Address, edge: Edge) -> Result<Self, Fault> {
        let edges = if edge == Edge::Rise { FLAG_RISES } else { FLAG_FALLS };
        Ok(Self { line: request(address, FLAG_INPUT | edges)?, last: 0 })
    }
}

impl Input for Stimulus {
    /// Sequence numbers missing between two events are edges that the kernel had no room for.
    fn wait(&mut self, patience: Duration) -> io::Result<u64> {
        if !readable(&self.line, patience)? {
            return Ok(0);
        }
        let mut events = [0; EVENT_BYTES * 16];
        let read = self.line.read(&mut events)?;
        let newest = events[..read].chunks_exact(EVENT_BYTES).last().ok_or(io::ErrorKind::UnexpectedEof)?;
        let number = u32::from_ne_bytes(newest[EVENT_NUMBER].try_into().expect("four bytes"));
        let came = number.wrapping_sub(self.last);
        self.last = number;
        Ok(u64::from(came))
    }
}

pub(super) struct Answer {
    line: File,
}

impl Answer {
    pub(super) fn open(address: &Address) -> Result<Self, Fault> {
        Ok(Self { line: request(address, FLAG_OUTPUT)? })
    }

    fn set(&self, level: u64) -> io::Result<()> {
        let values = Values { bits: level, mask: 1 };
        // SAFETY: the values have the layout of the kernel's header and outlive the call.
        unsafe { ioctl(&self.line, Setter::<SET_VALUES, Values>::new(values)) }.map_err(io::Error::from)
    }
}

impl Output for Answer {
    fn pulse(&mut self) -> io::Result<()> {
        self.set(1)?;
        self.set(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layouts_are_as_long_as_the_kernel_s() {
        assert_eq!((size_of::<Request>(), size_of::<Config>(), size_of::<Values>()), (592, 272, 16));
        assert_eq!((GET_LINE, SET_VALUES), (0xc250_b407, 0xc010_b40f));
    }
}
