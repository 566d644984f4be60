// SPDX-License-Identifier: MIT OR Apache-2.0
//! The probe's output, from its process to finished series.
pub mod child;
pub(crate) mod identity;
pub mod imported_stream;
pub mod keep;
pub mod notes;
pub mod probe_report;
#[cfg(test)]
pub(crate) mod short_series;
pub mod unfinished_series;
