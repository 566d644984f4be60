// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored runs, read and drawn again, alone or together, also by a newer tool.
pub mod draw;
pub mod stored;

pub use stored::StoredRun;
