// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! [`format`], [`page`], [`event`] and [`decoder`] read the kernel's binary records;
//! [`tracefs`] and [`instance`] hold a trace buffer of our own; [`record`] reads it
//! while a phase runs, [`flight`] only when a response crosses a limit. [`processor`]
//! tells who held the processor, [`wakeup`] follows the probe's thread, [`stages`] joins
//! its samples. The evidence for the [`worst`] is kept, who used their time is accused,
//! [`blame`] says it and [`causes`] sums it; [`digest`] puts these together. [`activation`]
//! does the same for threads of somebody else's, on every processor.
pub mod account;
mod accuse;
pub mod activation;
mod awaited;
mod away;
pub mod behind;
pub mod blame;
mod by_number;
pub mod causes;
pub mod cost;
pub mod decoder;
pub mod departures;
pub mod digest;
pub mod event;
mod evidence;
mod explain;
pub mod format;
pub mod function;
pub mod largest;
pub mod late;
pub mod loans;
pub mod page;
pub mod processor;
pub mod raise;
pub mod read;
mod recent;
mod responses;
pub mod softirq;
pub mod spread;
pub mod stages;
pub mod statistics;
mod stretch;
pub mod symbols;
mod told;
mod usual;
pub mod wakeup;
pub mod window;
pub mod worst;
pub mod write;

pub use digest::{TraceConfig, TraceReport};
pub use stages::{Matched, Sample};
