// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! The kernel's binary records become events. The events show who held each CPU, and what a thread waited for. backwall finds
//! the wakeup of each response, and divides the response's time among the threads and interrupts that used it. It keeps the
//! evidence for the worst responses, and sums the causes of many responses.
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
