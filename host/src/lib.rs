// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host tool: the only part that judges, stores and draws.
//!
//! A [`run::Run`] is the waist: everything before it produces one, everything
//! after it consumes one.

pub mod affinity;
mod carried;
pub mod check;
pub mod cli;
pub mod command;
pub mod compare;
pub mod complaint;
pub mod console;
pub mod examples;
pub mod exit;
pub mod export;
pub mod folder;
pub mod import;
pub mod instrument;
pub mod interfere;
pub mod invocation;
pub mod lab;
pub mod loads;
pub mod options;
mod private_mount;
pub mod probe;
pub mod process;
pub mod processors;
pub mod progress;
mod readable;
pub mod regular_file;
pub mod report;
pub mod require;
pub mod respond;
mod rights;
pub mod samples;
pub mod session;
mod smi;
pub mod store;
pub mod supervised;
pub mod tasks;
pub mod threads;
pub mod trace;

pub use ::{predict, run, scope, stats, units, wire};
pub use units::{near, ranges, step};
pub use wire::connector;
