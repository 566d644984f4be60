// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruments of a bench that speak SCPI: a function generator, and an oscilloscope that shows what came of its pulses.
//!
//! What they are told stands in one file an instrument; how words get to them stands in [`link`].
pub mod bench;
pub mod generator;
pub mod link;
pub mod oscilloscope;
