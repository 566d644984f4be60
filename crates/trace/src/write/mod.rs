// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings for other tools: one format per file.
pub mod chains;
pub mod chrome;
pub mod csv;
pub mod ctf;
mod ctf_metadata;
mod foreign;
mod interrupts;
pub mod perfetto;
mod protobuf;
pub mod slices;
pub mod stretches;
pub mod timeline;
pub mod trace_dat;
