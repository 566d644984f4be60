// SPDX-License-Identifier: MIT OR Apache-2.0
//! Anonymizes a run. A bundle starts empty and gets the members listed here, so a new member of a run stays out until it is added
//! to the list.
mod blame;
mod bundle;
mod scenarios;
mod words;

pub use bundle::{INSTRUCTIONS, bundle};
pub use scenarios::SCENARIOS;
pub use words::Words;
