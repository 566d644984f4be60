// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is decided about runs, from nothing but the runs.
pub mod compare;
pub mod require;
