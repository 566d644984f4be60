// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruments of a bench: a function generator and an oscilloscope that shows the result of its pulses, over SCPI; or a
//! Raspberry Pi Pico that is both.
//!
//! What they are told is in one file an instrument; how words get to them is in [`link`].
//!
//! - `request`: what is asked of the instruments: a period and a number of pulses that they can give
//! - `bench`: the bench: a burst of the generator, and the edges that the oscilloscope or the timestamper saw of it
//! - `burst`: bursts of the bench's instruments, and the search for the highest frequency that each line bears
//! - `generator`: a function generator of the family of the Keysight 33210A: bursts of so many pulses at a frequency
//! - `oscilloscope`: an oscilloscope of Tektronix' TDS, DPO and MDO families
//! - `pico`: a Raspberry Pi Pico with the firmware of `pico/`: pulses on one pin, and the instants of all edges on three
//! - `serial_line`: a serial line that carries bytes as they are, ours alone while it is open; its settings are put back afterwards
//! - `responder`: answers a stimulus on a line of this machine
pub mod bench;
pub mod burst;
pub mod generator;
pub mod link;
pub mod oscilloscope;
pub mod pico;
pub mod request;
pub mod responder;
mod serial_line;
