// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `backwall`: its commands parse the command line, call the libraries and deliver the result.
//!
//! All commands meet in a [`backwall_model::Run`]: those that measure or import produce one, those that report or export
//! take one.
#![deny(clippy::print_stdout, clippy::print_stderr)] // only `console` prints: no name may control the terminal

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
