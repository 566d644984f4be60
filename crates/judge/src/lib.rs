// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is decided about runs, from nothing but the runs.
//!
//! - `require`: requirements, from the words that were typed to pass, fail or undecided
//! - `compare`: two sets of runs side by side, each figure with its verdict
pub mod compare;
pub mod require;
