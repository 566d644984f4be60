// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compute and display: does a program that does both need more time than computing alone plus displaying alone?
//!
//! There are three experiments. [`turns`] times the variants of each, once per round, and [`ratio`] compares them: a [`sieve`]
//! whose messages go to an [`outlet`]; the [`throughput`] of compressible and of incompressible data; a [`browser`] that fetches,
//! decodes and draws images. [`published`] has the corresponding figures of the newsgroup post.
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
