// SPDX-License-Identifier: MIT OR Apache-2.0
//! The late responses of a recording: who used the time of each, and what would help most.
//!
//! - `answered`: divides response times into causes; the times were measured outside the device, from stimulus to answer
//! - `begun`: an open response: its thread has a CPU and has not gone to sleep again
//! - `budget`: limits explanations, so that they stay linear in the number of events
//! - `course`: what a thread did recently, and the causes of its last late responses
//! - `followed`: followed threads, each from its wakeup until it gets a CPU
//! - `lates`: looks at every response of the chosen threads, and divides the time of the late ones
//! - `locks`: a thread that waits for a lock, and what kept the thread from getting it
//! - `losses`: when events were lost, and on which CPUs
//! - `missed`: divides the time of jobs that missed their deadlines, counted from the nominal release
//! - `moved`: a response before its thread moved to another CPU or was woken
//! - `past`: a CPU's recent wakeups, departures and interrupts
//! - `response`: the questions about a recording's responses, and how each response ended
//! - `ranking`: the causes of all late responses together; the one that was largest most often comes first
//! - `timers`: the timer that each thread waits for, with its expiry
//! - `wakers`: what a response waited for before its thread was made ready
//! - `whose`: the choice of threads whose responses are explained
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
