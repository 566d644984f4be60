// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain: its worst instance hop by hop, and how much of the latencies each hop has.
use crate::units::Unit;
use serde::{Deserialize, Serialize};

/// One chain of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// As its series is named.
    pub name: String,
    /// Its one-line form.
    pub line: String,
    /// Unit of every time in it.
    pub unit: Unit,
    /// What starts it, then each hop.
    pub hops: Vec<String>,
    /// Absent where no instance was done.
    pub worst: Option<ChainInstance>,
    /// Classes of latencies with at least one instance, shortest first.
    pub bands: Vec<ChainBand>,
}

/// One instance; times count from its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainInstance {
    /// By start, from 0.
    pub number: u64,
    /// Its start, from the first event.
    pub at: u64,
    /// From its start to its end.
    pub latency: u64,
    /// The interrupt of its start began, if it is known.
    pub interrupt: Option<u64>,
    /// One for each hop.
    pub visits: Vec<ChainVisit>,
    /// In time order; with [`ChainInstance::not_kept`] they sum to the latency.
    pub parts: Vec<ChainPart>,
    /// Time of parts that were too many to keep, the shortest.
    pub not_kept: u64,
}

impl ChainInstance {
    /// Most parts that a run keeps of an instance.
    pub const PARTS_MAX: usize = 400;

    /// The same with these parts, in time order; of too many the longest.
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

/// An instance at a hop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainVisit {
    /// The thread's number; absent of a softirq.
    pub thread: Option<i32>,
    /// `woken`, `inferred`, `polled` or `section`.
    pub how: String,
    /// The hop before handed it over.
    pub arrived: u64,
    /// The hop handed it on.
    pub handed: u64,
}

/// A part of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainPart {
    /// 0: before the first hop; else from 1.
    pub hop: u32,
    /// What the hop was at: `ready`, `own`, `waits`… or `interrupted`: on its CPU, while something else ran there.
    pub step: String,
    /// In words.
    pub what: String,
    /// Who had the CPU, in a few words.
    pub holder: String,
    /// Where.
    pub cpu: Option<u32>,
    /// From the start.
    pub from: u64,
    /// How long it is.
    pub time: u64,
}

/// Instances with about the same latency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainBand {
    /// Their latencies are at least this,
    pub from: u64,
    /// and below this.
    pub to: u64,
    /// How many they are.
    pub count: u64,
    /// Time of the part before the first hop, then of each hop, in all of them.
    pub hops: Vec<u64>,
}
