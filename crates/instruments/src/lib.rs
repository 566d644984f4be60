// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruments for measuring a real device: a function generator and an oscilloscope, both controlled by SCPI, or a Raspberry Pi
//! Pico that is both.
//!
//! There is one file per instrument with its commands. [`link`] transmits them.
pub mod bench;
pub mod burst;
pub mod generator;
pub mod link;
pub mod oscilloscope;
pub mod pico;
pub mod request;
pub mod responder;
mod serial_line;
