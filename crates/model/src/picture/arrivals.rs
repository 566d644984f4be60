// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latency over arrival time: the result of a sweep.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// The arrivals of a sweep, grouped by instant into [`super::COLUMNS`] columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrivals {
    /// What was measured, in a few words.
    pub title: String,
    /// The guest that was swept.
    pub guest: String,
    /// The response line.
    pub line: String,
    /// Unit of all instants and latencies.
    pub unit: Unit,
    /// Stimuli that were answered.
    pub arrivals: u64,
    /// Stimuli that were not answered.
    pub missed: u64,
    /// Instants between the first and last arrival without an answered stimulus.
    pub untried: u64,
    /// Smallest latency; absent if nothing was answered.
    pub floor: Option<u64>,
    /// Largest latency.
    pub worst: Option<u64>,
    /// The arrival instant with the largest latency; the earliest of several.
    pub worst_at: Option<u64>,
    /// Instant at the left edge of column 0.
    pub start: u64,
    /// Number of instants per division, which is a tenth of the columns.
    pub per_division: u64,
    /// Numbers of the columns that have an arrival, from left to right.
    pub columns: Vec<u16>,
    /// Smallest latency in each of these columns.
    pub smallest: Vec<u64>,
    /// Largest latency in each of these columns.
    pub largest: Vec<u64>,
    /// Interrupted functions, largest latency first.
    pub owners: Vec<Owner>,
    /// Number of interrupted addresses that [`Arrivals::owners`] does not list.
    pub other_owners: u64,
}

/// One interrupted function, with all arrivals that interrupted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Function name; a hexadecimal address if no symbol covers it.
    pub name: String,
    /// Arrivals while the function ran.
    pub arrivals: u64,
    /// Arrivals while the function ran with interrupts disabled.
    pub masked: u64,
    /// Largest latency of these arrivals.
    pub max: u64,
}
