// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a machine that make responses late: read, checked, tried one at a time, and restored.
//!
//! - `check`: reads the settings and judges them
//! - `settings`: changes them one at a time, measures, and restores them
pub mod check;
pub mod settings;
