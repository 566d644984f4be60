// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a recording went: every processor's and every thread's, with nothing left over.
//!
//! A processor's time is that of the innermost who held it, so an interrupt's is taken out of the thread that it hit. A
//! thread's time is running, ready, preempted, waiting, or not known; each sums to the length of the recording.
pub mod analysis;
mod books;
mod columns;
mod latencies;
mod section_time;
pub mod summary;
mod thread_time;
mod threads;

#[cfg(test)]
pub(crate) mod damaged;
#[cfg(test)]
mod tests;
