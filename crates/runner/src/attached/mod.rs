// SPDX-License-Identifier: MIT OR Apache-2.0
//! The user's own threads and commands that a measurement follows.
pub mod attachee;
mod run_delay;
pub mod thread_name;
pub mod traced;
