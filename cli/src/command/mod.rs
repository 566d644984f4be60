// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands: one file each, with its arguments as `Args` and its work as `run`.
//!
//! - `bench`: `backwall bench NAME`: the suites of the 2002 papers, and what computing and displaying cost each other
//! - `blame`: `backwall blame RUN|TRACE`: who used the time of the late responses, and what to change
//! - `chain`: `backwall chain SPEC [TRACE]`: end-to-end latency through several threads
//! - `check`: `backwall check`: is this machine set up for real time, and what to change
//! - `compare`: `backwall compare A..
//! - `export`: `backwall export FORMAT RUN`: a stored run for another tool, also one that is unfinished
//! - `fleet`: `backwall fleet`: many devices, each measured as one would be, and never pooled
//! - `forecast`: `backwall forecast RUN`: the maximum of a longer run, or why it can't be estimated
//! - `generate`: `backwall generate`: man pages and completions made from the flags
//! - `import`: `backwall import FILE`: another tool's result, or a probe's stream, as a run
//! - `report`: `backwall report RUN...`: stored runs drawn and told again, by a newer tool too
//! - `scope`: `backwall scope CAPTURE`: a logic analyzer's or the lab's capture through the same statistics
//! - `tasks`: `backwall tasks`: series of jobs with deadlines
//! - `trace`: `backwall trace`: recordings of what the kernel did
//! - `tune`: `backwall tune`: one setting at a time, measured without it and with it, kept only if it helps, and always taken back
//! - `verify`: `backwall verify DIR`: every claim of a sealed run, recomputed
//! - `watch`: `backwall watch`: an application's own real-time threads, and every minute who delayed them
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
