// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compute and display: does a program that does both cost more than computing plus displaying?
//!
//! A [`sieve`] computes and says now and then how far it is; an [`outlet`] is where that goes and who reads it there. [`rounds`]
//! measures computing alone, displaying alone and both, in turns, and [`ratio`] says what the whole costs beside its parts.
pub mod outlet;
mod pseudo_terminal;
pub mod published;
pub mod ratio;
pub mod rounds;
pub mod sieve;
