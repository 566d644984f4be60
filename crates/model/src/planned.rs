// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a plan will produce, known before anything is measured.
use super::Key;
use crate::units::Unit;

/// A series that a plan will produce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSeries {
    /// Which one.
    pub key: Key,
    /// Unit of its values.
    pub unit: Unit,
}
