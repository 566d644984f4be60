// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compute and display: does a program that does both cost more than computing plus displaying?
//!
//! Three experiments, each of forms that [`turns`] times once a round and [`ratio`] sets beside each other: a [`sieve`] whose messages
//! go to an [`outlet`]; the [`throughput`] of data that compress and of data that do not; a [`browser`]'s pattern of fetching,
//! decoding and drawing. [`published`] holds what the newsgroup post says of the same.
pub mod browser;
pub mod compute_display;
pub mod measuring;
pub mod outlet;
pub mod processor_time;
mod pseudo_terminal;
pub mod published;
pub mod ratio;
pub mod sieve;
pub mod throughput;
pub mod turns;
