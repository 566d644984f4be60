// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chains: paths from a start event through threads to an end.
//!
//! Each start begins an instance. A hop hands it to the next hop with a wakeup; if the next hop is already awake, there is no
//! wakeup, so the hand-over is inferred. Every instance has exactly one fate, so `due = done + missed + unseen`.
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
