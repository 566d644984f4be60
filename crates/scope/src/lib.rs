// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scope: from edges on lines to latencies, pictures and tables.
//!
//! Pure: it reads and writes what it is handed, opens no file and reads no clock.
//! `docs/scope.md` states the rules and shows them on examples.

pub mod again;
pub mod analog;
pub mod arrivals;
pub mod borne;
pub mod capture;
pub mod completion;
pub mod contents;
pub mod edges;
pub mod format;
pub mod joined;
pub mod latency;
#[cfg(test)]
mod listed;
pub mod modes;
pub mod oscilloscope_binary;
mod oscilloscope_csv;
pub mod owners;
pub mod pairing;
pub mod phase;
mod pulseview_csv;
pub mod recording;
mod rows;
mod saleae_binary;
mod saleae_csv;
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
pub mod vcd_read;
pub mod vcd_write;
pub mod wiring;
