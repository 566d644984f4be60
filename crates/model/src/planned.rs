// SPDX-License-Identifier: MIT OR Apache-2.0
//! The series of a plan, known before measuring.
use super::Key;
use crate::units::Unit;

/// A series that a plan will produce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSeries {
    /// The key of the series.
    pub key: Key,
    /// Unit of the series' values.
    pub unit: Unit,
}
