// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responder: this machine answers a stimulus on one of its lines, so that a bench outside can measure how late it does.
//!
//! It measures nothing itself. What a line is on each kind of device is in one file a kind, and the threads that answer
//! in [`threads`].
pub mod line;
pub mod shared_devices;
pub mod threads;

mod event;
mod gpio;
mod modem;
mod parport;
mod pipe;
