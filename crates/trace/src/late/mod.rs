// SPDX-License-Identifier: MIT OR Apache-2.0
//! The late responses of a recording: who used the time of each, and what would help most.
//!
//! - `answered`: divides windows that somebody outside the device timed: from a stimulus on a line to the edge that answers it
//! - `begun`: a response that is looked at to its end: its thread has come to a processor, and has not gone to sleep again
//! - `budget`: how much may be explained, so that all explaining stays linear in the events
//! - `course`: what a thread did of late, and who used the time of its last late responses
//! - `followed`: the threads whose responses are looked at, each between being made ready and having a processor
//! - `lates`: looks at every response of the chosen threads, and divides the time of those that are late
//! - `locks`: a thread that waits for a lock, and who kept it from it
//! - `losses`: when events were lost, and on which processors
//! - `missed`: divides the time of jobs that missed their deadlines, from the nominal release to the end, among those who used it
//! - `moved`: a thread that is moved to another processor while it is ready
//! - `past`: what a processor's events told of threads lately: who was made ready, who left, and which interrupts came
//! - `response`: what is asked of a recording's responses, and the fate of each
//! - `ranking`: the causes of all late responses together, the one that made the most of them late first
//! - `timers`: which timer a thread waits for, and when it was to expire
//! - `wakers`: what a response waited for before its thread was made ready
//! - `whose`: whose responses are looked at
pub mod answered;
mod begun;
mod budget;
mod course;
mod followed;
pub mod lates;
mod locks;
mod losses;
pub mod missed;
mod moved;
mod past;
pub mod ranking;
mod response;
pub(crate) mod timers;
mod wakers;
pub mod whose;
