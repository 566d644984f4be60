// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks with deadlines: the file, and what the analysis makes of it.
pub mod analysed;
pub mod constants;
pub mod fault;
pub mod format;
pub mod read;
pub mod set;
pub mod span;
mod toml_set;

pub use read::read;
