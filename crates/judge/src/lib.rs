// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decisions about runs; the only inputs are stored runs.
pub mod compare;
pub mod require;
