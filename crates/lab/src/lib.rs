// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab boots a guest in QEMU with the instrument attached and returns the recorded edges.
//!
//! Time in the lab is executed instructions; `docs/how-it-works/lab.md` explains what that means.

pub mod batch;
pub mod bench;
pub mod bisect;
pub mod cost;
pub mod counted_programs;
pub mod cpio;
mod emulate;
pub mod emulator;
pub mod generator;
pub mod guest;
pub mod history;
pub mod input;
pub mod instrument;
pub mod machine;
pub mod recorder;
pub mod result;
pub mod saturate;
pub mod saved_state;
pub mod scenario;
mod settings;
mod shelf;
pub mod shipped;
mod state_key;
pub mod stream;
pub mod sweep;
pub mod task_guest;
pub mod task_set;
pub mod trail;
pub mod unit_key;
pub mod work_folder;
