// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a recording went: every processor's and every thread's, with nothing left over.
//!
//! A processor's time is that of the innermost who held it, so an interrupt's is taken out of the thread that it hit. A
//! thread's time is running, ready, preempted, waiting, or not known; each sums to the length of the recording.
//!
//! - `analysis`: takes a recording's events
//! - `books`: books the time of every event's processor and threads
//! - `columns`: time over time: how much of each of some hundred columns of the recording a row had
//! - `latencies`: the latencies of one thread of many: ends and mean exactly, quantiles to an eighth
//! - `section_time`: the time of interrupts and softirqs, by name
//! - `summary`: what a recording says of its processors, threads, interrupts and softirqs: plain figures for those who print them
//! - `thread_time`: what one thread did: it ran, was ready, was preempted, waited and for whom, moved, was boosted
//! - `threads`: the threads of a recording by their numbers
//! - `damaged`: streams of events as a damaged recording has them
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
