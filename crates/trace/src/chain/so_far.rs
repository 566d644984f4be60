// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a chain came to so far, to keep while more events come.
use super::follow::{Chains, JoinWait, QuietThread, RenamedThread};
use super::pattern::Pattern;
use super::place::Counts;
use super::spec::Spec;
use super::tally::Tally;
use crate::event::Thread;

/// Threads that match a chain's hop, or a hop without a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopThreads {
    /// The hop, from 0; the number of hops for the thread that the end wakes.
    pub place: usize,
    /// As it is written.
    pub wanted: Pattern,
    /// Threads that fit.
    pub threads: Vec<Thread>,
}

/// What is known of a chain's hops.
#[derive(Clone, Debug, Default)]
pub struct HopFacts {
    /// What happened at each hop.
    pub counts: Vec<Counts>,
    /// Which threads fit each hop.
    pub fitting: Vec<HopThreads>,
    /// Threads that got another name.
    pub renamed: Vec<RenamedThread>,
    /// Threads without an event in the time of the last starts.
    pub quiet: Vec<QuietThread>,
    /// How often each join waited for which of its threads.
    pub waits: Vec<JoinWait>,
}

/// A chain with its results.
#[derive(Clone, Debug)]
pub struct ChainSoFar {
    /// The chain.
    pub spec: Spec,
    /// Its instances.
    pub tally: Tally,
    /// Its hops.
    pub facts: HopFacts,
}

impl Chains {
    /// Every chain so far.
    pub fn so_far(&self) -> Vec<ChainSoFar> {
        let each = self.tallies().enumerate();
        let one = |(number, (spec, tally)): (usize, (&Spec, &Tally))| ChainSoFar {
            spec: spec.clone(),
            tally: tally.clone(),
            facts: self.facts(number),
        };
        each.map(one).collect()
    }

    /// What is known of the hops of a chain.
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
