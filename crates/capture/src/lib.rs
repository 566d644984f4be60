// SPDX-License-Identifier: MIT OR Apache-2.0
//! Computes latencies, pictures and tables from edges on lines.
//!
//! It reads and writes data passed to it, opens no file and reads no clock. `docs/how-it-works/pairing.md` states the rules with
//! examples. A file enters through `capture`, which recognises its format by its first bytes, and becomes edges. `wiring` says
//! which line is the stimulus and which ones answer. `pairing` decides the fate of each stimulus. `latency` and `completion` make
//! series of these fates; the other modules make pictures and run searches.
#![warn(missing_docs)]

pub mod analog;
pub mod answered_rate;
pub mod arrivals;
pub mod capture;
pub mod completion;
pub mod connector;
pub mod contents;
mod csv;
pub mod edges;
#[doc(hidden)] // for tests in other crates; no feature hides it, so that a build and its tests share this crate
pub mod fixture;
pub mod format;
pub mod joined;
pub mod latency;
pub mod lines;
#[cfg(test)]
mod listed;
pub mod modes;
pub mod oscilloscope_binary;
pub mod outcome;
pub mod owners;
pub mod pairing;
pub mod phase;
pub mod recording;
pub mod request;
mod rows;
mod saleae_binary;
pub mod saturation;
pub mod screen;
pub mod screens;
mod seconds;
mod sigrok;
pub mod stamps;
pub mod sweep;
pub mod symbols;
pub mod tick;
pub mod timebase;
pub mod trail;
pub mod vcd_read;
pub mod vcd_write;
pub mod wiring;
