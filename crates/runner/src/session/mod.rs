// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run as a whole: its phases in sequence, its progress, checkpoints and continuation, and its assembly.
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
