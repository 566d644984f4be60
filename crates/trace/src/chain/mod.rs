// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chains: from a start event through threads to an end, instance by instance.
//!
//! A start begins an instance. A wakeup hands it from a hop to the next one; where the next one is awake there is no wakeup, and the
//! hand-over is inferred. Every instance ends in one fate, and `due = done + missed + unseen`.
pub mod ages;
pub mod bands;
mod context;
pub mod find;
pub mod follow;
pub mod instance;
mod parse;
mod partition;
pub mod pattern;
mod place;
mod so_far;
pub mod spec;
mod states;
pub mod tally;
mod timers;
mod tokens;
mod words;

pub use follow::Chains;
pub use partition::{Part, Step};
pub use place::Counts;
pub use so_far::{ChainSoFar, HopFacts, HopThreads};
pub use spec::{BadSpec, Spec};
