// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruments of a bench: a function generator and an oscilloscope that shows the result of its pulses, over SCPI; or a
//! Raspberry Pi Pico that is both.
//!
//! What they are told is in one file an instrument; how words get to them is in [`link`].
pub mod bench;
pub mod burst;
pub mod generator;
pub mod link;
pub mod oscilloscope;
pub mod pico;
pub mod request;
pub mod responder;
mod serial_line;
