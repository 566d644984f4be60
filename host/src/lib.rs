// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host tool: the only part that judges, stores and draws.
//!
//! A [`run::Run`] is the waist: everything before it produces one, everything
//! after it consumes one.

mod carried;
pub mod check;
pub mod cli;
pub mod command;
pub mod compare;
pub mod console;
pub mod examples;
pub mod export;
pub mod instrument;
pub mod interfere;
pub mod invocation;
pub mod lab;
pub mod loads;
pub mod memory;
pub mod options;
pub mod probe;
pub mod processors;
pub mod progress;
pub mod report;
pub mod require;
pub mod respond;
mod rights;
pub mod session;
pub mod store;
pub mod supervised;

pub use ::{exit, predict, record, run, samples, scope, stats, tasks, trace, units, wire};
pub use exchange::import;
pub use system::{
    affinity, complaint, container, folder, private_mount, process, readable, realtime, regular_file, smi, threads,
};
pub use units::{near, ranges, step};
pub use wire::connector;
