// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responder: this machine answers a stimulus on one of its lines, so that a bench outside can measure how late it does.
//!
//! It measures nothing itself. What a line is on each kind of device is in one file a kind, and the threads that answer
//! in [`threads`].
//!
//! - `line`: a line by its device and its name there, as input or as output
//! - `shared_devices`: which kind of device a line is on: the table of them
//! - `event`: how the first thread wakes the second: what comes while one is pending is one with it, as with an auto-reset event
//! - `gpio`: lines of a GPIO chip: the kernel's second interface to them (Documentation/userspace-api/gpio, since 5.10)
//! - `modem`: the control lines of a serial port (tty_ioctl(4)): changes of its inputs, and its two outputs
//! - `parport`: a PC's parallel port by the kernel's `ppdev`: its interrupt, and the bits of its data register
//! - `pipe`: lines for trying without hardware: a named pipe each
pub mod line;
pub mod shared_devices;
pub mod threads;

mod event;
mod gpio;
mod modem;
mod parport;
mod pipe;
