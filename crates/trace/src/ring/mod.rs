// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's ring in binary: its pages, the layouts of its records, and its counters.
pub mod decoder;
pub mod format;
pub mod page;
pub mod statistics;
