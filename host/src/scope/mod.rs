// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scope: from edges on lines to latencies, pictures and tables.
//!
//! Pure: it reads and writes what it is handed, opens no file and reads no clock.
//! `docs/scope.md` states the rules and shows them on examples.

pub mod again;
pub mod arrivals;
pub mod capture;
pub mod edges;
pub mod format;
pub mod latency;
#[cfg(test)]
mod listed;
pub mod owners;
pub mod pairing;
pub mod recording;
pub mod saturation;
pub mod screen;
pub mod screens;
pub mod sweep;
pub mod symbols;
pub mod tick;
pub mod timebase;
pub mod vcd_read;
pub mod vcd_write;
pub mod wiring;
