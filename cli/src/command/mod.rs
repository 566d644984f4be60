// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands: one file each, with its arguments as `Args` and its work as `run`.
//!
//! - `blame`: `backwall blame RUN|TRACE`: who used the time of the late responses, and what to change
//! - `check`: `backwall check`: is this machine set up for real time, and what to change
//! - `compare`: `backwall compare A..
//! - `completions`: `backwall completions SHELL`: completions made from the flags
//! - `export`: `backwall export FORMAT RUN`: a stored run for another tool, also one that is unfinished
//! - `fleet`: `backwall fleet`: many devices, each measured as one would be, and never pooled
//! - `iltiming`: `backwall iltiming`: interrupt timing analysis, with the 2002 tool's options and table
//! - `import`: `backwall import FILE`: another tool's result as a run
//! - `interfere`: `backwall interfere`: does the whole cost more than the sum of its parts
//! - `man`: `backwall man DIR`: man pages made from the flags
//! - `osbench`: `backwall osbench`: what the kernel's operations cost, with the 2002 tool's options, tests and blocks
//! - `publish`: `backwall publish`: runs made fit to be given away, as files or as a commit
//! - `read`: `backwall read STREAM`: what a probe said on a device without a host, as a run
//! - `report`: `backwall report RUN...`: stored runs drawn and told again, by a newer tool too
//! - `respond`: `backwall respond`: this machine answers on its lines, for a bench outside that measures how late
//! - `scope`: `backwall scope CAPTURE`: a logic analyzer's or the lab's capture through the same statistics
//! - `tasks`: `backwall tasks`: series of jobs with deadlines
//! - `track`: `backwall track`: what the kernel did, by name
//! - `tune`: `backwall tune`: one setting at a time, measured without it and with it, kept only if it helps, and always taken back
//! - `watch`: `backwall watch`: an application's own real-time threads, and every minute who delayed them
pub mod blame;
pub mod check;
pub mod compare;
pub mod completions;
pub mod export;
pub mod fleet;
pub mod iltiming;
pub mod import;
pub mod interfere;
pub mod man;
pub mod osbench;
pub mod publish;
pub mod read;
pub mod report;
pub mod respond;
pub mod run;
pub mod scope;
pub mod tasks;
pub mod track;
pub mod tune;
pub mod watch;
