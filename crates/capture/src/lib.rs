// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scope: from edges on lines to latencies, pictures and tables.
//!
//! Pure: it reads and writes what it is handed, opens no file and reads no clock. `docs/how-it-works/pairing.md` states the rules and shows them
//! on examples. A file passes through `capture`, which knows its format by its first bytes, and becomes edges; `wiring` says which
//! line asks and which answer; `pairing` gives each stimulus its fate; `latency` and `completion` make series of these, and the
//! others pictures and searches.
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
