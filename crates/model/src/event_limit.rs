// SPDX-License-Identifier: MIT OR Apache-2.0
//! The result of the search for how many events fit in a period, as stored in a run.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// Result of a search. All its times are in `unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLimit {
    /// Unit of `period`, `switch` and `computation`.
    pub unit: Unit,
    /// Length of the period in which events are counted.
    pub period: u64,
    /// Mean time from the generator to the event's thread. It is measured while the CPU is not overloaded.
    pub switch: u64,
    /// CPU time of an event; `None` in older runs, which left it out of the calculation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computation: Option<u64>,
    /// The paper's formula: the period divided by the sum of two switches and the computation.
    pub calculated: u64,
    /// The largest tried number of events that passed; 0 if none did.
    pub events: u64,
    /// The smallest tried number of events that failed; `None` if all passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<u64>,
    /// Range of the results if the search was repeated; `None` for one search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
}

/// Results of repeated searches. `EventLimit` has the one with the median result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// Number of searches.
    pub searches: u64,
    /// The smallest result.
    pub least: u64,
    /// The largest result.
    pub most: u64,
}

impl Spread {
    /// The range of these results; `None` for fewer than two searches.
    pub fn of(events: &[u64]) -> Option<Self> {
        let (least, most) = (*events.iter().min()?, *events.iter().max()?);
        (events.len() > 1).then_some(Self { searches: events.len() as u64, least, most })
    }
}

impl EventLimit {
    /// Cost of an event beyond two switches and its computation. It is negative if switches are faster on a busy CPU. `None` if
    /// no tried number passed.
    pub fn hidden(&self) -> Option<i64> {
        let an_event = self.period.checked_div(self.events)?;
        let known = 2 * i128::from(self.switch) + i128::from(self.computation.unwrap_or(0));
        let hidden = i128::from(an_event) - known;
        Some(i64::try_from(hidden).unwrap_or(if hidden < 0 { i64::MIN } else { i64::MAX }))
    }
}
