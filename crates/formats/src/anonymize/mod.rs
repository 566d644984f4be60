// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run made fit to be given away. A bundle is begun empty, and what is listed here is put into it: a member that a later version adds to
//! a run is in no bundle until somebody lists it.
//!
//! - `bundle`: which members of a run stay
//! - `bundled`: the bundle of a stored run, which bears no name of the machine that made it
//! - `blame`: who used the time of a response, by kind alone
//! - `listing`: what the index shows of each bundle, kept in the user's cache
//! - `words`: which texts stay
//! - `scenarios`: the names of the lab's scenarios
//! - `site`: the files of the folder in which it is published: bundles, their pages, the index
//! - `repository`: what was written as a commit, without its maker's name
mod blame;
mod bundle;
pub mod bundled;
mod listing;
pub mod repository;
mod scenarios;
pub mod site;
mod words;

pub use bundle::{INSTRUCTIONS, bundle};
pub use scenarios::SCENARIOS;
pub use words::Words;
