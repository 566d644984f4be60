// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain: its worst instance hop by hop, and each hop's share of the latencies.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One chain of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Name of the chain's series.
    pub name: String,
    /// The chain's one-line form.
    pub line: String,
    /// Unit of all times.
    pub unit: Unit,
    /// The start event, then each hop.
    pub hops: Vec<String>,
    /// The worst instance; absent if no instance was done.
    pub worst: Option<ChainInstance>,
    /// Ranges of latencies with at least one instance, shortest first.
    pub bands: Vec<ChainBand>,
}

/// One instance. Its times count from its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainInstance {
    /// Number of the instance by start, from 0.
    pub number: u64,
    /// Time from the recording's first event to the start.
    pub at: u64,
    /// Time from start to end.
    pub latency: u64,
    /// When the interrupt began that started the instance, if known.
    pub interrupt: Option<u64>,
    /// One visit per hop.
    pub visits: Vec<ChainVisit>,
    /// Parts in time order. With [`ChainInstance::not_kept`] they sum to the latency.
    pub parts: Vec<ChainPart>,
    /// Sum of the shortest parts, which were dropped because there were too many parts.
    pub not_kept: u64,
}

impl ChainInstance {
    /// Most parts of an instance that a run stores.
    pub const PARTS_MAX: usize = 400;

    /// Sets the parts, in time order. If there are too many, only the longest are kept.
    #[must_use]
    pub fn with_parts(self, mut parts: Vec<ChainPart>) -> Self {
        if parts.len() > Self::PARTS_MAX {
            parts.sort_by_key(|part| std::cmp::Reverse(part.time));
            parts.truncate(Self::PARTS_MAX);
            parts.sort_by_key(|part| part.from);
        }
        let kept = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.time));
        Self { not_kept: self.latency.saturating_sub(kept), parts, ..self }
    }
}

/// The visit of an instance to one hop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainVisit {
    /// Thread ID; absent for a softirq.
    pub thread: Option<i32>,
    /// How the hop got the instance: `woken`, `inferred`, `polled` or `section`.
    pub how: String,
    /// When the previous hop handed the instance over.
    pub arrived: u64,
    /// When this hop handed the instance on.
    pub handed: u64,
}

/// One part of an instance's time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainPart {
    /// Number of the hop, from 1; 0 is the time before the first hop.
    pub hop: u32,
    /// State of the hop: `ready`, `own`, `waits`… or `interrupted`, when something else ran on its CPU.
    pub step: String,
    /// The step in words.
    pub what: String,
    /// What had the CPU, in a few words.
    pub holder: String,
    /// The CPU.
    pub cpu: Option<u32>,
    /// Time from the instance's start.
    pub from: u64,
    /// Length of the part.
    pub time: u64,
}

/// Instances with about the same latency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainBand {
    /// Lower bound of these latencies, inclusive.
    pub from: u64,
    /// Upper bound, exclusive.
    pub to: u64,
    /// Number of instances.
    pub count: u64,
    /// Total time before the first hop, then in each hop, over all these instances.
    pub hops: Vec<u64>,
}
