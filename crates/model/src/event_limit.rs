// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many events fit in a period, as a run keeps it.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// What a search found; its times are in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLimit {
    /// Of the period, the switch and the computation.
    pub unit: Unit,
    /// Events are counted in so much.
    pub period: u64,
    /// From the generator to the event's thread, mean, with time to spare.
    pub switch: u64,
    /// What an event computes; `None` of an older run, which calculated as if that were nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computation: Option<u64>,
    /// As the paper calculates them: the period over two switches and the computation.
    pub calculated: u64,
    /// The most that held; 0: none that were tried did.
    pub events: u64,
    /// The fewest that did not; `None`: all that were tried held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<u64>,
    /// What several searches found; `None`: there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
}

/// What several searches for the same found, of which the one in the middle stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there were.
    pub searches: u64,
    /// The fewest events that one of them found.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl Spread {
    /// Of so many events as each search found; `None` of fewer than two searches.
    pub fn of(events: &[u64]) -> Option<Self> {
        let (least, most) = (*events.iter().min()?, *events.iter().max()?);
        (events.len() > 1).then_some(Self { searches: events.len() as u64, least, most })
    }
}

impl EventLimit {
    /// What an event costs beyond two switches and its computing; below 0 where a switch costs less when the processor is busy.
    /// `None` where not even the fewest held.
    pub fn hidden(&self) -> Option<i64> {
        let an_event = self.period.checked_div(self.events)?;
        let known = 2 * i128::from(self.switch) + i128::from(self.computation.unwrap_or(0));
        let hidden = i128::from(an_event) - known;
        Some(i64::try_from(hidden).unwrap_or(if hidden < 0 { i64::MIN } else { i64::MAX }))
    }
}
