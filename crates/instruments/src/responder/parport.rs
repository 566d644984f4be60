// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PC's parallel port through the kernel's `ppdev`: its interrupt, and the bits of its data register.
#![expect(clippy::disallowed_types, reason = "reads and writes files")]
use super::line::{Address, Fault, Input, Output, refused};
use backwall_os::readable::readable;
use rustix::ioctl::{Getter, NoArg, Setter, ioctl, opcode};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const CLAIM: rustix::ioctl::Opcode = opcode::none(b'p', 0x8b);
const WRITE_CONTROL: rustix::ioctl::Opcode = opcode::write::<u8>(b'p', 0x84);
const WRITE_DATA: rustix::ioctl::Opcode = opcode::write::<u8>(b'p', 0x86);
const CLEAR_INTERRUPTS: rustix::ioctl::Opcode = opcode::read::<i32>(b'p', 0x93);
const INTERRUPT_ON: u8 = 1 << 4;
const HINT: &str = "modprobe parport_pc ppdev as root; unload other drivers of the port (lp)";

pub(super) struct Port {
    file: File,
    up: Mutex<u8>,
}

pub(super) type Held = Vec<(PathBuf, Arc<Port>)>;

fn claimed(held: &mut Held, address: &Address) -> Result<Arc<Port>, Fault> {
    if let Some((_, port)) = held.iter().find(|(device, _)| *device == address.device) {
        return Ok(port.clone());
    }
    let file = OpenOptions::new().read(true).write(true).open(&address.device).map_err(refused(address, HINT))?;
    // SAFETY: claiming takes no argument.
    unsafe { ioctl(&file, NoArg::<CLAIM>::new()) }.map_err(|error| refused(address, HINT)(error.into()))?;
    let port = Arc::new(Port { file, up: Mutex::new(0) });
    held.push((address.device.clone(), port.clone()));
    Ok(port)
}

fn no_line(address: &Address, use_as: &'static str, known: &'static str) -> Fault {
    Fault::NoLine { address: address.to_string(), device: "parallel port", use_as, known }
}

pub(super) struct Stimulus {
    port: Arc<Port>,
}

impl Stimulus {
    pub(super) fn open(address: &Address, held: &mut Held) -> Result<Self, Fault> {
        if address.line != "ack" {
            return Err(no_line(address, "input ", "ack (the port itself chooses the edge)"));
        }
        let port = claimed(held, address)?;
        // SAFETY: the argument is a byte, as the call requires.
        unsafe { ioctl(&port.file, Setter::<WRITE_CONTROL, u8>::new(INTERRUPT_ON)) }
            .map_err(|error| refused(address, HINT)(error.into()))?;
        Ok(Self { port })
    }
}

impl Input for Stimulus {
    fn wait(&mut self, patience: Duration) -> io::Result<u64> {
        if !readable(&self.port.file, patience)? {
            return Ok(0);
        }
        // SAFETY: the kernel writes the integer that `Getter` provides.
        let came = unsafe { ioctl(&self.port.file, Getter::<CLEAR_INTERRUPTS, i32>::new()) }?;
        Ok(u64::try_from(came).unwrap_or(0))
    }
}

pub(super) struct Answer {
    port: Arc<Port>,
    bit: u8,
}

impl Answer {
    pub(super) fn open(address: &Address, held: &mut Held) -> Result<Self, Fault> {
        let number = address.line.strip_prefix('d').and_then(|number| number.parse::<u8>().ok());
        let number = number.filter(|number| *number < 8).ok_or_else(|| no_line(address, "outputs ", "d0 to d7"))?;
        Ok(Self { port: claimed(held, address)?, bit: 1 << number })
    }
}

impl Output for Answer {
    fn pulse(&mut self) -> io::Result<()> {
        pulse(&self.port.up, self.bit, |data| {
            // SAFETY: the argument is a byte, as the call requires.
            unsafe { ioctl(&self.port.file, Setter::<WRITE_DATA, u8>::new(data)) }.map_err(io::Error::from)
        })
    }
}

/// Raises one bit and lowers it again. The other bits keep the values that the other thread gave them. The lock is held only
/// during a write.
fn pulse(up: &Mutex<u8>, bit: u8, write: impl Fn(u8) -> io::Result<()>) -> io::Result<()> {
    for level in [bit, 0] {
        let mut up = up.lock().unwrap_or_else(PoisonError::into_inner);
        *up = *up & !bit | level;
        write(*up)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_pulse_their_own_bits_of_one_register() {
        let (up, written) = (Mutex::new(0), Mutex::new(vec![0]));
        let write = |data| -> io::Result<()> {
            written.lock().unwrap().push(data);
            std::thread::yield_now();
            Ok(())
        };
        std::thread::scope(|scope| {
            for bit in [1, 2] {
                let (up, write) = (&up, &write);
                scope.spawn(move || (0..250).for_each(|_| pulse(up, bit, write).unwrap()));
            }
        });
        let written = written.into_inner().unwrap();
        assert_eq!(written.len(), 1_001);
        assert!(written.windows(2).all(|pair| (pair[0] ^ pair[1]).count_ones() == 1), "a write changes one bit");
    }

    #[test]
    fn a_port_that_cannot_be_opened_says_why() {
        let address = "/dev/:ack".parse().unwrap();
        let said = Stimulus::open(&address, &mut Held::new()).err().unwrap().to_string();
        assert!(said.contains("Is a directory"), "{said}");
    }
}
