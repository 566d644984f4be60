// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole run: its phases, progress, checkpoints, continuation after an interruption, and assembly.
pub mod assemble;
pub mod checkpoint;
pub mod door;
pub mod job;
pub mod lengths;
pub mod part;
pub mod progress;
pub mod resumable;
pub(crate) mod resumed;
pub mod watch;
