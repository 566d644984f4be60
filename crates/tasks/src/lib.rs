// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets with deadlines: reads them from files and analyses them.
#![warn(missing_docs)]
pub mod analysed;
pub mod arrivals;
pub mod assign;
mod cheddar;
pub mod constants;
pub mod detent;
pub mod fault;
pub mod format;
pub mod handed;
pub mod limit;
mod mast;
mod mast_names;
mod mast_text;
mod mast_xml;
mod number;
pub mod predict;
pub mod published;
mod ranks;
pub mod read;
mod relaxed_json;
mod rt_app;
pub mod runnable;
mod schedcat;
pub mod set;
pub mod shared;
mod simso;
pub mod sources;
pub mod span;
pub mod starvation;
mod toml_set;
mod xml;

#[cfg(test)]
mod tests;

pub use read::read;
