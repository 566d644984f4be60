// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decisions about runs, from the runs alone.
pub mod compare;
pub mod require;
