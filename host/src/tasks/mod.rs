// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks with deadlines: the file, and what the analysis makes of it.
pub mod analysed;
mod cheddar;
pub mod constants;
pub mod fault;
pub mod format;
mod mast;
mod mast_text;
mod number;
mod ranks;
pub mod read;
mod relaxed_json;
mod rt_app;
mod schedcat;
pub mod set;
mod simso;
pub mod span;
mod toml_set;
mod xml;

#[cfg(test)]
mod tests;

pub use read::read;
