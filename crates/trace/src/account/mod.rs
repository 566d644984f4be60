// SPDX-License-Identifier: MIT OR Apache-2.0
//! Adds up the time of a recording for each CPU and each thread, without a remainder.
//!
//! A nanosecond of a CPU belongs to the innermost context on it: an interrupt's time does not count for the interrupted thread.
//! A thread is running, ready, preempted, waiting or unknown; these times sum to the length of the recording.
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
