// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored runs, read and drawn again: alone, beside each other, by a newer tool too.
//!
//! - `stored`: a run that was read, and what is to be said of reading it
//! - `draw`: the page of a run and its pictures, and the page of several, into folders
pub mod draw;
pub mod stored;

pub use stored::StoredRun;
