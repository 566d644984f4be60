// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! The kernel's binary records become events; from events follows who held each processor, and what a thread waited for. A response is
//! joined with its wake-up and divided among those who used its time; the evidence for the worst is kept, and summed over many.
#![warn(missing_docs)]
pub mod account;
mod accuse;
pub mod activation;
mod awaited;
mod away;
pub mod behind;
pub mod blame;
mod by_number;
pub mod causes;
pub mod chain;
pub mod changes;
pub mod cost;
pub mod decoder;
pub mod departures;
pub mod digest;
mod division;
mod elsewhere;
pub mod event;
mod evidence;
mod explain;
pub mod format;
pub mod function;
mod holds;
pub mod largest;
pub mod late;
pub mod let_in;
mod let_through;
pub mod limits;
pub mod loans;
pub mod page;
pub mod processor;
pub mod raise;
pub mod read;
mod recent;
mod responses;
pub mod rules;
pub mod signals;
pub mod softirq;
pub mod spread;
pub mod stages;
pub mod statistics;
mod stretch;
mod summed;
pub mod symbols;
mod timers_run;
mod told;
mod usual;
pub mod wakeup;
pub mod window;
mod works;
pub mod worst;
pub mod write;

pub use digest::{TraceConfig, TraceReport};
pub use stages::{Sample, StampedSample};
