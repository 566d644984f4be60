// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of tasks with deadlines: the file, and what the analysis makes of it.
//!
//! Files:
//!
//! - `format`: what a reader of sets of tasks is
//! - `read`: the formats that sets of tasks come in, and which one a file is
//! - `toml_set`: reader of our own file of tasks: TOML
//! - `span`: a time in a file of tasks: a text with its unit, such as `"250us"`
//! - `rt_app`: reader of rt-app's JSON: tasks as loops of events, in microseconds
//! - `relaxed_json`: JSON as rt-app's files have it: comments of C, keys that come twice and keep their order, commas at the end
//! - `schedcat`: reader of SchedCAT's XML
//! - `simso`: reader of SimSo's XML
//! - `cheddar`: reader of Cheddar's XML: tasks with a processor and its scheduler
//! - `mast`: reader of MAST's text: transactions of one activity each on fixed-priority processors
//! - `mast_text`: the notation of MAST's files
//! - `xml`: the part of XML that files of tasks use: elements, attributes, text, the five named entities
//! - `number`: numbers in other tools' files, which have no units of their own
//! - `ranks`: priorities for sets that name a rule instead
//! - `set`: a set of tasks as its file has it: series of jobs with deadlines, locks, interrupts, constants, and how it is run
//! - `fault`: why a file is no set of tasks that we can use: file, line, field, and what is wanted
//!
//! The analysis:
//!
//! - `constants`: what the system costs, by name, each with where it comes from
//! - `detent`: what Detent costs, from the tables in `docs/evidence/detent.md`
//! - `analysed`: from a set to the processors that the analysis answers for
//! - `assign`: series to processors, so that the analysis finds every deadline met on each
//! - `shared`: a set whose series of SCHED_DEADLINE share several processors, as the kernel runs them
//! - `sources`: what a part of a response time comes from, by name: the analysis knows places in lists alone
//!
//! What is run:
//!
//! - `arrivals`: when the jobs of a series are released: drawn here once, so that every system sees the same instants
//! - `runnable`: from a set to what a probe runs
//! - `starvation`: how busy a set keeps each processor: one that real-time threads never leave starves everything else on it
//! - `handed`: a set as it is handed to the probe: what `wire/SET.md` describes, byte by byte
//! - `limit`: how many events fit in a period: what is searched for, and what is found
//! - `published`: the published tables on event series, which stand beside our figures
//! - `tests`: every reader: an example with its answer, what it refuses, and hostile texts
//! - `predict`: worst-case response times of task sets
#![warn(missing_docs)]
pub mod analysed;
pub mod arrivals;
pub mod assign;
mod cheddar;
pub mod constants;
pub mod detent;
pub mod fault;
pub mod format;
pub mod handed;
pub mod limit;
mod mast;
mod mast_text;
mod number;
pub mod predict;
pub mod published;
mod ranks;
pub mod read;
mod relaxed_json;
mod rt_app;
pub mod runnable;
mod schedcat;
pub mod set;
pub mod shared;
mod simso;
pub mod sources;
pub mod span;
pub mod starvation;
mod toml_set;
mod xml;

#[cfg(test)]
mod tests;

pub use read::read;
