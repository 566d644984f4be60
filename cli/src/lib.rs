// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `backwall`: its commands parse the command line, call the libraries and deliver the result.
//!
//! A [`backwall_model::Run`] is the waist: everything before it produces one, everything after it consumes one.
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
pub mod publish;
pub mod redraw;
