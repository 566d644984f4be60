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
pub mod connector;
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
pub mod near;
pub mod options;
pub mod predict;
mod private_mount;
pub mod probe;
pub mod process;
pub mod processors;
pub mod progress;
pub mod ranges;
mod readable;
pub mod regular_file;
pub mod report;
pub mod require;
pub mod respond;
mod rights;
pub mod run;
pub mod samples;
pub mod scope;
pub mod session;
mod smi;
pub mod stats;
pub mod step;
pub mod store;
pub mod supervised;
pub mod tasks;
pub mod threads;
pub mod trace;
pub mod units;
pub mod wire;
