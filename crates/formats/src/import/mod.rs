// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another tool's result as the series of a run: one file a format, one line in [`table::ALL`].
//!
//! A file is known from what it begins with, read in bounded memory, and believed in nothing that contradicts itself. What it
//! does not say is not known: it is never 0.
//!
//! - `as_run`: what was imported, as a run
//! - `bpf_histogram`: histograms of bcc's tools and of bpftrace: runqlat, hardirqs and whatever prints the same tables
//! - `bpf_rows`: the lines of the tables that bcc and bpftrace print
//! - `counted`: a distribution as another tool counted it, made a series: nothing is added, and what contradicts itself is refused
//! - `cyclictest_histogram`: the text of `cyclictest -q -h US` and `-H US`, and that of `backwall export cyclictest`
//! - `cyclictest_json`: what `cyclictest --json=FILE -h US` writes
//! - `cyclictest_samples`: every sample, as `cyclictest -v` prints it: `THREAD: CYCLE: US`
//! - `decimal`: microseconds with decimals as whole nanoseconds, without a float between
//! - `format`: what a reader of another tool's file is, and what it gives
//! - `hwlatdetect`: what `hwlatdetect` prints, or writes with `--report`
//! - `jitterdebugger`: the JSON of jitterdebugger: a histogram for each processor, without what reached its thousandth class
//! - `latmus`: the histogram that `latmus -g FILE` of EVL (Xenomai 4) writes
//! - `lines`: the lines of a text from outside, counted, each of bounded length
//! - `oslat`: the text of oslat: how long a busy loop was kept from reading the clock, a column a processor
//! - `oslat_json`: what `oslat --json=FILE` writes: the figures of its text
//! - `rt_tests`: what the programs of rt-tests have in common in their JSON: the head, and classes of a microsecond by their number
//! - `rteval`: the XML report of rteval: what its cyclictest counted on each processor
//! - `rtla`: the text of `rtla timerlat hist` and `rtla osnoise hist`: a column for each latency of each processor
//! - `rtla_top`: the tables of `rtla timerlat top`, `rtla osnoise top` and `rtla hwnoise`
//! - `schbench`: what schbench prints: percentiles of its samples, which are all that is known between the smallest and the largest
//! - `stress_ng`: the text of `stress-ng --cyclic N`: what its first instance says
//! - `summary`: the lines that cyclictest and jitterdebugger keep on the terminal
//! - `table`: all importers, and the choice of one by what a file begins with
//! - `xenomai`: what `latency -h` of Xenomai 2 and 3 prints
mod as_run;
mod bpf_histogram;
mod bpf_rows;
mod counted;
mod cyclictest_histogram;
mod cyclictest_json;
mod cyclictest_samples;
mod decimal;
pub mod format;
mod hwlatdetect;
mod jitterdebugger;
mod latmus;
mod lines;
mod oslat;
mod oslat_json;
mod rt_tests;
mod rteval;
mod rtla;
mod rtla_top;
mod schbench;
mod stress_ng;
mod summary;
pub mod table;
#[cfg(test)]
mod tests;
mod xenomai;

pub use as_run::run_of;
pub use format::{BadImport, Imported, Importer};
pub use table::{ALL, named, read, read_as, recognised};
