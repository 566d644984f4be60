// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `backwall`: its commands parse the command line, call the libraries and deliver the result.
//!
//! A [`backwall_model::Run`] is the waist: everything before it produces one, everything after it consumes one.
//!
//! - `cli`: the table of flags, and the end of every command
//! - `guest_trace`: the trace that a guest of the lab recorded of itself, divided by its edges
//! - `invocation`: the words that were typed
//! - `old_names`: commands of earlier versions, by their old names and their new ones
//! - `options`: the options of every command
//! - `exit`: exit codes, and the errors that choose one
//! - `examples`: the examples below their help
//! - `command`: the commands, one file each
//! - `deliver`: the end of every command that makes a run: judged, stored, printed, and an exit code
//! - `lab`: runs `backwall-lab`
//! - `memory`: the end of memory as one line and an exit code
//! - `follow`: an application followed to its end, with its log, view and page
//! - `redraw`: stored runs, read and drawn again
#![deny(clippy::print_stdout, clippy::print_stderr)] // the two streams are `console`'s, which lets no name act on a terminal

pub mod cli;
pub mod command;
pub mod deliver;
pub mod examples;
pub mod exit;
pub mod follow;
pub mod guest_trace;
pub mod invocation;
pub mod lab;
pub mod memory;
pub mod old_names;
pub mod options;
pub mod redraw;
