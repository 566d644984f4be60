// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `backwall-lab`, which `backwall lab` runs: it measures kernels in an emulator.
#![deny(clippy::print_stdout, clippy::print_stderr)] // only `console` prints, so that no name can control the terminal

pub mod cli;
mod command;
mod examples;
