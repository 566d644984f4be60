// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruments of a bench: a function generator and an oscilloscope that shows what came of its pulses, over SCPI; or a
//! Raspberry Pi Pico that is both.
//!
//! What they are told stands in one file an instrument; how words get to them stands in [`link`].
pub mod bench;
pub mod burst;
pub mod generator;
pub mod link;
pub mod oscilloscope;
pub mod pico;
mod serial_line;
