// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PC's parallel port by the kernel's `ppdev`: its interrupt, and the bits of its data register.
use super::gpio::readable;
use super::line::{Address, Fault, Input, Output, refused};
use rustix::ioctl::{Getter, NoArg, Setter, ioctl, opcode};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const CLAIM: rustix::ioctl::Opcode = opcode::none(b'p', 0x8b);
const WRITE_CONTROL: rustix::ioctl::Opcode = opcode::write::<u8>(b'p', 0x84);
const WRITE_DATA: rustix::ioctl::Opcode = opcode::write::<u8>(b'p', 0x86);
const CLEAR_INTERRUPTS: rustix::ioctl::Opcode = opcode::read::<i32>(b'p', 0x93);
/// Lets the interrupt through.
const INTERRUPT_ON: u8 = 1 << 4;
const HINT: &str = "modprobe parport_pc ppdev as root; no other driver (lp) may hold the port";

/// A claimed port, and the device it is.
pub(super) type Shared = (PathBuf, Arc<File>);

/// The port of an address; one that is held already serves all of its lines.
pub(super) fn shared(held: &mut Vec<Shared>, address: &Address) -> Result<Option<Arc<File>>, Fault> {
    if let Some((_, port)) = held.iter().find(|(device, _)| *device == address.device) {
        return Ok(Some(port.clone()));
    }
    let Ok(port) = OpenOptions::new().read(true).write(true).open(&address.device) else { return Ok(None) };
    // SAFETY: claiming takes no argument.
    unsafe { ioctl(&port, NoArg::<CLAIM>::new()) }.map_err(|error| refused(address, HINT)(error.into()))?;
    let port = Arc::new(port);
    held.push((address.device.clone(), port.clone()));
    Ok(Some(port))
}

/// The port that was opened, or why it cannot be.
fn claimed(address: &Address, port: Option<Arc<File>>) -> Result<Arc<File>, Fault> {
    let absent = || File::open(&address.device).err().unwrap_or_else(|| io::ErrorKind::PermissionDenied.into());
    port.ok_or_else(|| refused(address, HINT)(absent()))
}

fn no_line(address: &Address, use_as: &'static str, known: &'static str) -> Fault {
    Fault::NoLine { address: address.to_string(), device: "parallel port", use_as, known }
}

/// Its interrupt, which the pin ACK raises.
pub(super) struct Stimulus {
    port: Arc<File>,
}

impl Stimulus {
    pub(super) fn open(address: &Address, port: Option<Arc<File>>) -> Result<Self, Fault> {
        if address.line != "ack" {
            return Err(no_line(address, "input ", "ack, whose edge the port itself chooses"));
        }
        let port = claimed(address, port)?;
        // SAFETY: the argument is the byte that the call takes.
        unsafe { ioctl(&*port, Setter::<WRITE_CONTROL, u8>::new(INTERRUPT_ON)) }
            .map_err(|error| refused(address, HINT)(error.into()))?;
        Ok(Self { port })
    }
}

impl Input for Stimulus {
    fn wait(&mut self, patience: Duration) -> io::Result<u64> {
        if !readable(&self.port, patience)? {
            return Ok(0);
        }
        // SAFETY: the kernel writes the integer that the call gives.
        let came = unsafe { ioctl(&*self.port, Getter::<CLEAR_INTERRUPTS, i32>::new()) }?;
        Ok(u64::try_from(came).unwrap_or(0))
    }
}

/// A bit of its data register. Each thread has its own; whoever interrupts another has lowered it again before that goes on.
pub(super) struct Answer {
    port: Arc<File>,
    bit: u8,
}

impl Answer {
    pub(super) fn open(address: &Address, port: Option<Arc<File>>) -> Result<Self, Fault> {
        let number = address.line.strip_prefix('d').and_then(|number| number.parse::<u8>().ok());
        let number = number.filter(|number| *number < 8).ok_or_else(|| no_line(address, "outputs ", "d0 to d7"))?;
        Ok(Self { port: claimed(address, port)?, bit: 1 << number })
    }

    fn set(&self, data: u8) -> io::Result<()> {
        // SAFETY: the argument is the byte that the call takes.
        unsafe { ioctl(&*self.port, Setter::<WRITE_DATA, u8>::new(data)) }.map_err(io::Error::from)
    }
}

impl Output for Answer {
    fn pulse(&mut self) -> io::Result<()> {
        self.set(self.bit)?;
        self.set(0)
    }
}
