// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another tool's result as the series of a run: one file a format, one line in [`table::ALL`].
//!
//! A file is known from what it begins with, read in bounded memory, and believed in nothing that contradicts itself. What it
//! does not say is not known: it is never 0.
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
mod latency_histogram;
mod latmus;
mod lines;
mod oslat;
mod oslat_json;
mod perf_bench;
mod ros2_control;
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
