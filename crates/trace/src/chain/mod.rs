// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chains: from a start event through threads to an end, instance by instance.
//!
//! A start begins an instance. A wakeup hands it from a hop to the next one; where the next one is awake there is no wakeup, and the
//! hand-over is inferred. Every instance ends in one fate, and `due = done + missed + unseen`.
//!
//! - `pattern`: which threads, interrupts or devices a word of a specification means
//! - `spec`: a chain as its user writes it, in one line or in a table
//! - `parse`: reads the one-line form, and says where it is wrong
//! - `states`: what each thread did lately: had a CPU, was ready, slept, and who ended the sleep
//! - `context`: who makes a thread ready, by the context in which the wakeup is written
//! - `instance`: one passage through a chain, and its fate
//! - `place`: one hop of a chain while events come: which instances its thread is at
//! - `tokens`: moves instances from hop to hop
//! - `ages`: reaction time, button to action and age, from starts and outputs
//! - `partition`: divides an instance by hop and by who used the time
//! - `tally`: what is kept of all instances
//! - `follow`: takes a recording's events and follows chains through it
//! - `find`: proposes the chains of a recording
pub mod ages;
mod context;
pub mod find;
pub mod follow;
pub mod instance;
mod parse;
mod partition;
pub mod pattern;
mod place;
pub mod spec;
mod states;
pub mod tally;
mod tokens;

pub use follow::Chains;
pub use partition::{Part, Step};
pub use spec::{BadSpec, Spec};
