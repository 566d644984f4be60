// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run made fit to be given away. A bundle is begun empty, and what is listed here is put into it: a member that a later version adds to
//! a run is in no bundle until somebody lists it.
mod blame;
mod bundle;
mod scenarios;
mod words;

pub use bundle::{INSTRUCTIONS, bundle};
pub use scenarios::SCENARIOS;
pub use words::Words;
