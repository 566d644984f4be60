// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands: one file each, with its arguments as `Args` and its work as `run`.
pub mod bench;
pub mod blame;
pub mod chain;
pub mod check;
pub mod compare;
pub mod export;
pub mod fleet;
pub mod forecast;
pub mod generate;
pub mod import;
pub mod report;
pub mod run;
pub mod scope;
pub mod tasks;
pub mod trace;
pub mod tune;
pub mod verify;
pub mod watch;
