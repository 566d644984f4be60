// SPDX-License-Identifier: MIT OR Apache-2.0
//! The results of chains so far, as a copy to keep while more events come.
use super::follow::{Chains, JoinWait, QuietThread, RenamedThread};
use super::pattern::Pattern;
use super::place::Counts;
use super::spec::Spec;
use super::tally::Tally;
use crate::event::Thread;

/// The threads that match a hop of a chain; empty if none does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopThreads {
    /// Index of the hop, from 0. The thread that the end wakes has the index after the last hop's.
    pub place: usize,
    /// The name in the chain.
    pub wanted: Pattern,
    /// The threads that match the hop.
    pub threads: Vec<Thread>,
}

/// What is known about the hops of a chain.
#[derive(Clone, Debug, Default)]
pub struct HopFacts {
    /// What happened at each hop.
    pub counts: Vec<Counts>,
    /// The threads that match each hop.
    pub fitting: Vec<HopThreads>,
    /// Threads whose name changed, so that they no longer match.
    pub renamed: Vec<RenamedThread>,
    /// Threads without an event during the last starts.
    pub quiet: Vec<QuietThread>,
    /// For each join, how often each of its threads came last.
    pub waits: Vec<JoinWait>,
}

/// A chain with its results so far.
#[derive(Clone, Debug)]
pub struct ChainSoFar {
    /// The chain.
    pub spec: Spec,
    /// Totals of the chain's instances.
    pub tally: Tally,
    /// What is known about the chain's hops.
    pub facts: HopFacts,
}

impl Chains {
    /// A copy of every chain's results so far.
    pub fn so_far(&self) -> Vec<ChainSoFar> {
        let each = self.tallies().enumerate();
        let one = |(number, (spec, tally)): (usize, (&Spec, &Tally))| ChainSoFar {
            spec: spec.clone(),
            tally: tally.clone(),
            facts: self.facts(number),
        };
        each.map(one).collect()
    }

    /// What is known about the hops of this chain so far.
    pub fn facts(&self, chain: usize) -> HopFacts {
        HopFacts {
            counts: self.counts(chain),
            fitting: self.fitting(chain),
            renamed: self.renamed().iter().filter(|renamed| renamed.chain == chain).copied().collect(),
            quiet: self.quiet(chain),
            waits: self.join_waits(chain).to_vec(),
        }
    }
}
