// SPDX-License-Identifier: MIT OR Apache-2.0
//! A time in a task file, written with its unit, such as `"250us"`.
use backwall_model::units;
use serde::{Deserialize, Deserializer, de};

/// Nanoseconds. Files contain it as text with a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub u64);

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        units::duration(&text).map(|time| Span(time.0)).map_err(de::Error::custom)
    }
}
