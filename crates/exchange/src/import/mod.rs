// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another tool's result as the series of a run: one file a format, one line in [`table::ALL`].
//!
//! A file is told by what it begins with, read in bounded memory, and believed in nothing that contradicts itself. What it
//! does not say is not known: it is never 0.
mod counted;
mod cyclictest_histogram;
mod cyclictest_json;
mod cyclictest_samples;
pub mod format;
mod hwlatdetect;
mod jitterdebugger;
mod lines;
mod oslat;
mod oslat_json;
mod rt_tests;
mod rteval;
mod rtla_timerlat;
mod stress_ng;
pub mod table;
#[cfg(test)]
mod tests;

pub use format::{BadImport, Imported, Importer};
pub use table::{ALL, named, read, read_as, recognised};
