// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency against arrival time: the result of a sweep.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// The arrivals of a sweep, gathered in [`super::COLUMNS`] columns of instants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// What was on the bench, in a few words.
    pub title: String,
    /// The guest that was swept.
    pub guest: String,
    /// The response line.
    pub line: String,
    /// Unit of every instant and latency in it.
    pub unit: Unit,
    /// Stimuli that were answered.
    pub arrivals: u64,
    /// Stimuli that were not.
    pub missed: u64,
    /// Instants between the first and last arrival without an answered stimulus.
    pub untried: u64,
    /// Smallest latency; absent without arrivals.
    pub floor: Option<u64>,
    /// Largest latency.
    pub worst: Option<u64>,
    /// The instant of the arrival with the largest latency, the earliest of several.
    pub worst_at: Option<u64>,
    /// Instant at the left border of column 0.
    pub start: u64,
    /// Instants in a tenth of the columns.
    pub per_division: u64,
    /// Columns with an arrival, from left to right.
    pub columns: Vec<u16>,
    /// Smallest latency of each.
    pub smallest: Vec<u64>,
    /// Largest latency of each.
    pub largest: Vec<u64>,
    /// Who was interrupted, largest latency first.
    pub owners: Vec<Owner>,
    /// Interrupted addresses beyond those in [`Arrivals::owners`].
    pub other_owners: u64,
}

/// One interrupted function, over all arrivals that interrupted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its name; a hexadecimal address if no symbol covers it.
    pub name: String,
    /// Arrivals while it ran.
    pub arrivals: u64,
    /// Arrivals while it ran with interrupts masked.
    pub masked: u64,
    /// Largest latency of an arrival while it ran.
    pub max: u64,
}
