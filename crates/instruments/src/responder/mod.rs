// SPDX-License-Identifier: MIT OR Apache-2.0
//! The responder: this machine answers a stimulus on one of its lines, so that an external instrument can measure how late the
//! answer is.
//!
//! The responder measures nothing itself. Each kind of device has its own file; the answering threads are in [`threads`].
pub mod line;
pub mod shared_devices;
pub mod threads;

mod event;
mod gpio;
mod modem;
mod parport;
mod pipe;
