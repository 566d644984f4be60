// SPDX-License-Identifier: MIT OR Apache-2.0
//! The late responses of a recording: who used the time of each, and what would help most.
pub mod answered;
mod begun;
mod followed;
pub mod lates;
mod locks;
mod losses;
pub mod missed;
mod past;
pub mod ranking;
mod timers;
mod wakers;
pub mod whose;
