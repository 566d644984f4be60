// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads stored runs and draws them again, alone or together, also those of an older version.
pub mod draw;
pub mod stored;

pub use stored::StoredRun;
