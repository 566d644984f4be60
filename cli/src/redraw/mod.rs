// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored runs, read and drawn again: alone, beside each other, by a newer tool too.
pub mod draw;
pub mod stored;

pub use stored::StoredRun;
