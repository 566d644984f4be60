// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in a period, as a run keeps it.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// Result of a search; its times have one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLimit {
    /// Of the period, the switch and the computation.
    pub unit: Unit,
    /// Length of the period in which events are counted.
    pub period: u64,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch: u64,
    /// CPU time of an event; `None` for an older run, which calculated without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computation: Option<u64>,
    /// The paper's calculation: the period over two switches and the computation.
    pub calculated: u64,
    /// The most events that passed; 0: no tried number did.
    pub events: u64,
    /// The fewest events that failed; `None`: all tried numbers passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<u64>,
    /// Results of several searches; `None` for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
}

/// Results of several searches for the same; the median represents them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there were.
    pub searches: u64,
    /// The lowest limit that a search found.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl Spread {
    /// Summary of several searches; `None` for fewer than two.
    pub fn of(events: &[u64]) -> Option<Self> {
        let (least, most) = (*events.iter().min()?, *events.iter().max()?);
        (events.len() > 1).then_some(Self { searches: events.len() as u64, least, most })
    }
}

impl EventLimit {
    /// Cost of an event beyond two switches and its computation; below 0 if a busy CPU switches faster. `None` if not even the fewest
    /// fitted.
    pub fn hidden(&self) -> Option<i64> {
        let an_event = self.period.checked_div(self.events)?;
        let known = 2 * i128::from(self.switch) + i128::from(self.computation.unwrap_or(0));
        let hidden = i128::from(an_event) - known;
        Some(i64::try_from(hidden).unwrap_or(if hidden < 0 { i64::MIN } else { i64::MAX }))
    }
}
