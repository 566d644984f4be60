// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! The kernel's binary records become events; from events follows who held each processor, and what a thread waited for. A response is
//! joined with its wake-up and divided among those who used its time; the evidence for the worst is kept, and summed over many.
#![warn(missing_docs)]
pub mod account;
pub mod blame;
pub mod chain;
pub mod collection;
pub mod cost;
pub mod digest;
pub mod event;
pub mod interference;
pub mod late;
pub mod processor;
pub mod read;
mod responses;
pub mod ring;
pub mod rules;
pub mod stages;
pub mod thread;
pub mod write;

pub use digest::{TraceConfig, TraceReport};
pub use stages::{Sample, StampedSample};
